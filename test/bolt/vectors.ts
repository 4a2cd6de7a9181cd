/** The published BOLT vectors, read where they lie beside the repository; tests skip where they are absent. */

import { existsSync, readFileSync } from 'node:fs';

const folder = new URL('../../../shared/data/bolts/', import.meta.url);

export const haveVectors = existsSync(folder);

/** The parsed file, or an empty object where the vectors are absent. */
// biome-ignore lint/suspicious/noExplicitAny: each file has a shape of its own, and tests fail on a wrong one
export function vectors(file: string): any {
  return haveVectors ? JSON.parse(readFileSync(new URL(file, folder), 'utf8')) : {};
}
