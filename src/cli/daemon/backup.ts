/**
 * A backup: a new directory with a consistent copy of the database and the secrets, made while the node is running. It
 * is deliberately not a complete data directory. The mark file is missing, so a daemon starts on a backup only with
 * `--recover`. With this option, the operator accepts that payments made after the backup may be unknown.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { FulguriteError } from '../../model/errors.ts';
import { parameterError } from '../../rpc/params.ts';
import { syncPath } from '../../store/directory-mark.ts';
import type { Store } from '../../store/store.ts';
import { STORE_FILE } from '../files/data-directory.ts';
import { KEY_FILE } from '../files/identity.ts';
import { RUNE_SECRET_FILE } from '../files/rune-secret.ts';

const OWNER_ONLY = 0o600;

/** A finished backup. */
export interface Backup {
  /** Path of the copy of the database. */
  readonly database: string;
  readonly bytes: number;
}

/** Makes backups of one data directory, one at a time. */
export class Backups {
  readonly #directory: string;
  readonly #store: Store;
  readonly #elsewhere: string | undefined;
  #running: Promise<Backup> | undefined;

  /** @param elsewhere the database that contains the rows, if the directory does not */
  constructor(directory: string, store: Store, elsewhere: string | undefined) {
    this.#directory = directory;
    this.#store = store;
    this.#elsewhere = elsewhere;
  }

  /**
   * Copies the data into `destination`, an absolute path that must not exist yet.
   * @throws FulguriteError notSupported when the rows are in a PostgreSQL database; invalidParams when the destination
   *   exists or its parent does not; busy; storeFailed, after removing the incomplete copy.
   */
  async make(destination: string): Promise<Backup> {
    if (this.#elsewhere !== undefined) {
      const message = `The payments are in the database ${this.#elsewhere}. Back it up with pg_dump`;
      throw new FulguriteError('notSupported', message, { database: this.#elsewhere });
    }
    if (this.#running !== undefined) throw new FulguriteError('busy', 'Another backup is already running');
    makeDirectory(destination);
    this.#running = this.#copy(destination).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Waits for the backup in progress. */
  async close(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #copy(destination: string): Promise<Backup> {
    const database = join(destination, STORE_FILE);
    try {
      await this.#store.committer.durable();
      writeNew(database, new Uint8Array());
      await this.#store.file.backup(database);
      syncPath(database);
      writeNew(join(destination, KEY_FILE), readFileSync(join(this.#directory, KEY_FILE)));
      const runes = join(this.#directory, RUNE_SECRET_FILE);
      writeNew(join(destination, RUNE_SECRET_FILE), readFileSync(runes));
      syncPath(destination);
      return { database, bytes: statSync(database).size };
    } catch (error) {
      rmSync(destination, { recursive: true, force: true });
      if (error instanceof FulguriteError) throw error;
      const reason = (error as Error).message;
      throw new FulguriteError('storeFailed', `The backup could not be written: ${reason}`, { reason });
    }
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw parameterError('destination', DIRECTORY_FAULTS[code ?? ''] ?? message);
  }
}

/** Why a directory cannot be created, by the code of the system's error. */
const DIRECTORY_FAULTS: Readonly<Record<string, string>> = {
  EEXIST: 'already exists',
  ENOENT: 'its parent directory does not exist',
};

function writeNew(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'wx', OWNER_ONLY);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
