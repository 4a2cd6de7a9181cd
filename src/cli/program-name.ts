/**
 * How the user calls this program from any folder: by its name where the shell finds it, otherwise by its path.
 * Hints that are printed use it, so that they work when they are pasted.
 */
import { realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'fulgurite';

/** Compiled files lie one folder deeper, in `build/`. */
const root = import.meta.url.endsWith('.ts') ? '../../' : '../../../';
const SCRIPT = fileURLToPath(new URL(`${root}bin/fulgurite.mjs`, import.meta.url));

/** npm puts these folders on the path of what it runs. The user's shell does not have them. */
const isOfNpm = (folder: string): boolean =>
  folder.includes(join('node_modules', '.bin')) || folder.includes(`${sep}_npx${sep}`);

/** A word for a POSIX shell: quoted where it has characters that the shell would read. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The name, or the path as a word for the shell. `path` is the list of folders in which the shell looks. */
export function programName(path = process.env.PATH ?? ''): string {
  const own = realPathOf(SCRIPT);
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !isOfNpm(folder));
  const isOnPath = own !== undefined && folders.some((folder) => realPathOf(join(folder, NAME)) === own);
  return isOnPath ? NAME : shellWord(SCRIPT);
}

/** The path behind all links. Undefined when nothing is there. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
