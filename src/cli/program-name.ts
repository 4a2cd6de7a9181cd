/**
 * How the user can call this program from any folder: by its name if the shell finds it, otherwise by its path. Printed
 * hints use this form, so that they can be pasted.
 */
import { realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'fulgurite';

/** Compiled files are one folder deeper than sources, in `build/program/`. */
const root = import.meta.url.endsWith('.ts') ? '../../' : '../../../';
const SCRIPT = fileURLToPath(new URL(`${root}bin/fulgurite.mjs`, import.meta.url));

/**
 * Whether npm added the folder to `PATH` for the programs that it runs. The user's shell does not search such folders.
 */
const isOfNpm = (folder: string): boolean =>
  folder.includes(join('node_modules', '.bin')) || folder.includes(`${sep}_npx${sep}`);

/** Quotes a word for a POSIX shell if it contains special characters. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The program's name, or its path quoted for the shell. `path` is the shell's list of folders to search. */
export function programName(path = process.env.PATH ?? ''): string {
  const own = realPathOf(SCRIPT);
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !isOfNpm(folder));
  const isOnPath = own !== undefined && folders.some((folder) => realPathOf(join(folder, NAME)) === own);
  return isOnPath ? NAME : shellWord(SCRIPT);
}

/** The path after following all links. Undefined if it does not exist. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
