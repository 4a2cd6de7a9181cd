/**
 * Commit numbers of a data directory: of the last commit, and of the last commit in the database file without
 * its log.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMark } from '../../src/store/directory-mark.ts';
import { SCHEMA } from '../../src/store/schema.ts';
import { inspectDatabase } from '../../src/store/sqlite/database-file.ts';
import { temporaryDirectory } from '../rpc/support.ts';

export interface Commits {
  /** The last commit number that the directory's mark file records. */
  readonly made: number;
  /** The commit number in a copy of the database file without its log. */
  readonly safe: number;
}

/** Reads the commit numbers of a directory in which a node may be running. */
export function commitsOf(path: string): Commits {
  const copy = temporaryDirectory();
  const database = join(copy.path, 'fulgurite.sqlite3');
  try {
    copyFileSync(join(path, 'fulgurite.sqlite3'), database);
    const { belonging } = inspectDatabase(database, SCHEMA.length);
    return { made: readMark(join(path, 'directory-mark'))!.lastCommit, safe: belonging!.lastCommit };
  } finally {
    copy.remove();
  }
}
