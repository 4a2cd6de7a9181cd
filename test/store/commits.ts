/** How far a data directory has come: commits that were made, and those that the database knows without its log. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectDatabase } from '../../src/store/database-file.ts';
import { readMark } from '../../src/store/directory-mark.ts';
import { SCHEMA } from '../../src/store/schema.ts';
import { temporaryDirectory } from '../rpc/support.ts';

export interface Commits {
  /** By the mark. */
  readonly made: number;
  /** By a copy of the database without its log. */
  readonly safe: number;
}

/** Of a directory in which a node may be at work. */
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
