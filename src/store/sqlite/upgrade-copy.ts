/**
 * The copy of a database made before its schema changes, so that an operator can return to the previous release. Only
 * its owner can read it, because it holds preimages.
 *
 * While the upgrade runs, the copy is `NAME.before-upgrade`. If this file exists at startup, an upgrade was
 * interrupted. The file is kept, because a new copy would contain a partly upgraded database. When the upgrade is
 * complete, the copy becomes `NAME.before-vN`, where N is the new schema, and the copies of earlier upgrades are
 * removed. So at most one copy is left.
 */
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncPath } from '../directory-mark.ts';

const OWNER_ONLY = 0o600;

const underWay = (path: string): string => `${path}.before-upgrade`;

/**
 * Makes the copy, unless an interrupted upgrade has left one.
 * @param copyTo writes the committed state to an existing empty file
 */
export function copyBeforeUpgrade(path: string, copyTo: (file: string) => void): void {
  const copy = underWay(path);
  if (existsSync(copy)) return;
  const unfinished = `${copy}.new`;
  // An interrupted start may have left half a copy.
  rmSync(unfinished, { force: true });
  try {
    closeSync(openSync(unfinished, 'wx', OWNER_ONLY));
    copyTo(unfinished);
    syncPath(unfinished);
    renameSync(unfinished, copy);
    syncPath(dirname(path));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Gives the copy its final name once the schema has version `to`, and removes the copies of earlier upgrades.
 * @returns its path, or undefined when there is none
 */
export function keepCopy(path: string, to: number): string | undefined {
  if (!existsSync(underWay(path))) return undefined;
  const kept = `${path}.before-v${to}`;
  renameSync(underWay(path), kept);
  const prefix = `${basename(path)}.before-v`;
  for (const name of readdirSync(dirname(path))) {
    const other = join(dirname(path), name);
    if (name.startsWith(prefix) && other !== kept) rmSync(other, { force: true });
  }
  return kept;
}
