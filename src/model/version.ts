/** The version of this program. It is written only in package.json, and read from there. */
import { readFileSync } from 'node:fs';

/** Compiled files are one folder deeper, in `build/`. */
const root = import.meta.url.endsWith('.ts') ? '../../' : '../../../';

/** For example `0.2.0` (Semantic Versioning). CHANGELOG.md lists the changes and shows whether it is released. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL(`${root}package.json`, import.meta.url), 'utf8'),
).version;
