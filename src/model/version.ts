/** The version of this program. It is stored only in package.json, and read from there. */
import { readFileSync } from 'node:fs';

/** The root of the package. Compiled files are one folder deeper than sources. */
const root = import.meta.url.endsWith('.ts') ? '../../' : '../../../';

/**
 * For example `0.2.0` (Semantic Versioning). CHANGELOG.md lists its changes, and shows whether it has been released.
 */
export const VERSION: string = JSON.parse(
  readFileSync(new URL(`${root}package.json`, import.meta.url), 'utf8'),
).version;
