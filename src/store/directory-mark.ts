/**
 * The mark of a data directory: a small file beside the database. It records what the directory belongs to
 * (`Belonging`) and the number of the last commit. The database records both too. If the database was lost, was
 * replaced by an older copy, or lost its write-ahead log, the two no longer agree. The node then refuses the directory
 * instead of starting without the lost data.
 *
 * The file is one line of JSON of fixed length, overwritten in place after each commit. It is smaller than a sector, so
 * it is never half written. It is not flushed to disk at each commit, so after a power cut its number may be lower than
 * the database's, but never higher.
 */
import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Belonging } from './sqlite/database-file.ts';
import { StoreError } from './store-error.ts';

/** The contents of the mark. */
export interface DirectoryMark extends Belonging {
  /** Number of the database's last commit when the mark was written. The database may be ahead. */
  readonly lastCommit: number;
  /** Whether the simulated network keeps a journal in the directory. */
  readonly hasSimulatedJournal: boolean;
}

const FORMAT = 1;
const OWNER_ONLY = 0o600;
const COMMIT_DIGITS = 16;

/** Reads the mark. @returns undefined when there is none. @throws StoreError corrupt, newer-schema, unavailable */
export function readMark(path: string): DirectoryMark | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StoreError('unavailable', path, `cannot be read (${(error as Error).message})`, error);
  }
  const fields = fieldsOf(text);
  if (fields === undefined) throw new StoreError('corrupt', path, 'is damaged');
  const { format, directoryId, nodeId, network, chain, lastCommit, hasSimulatedJournal } = fields;
  if (Number(format) > FORMAT) {
    throw new StoreError(
      'newer-schema',
      path,
      `has format ${format}, which this release does not know: upgrade`,
    );
  }
  return {
    directoryId: String(directoryId),
    nodeId: String(nodeId),
    network: String(network),
    chain: String(chain),
    lastCommit: Number(lastCommit),
    hasSimulatedJournal: hasSimulatedJournal === 'yes',
  };
}

/** The fields of the line. Undefined if the line is damaged. */
function fieldsOf(text: string): Record<string, unknown> | undefined {
  try {
    const { check, ...fields } = JSON.parse(text) as Record<string, unknown>;
    return check === checksum(JSON.stringify(fields)) ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** @param fields the line's other fields as JSON */
const checksum = (fields: string): string => hash('sha256', fields, 'hex').slice(0, 16);

function lineOf({
  directoryId,
  nodeId,
  network,
  chain,
  lastCommit,
  hasSimulatedJournal,
}: DirectoryMark): string {
  const fields = JSON.stringify({
    format: FORMAT,
    directoryId,
    nodeId,
    network,
    chain,
    lastCommit: String(lastCommit).padStart(COMMIT_DIGITS, '0'),
    hasSimulatedJournal: hasSimulatedJournal ? 'yes' : 'no ',
  });
  return `${fields.slice(0, -1)},"check":"${checksum(fields)}"}\n`;
}

/** The mark file of a directory in use. */
export class MarkFile {
  readonly #descriptor: number;
  #mark: DirectoryMark;

  /** Writes the mark over the existing one, completely or not at all. @throws StoreError unavailable */
  constructor(path: string, mark: DirectoryMark) {
    this.#mark = mark;
    const unfinished = `${path}.new`;
    try {
      this.#descriptor = openSync(unfinished, 'w', OWNER_ONLY);
      this.#write();
      fsyncSync(this.#descriptor);
      renameSync(unfinished, path);
      syncPath(dirname(path));
    } catch (error) {
      throw new StoreError('unavailable', path, `cannot be written (${(error as Error).message})`, error);
    }
  }

  /**
   * Writes the number of the last commit. Call this after each commit. If the disk fails, the mark is behind until the
   * next commit.
   */
  setLastCommit(lastCommit: number): void {
    this.#mark = { ...this.#mark, lastCommit };
    try {
      this.#write();
    } catch {
      // The commit itself is already on disk.
    }
  }

  setHasSimulatedJournal(): void {
    this.#mark = { ...this.#mark, hasSimulatedJournal: true };
    this.#write();
    fsyncSync(this.#descriptor);
  }

  /**
   * Flushes the mark to disk. Call this periodically, so that the mark is not far behind the database after a power
   * cut.
   */
  sync(): void {
    try {
      fsyncSync(this.#descriptor);
    } catch {
      // The mark on disk stays behind until the next flush, which does no harm.
    }
  }

  close(): void {
    this.sync();
    closeSync(this.#descriptor);
  }

  #write(): void {
    const bytes = Buffer.from(lineOf(this.#mark));
    writeSync(this.#descriptor, bytes, 0, bytes.length, 0);
  }
}

/**
 * Flushes a file or a directory to disk. Flushing a directory makes the names of new files in it survive a power cut.
 */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
