/** Directories of the daemon, for their owner alone. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. It makes one after the other, because where nothing can be made (such as
 * in /proc) Node's own recursion does not end.
 * @throws Error of the file system, whose message names the path.
 */
export function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isThere) throw error;
  }
}
