/**
 * How the user can call this program from any folder: by its name if the shell finds it, otherwise by its path. Printed
 * hints use it, so that they can be pasted.
 */
import { realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'fulgurite';

/** Compiled files are one folder deeper, in `build/`. */
const root = import.meta.url.endsWith('.ts') ? '../../' : '../../../';
const SCRIPT = fileURLToPath(new URL(`${root}bin/fulgurite.mjs`, import.meta.url));

/** npm adds these folders to the path of programs that it runs. The user's shell does not have them. */
const isOfNpm = (folder: string): boolean =>
  folder.includes(join('node_modules', '.bin')) || folder.includes(`${sep}_npx${sep}`);

/** A word for a POSIX shell, quoted if it contains special characters. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The name, or the path as a word for the shell. `path` is the shell's list of folders to search. */
export function programName(path = process.env.PATH ?? ''): string {
  const own = realPathOf(SCRIPT);
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !isOfNpm(folder));
  const isOnPath = own !== undefined && folders.some((folder) => realPathOf(join(folder, NAME)) === own);
  return isOnPath ? NAME : shellWord(SCRIPT);
}

/** The path after following all links. Undefined when nothing is there. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
