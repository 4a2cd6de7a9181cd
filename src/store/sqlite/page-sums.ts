/**
 * Checksums of all pages of a database file, in a separate file.
 *
 * SQLite has checksums for its write-ahead log, but none for the pages of the database. A flipped bit there can
 * silently remove a key from an index. So the separate file holds the CRC-32 of each page. The seed is the page's
 * number, so misplaced pages are detected too. CRC-32 finds every error of one bit and every burst of up to 32 bits;
 * other damage passes with probability 2^-32 (Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications",
 * 2002).
 *
 * Pages change only when a checkpoint copies them from the log. Their new checksums are on disk before the checkpoint
 * starts. If the checkpoint is interrupted, the log still has these pages, so their state in the database does not
 * matter. Therefore a page is compared with its checksum only if the log does not have it.
 *
 *     8 bytes "FulgSums", then 4 bytes for each page from 1 on, little-endian
 *
 * SQLite changes some bytes of page 1 outside the log: whether there is a log, the counter of changes, and the version
 * of SQLite (sqlite.org/fileformat.html, 1.3). The checksum does not cover these bytes. The first two values are stored
 * twice in the page, and `verifyPages` compares both copies.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../directory-mark.ts';
import { StoreError } from '../store-error.ts';
import { PAGE_BYTES, pageSum } from './page-sum.ts';
import { logPages } from './write-ahead-log.ts';

const MAGIC = Buffer.from('FulgSums');
const SUM_BYTES = 4;
const OWNER_ONLY = 0o600;
/** Number of pages read at a time. */
const PAGES_AT_A_TIME = 256;
/** Number of the page at offset 1 GiB, where SQLite keeps its locks. It has no content. */
const LOCK_PAGE = 2 ** 30 / PAGE_BYTES + 1;

/** Path of a database's checksums. */
export const sumsPath = (database: string): string => `${database}.sums`;

/** The checksums of a database that is open in this process. */
export class PageSums {
  readonly #database: string;
  /**
   * Descriptor of the database file. Opened before SQLite opens the file, and closed after SQLite has closed it,
   * because POSIX drops all locks of a process on a file when the process closes any of its descriptors.
   */
  readonly #pages: number;
  #sums: number | undefined;

  /** @throws Error of the file system */
  constructor(database: string) {
    this.#database = database;
    this.#pages = openSync(database, 'r');
  }

  /** Whether the file of checksums exists. */
  get isThere(): boolean {
    return existsSync(sumsPath(this.#database));
  }

  /**
   * Replaces the file with the checksums of the current pages, completely or not at all. Call this only after a
   * checkpoint. @throws Error of the file system
   */
  rebuild(): void {
    const sums = new Map<number, number>();
    eachPage(this.#pages, (number, page) => sums.set(number, pageSum(number, page)));
    const path = sumsPath(this.#database);
    const unfinished = `${path}.new`;
    rmSync(unfinished, { force: true });
    const file = openSums(unfinished);
    try {
      writeSums(file, sums);
      renameSync(unfinished, path);
      syncPath(dirname(path));
    } catch (error) {
      closeSync(file);
      throw error;
    }
    if (this.#sums !== undefined) closeSync(this.#sums);
    this.#sums = file;
  }

  /**
   * Writes checksums of pages, given by page number. They are on disk when this returns. @throws Error of the file
   * system
   */
  note(sums: ReadonlyMap<number, number>): void {
    this.#sums ??= openSums(sumsPath(this.#database));
    writeSums(this.#sums, sums);
  }

  close(): void {
    closeSync(this.#pages);
    if (this.#sums !== undefined) closeSync(this.#sums);
    this.#sums = undefined;
  }
}

const placeOf = (number: number): number => MAGIC.length + (number - 1) * SUM_BYTES;

function openSums(path: string): number {
  if (existsSync(path)) return openSync(path, 'r+');
  const file = openSync(path, 'wx+', OWNER_ONLY);
  try {
    writeSync(file, MAGIC, 0, MAGIC.length, 0);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

function writeSums(file: number, sums: ReadonlyMap<number, number>): void {
  const bytes = Buffer.alloc(SUM_BYTES);
  for (const [number, sum] of sums) {
    bytes.writeUInt32LE(sum);
    writeSync(file, bytes, 0, SUM_BYTES, placeOf(number));
  }
  fsyncSync(file);
}

/** Passes each complete page of a file to `see`. */
function eachPage(file: number, see: (number: number, page: Uint8Array) => void): void {
  const chunk = Buffer.allocUnsafe(PAGES_AT_A_TIME * PAGE_BYTES);
  for (let first = 1; ; first += PAGES_AT_A_TIME) {
    const read = readSync(file, chunk, 0, chunk.length, (first - 1) * PAGE_BYTES);
    const pages = Math.floor(read / PAGE_BYTES);
    for (let index = 0; index < pages; index++) {
      see(first + index, chunk.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES));
    }
    if (pages < PAGES_AT_A_TIME) return;
  }
}

/**
 * Compares each page of a closed database with its checksum.
 * @throws StoreError corrupt with the first page that differs
 */
export function verifyPages(database: string): void {
  const sums = readSums(database);
  const inLog = logPages(`${database}-wal`).sums;
  const file = openSync(database, 'r');
  try {
    const { size } = fstatSync(file);
    const count = Math.floor(size / PAGE_BYTES);
    eachPage(file, (number, page) => {
      if (inLog.has(number) || number === LOCK_PAGE) return;
      const place = placeOf(number);
      const isKnown = place + SUM_BYTES <= sums.length;
      if (!isKnown || sums.readUInt32LE(place) !== pageSum(number, page)) throw differs(database, number);
      if (number === 1 && !isSteady(page)) throw differs(database, number);
    });
    for (let number = count + 1; placeOf(number) + SUM_BYTES <= sums.length; number++) {
      if (!inLog.has(number) && number !== LOCK_PAGE) throw differs(database, number);
    }
  } finally {
    closeSync(file);
  }
}

function readSums(database: string): Buffer {
  const path = sumsPath(database);
  const sums = readFileSync(path);
  const hasMagic = sums.subarray(0, MAGIC.length).equals(MAGIC);
  if (hasMagic && (sums.length - MAGIC.length) % SUM_BYTES === 0) return sums;
  throw new StoreError('corrupt', path, 'is damaged');
}

/** Whether the two values that page 1 stores twice have equal copies: the file format, and the change counter. */
function isSteady(page: Uint8Array): boolean {
  const view = new DataView(page.buffer, page.byteOffset);
  return page[18] === page[19] && view.getUint32(24) === view.getUint32(92);
}

const differs = (database: string, number: number): StoreError =>
  new StoreError('corrupt', database, `is damaged: page ${number} differs from its checksum`);
