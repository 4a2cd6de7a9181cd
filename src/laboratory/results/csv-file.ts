/**
 * A CSV file that is only ever left with whole rows: rows are written in blocks, and a block that could not be written
 * whole, because the disk is full, is taken back. The bytes are hashed as they are written.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { FulguriteError } from '../../model/errors.ts';

const BLOCK_CHARACTERS = 1 << 16;

/** A value of a row. Texts must not contain commas, quotes or line ends; no value of ours does. */
export type CsvValue = string | number | bigint | undefined;

/** A file of rows under one header. */
export class CsvFile {
  readonly path: string;
  readonly #fd: number;
  readonly #hash: Hash;
  #waiting = '';
  #bytes: number;

  /**
   * Begins a file, or goes on with one.
   * @param keepBytes what to keep of a file that is there; the rest is cut off
   * @throws FulguriteError `storeFailed`
   */
  constructor(path: string, header: readonly string[], keepBytes?: number) {
    this.path = path;
    this.#hash = createHash('sha256');
    this.#fd = openSync(path, keepBytes === undefined ? 'w' : 'r+');
    this.#bytes = keepBytes ?? 0;
    if (keepBytes === undefined) this.row(header);
    else {
      ftruncateSync(this.#fd, keepBytes);
      this.#hash.update(readFileSync(path));
    }
  }

  row(values: readonly CsvValue[]): void {
    this.#waiting += `${values.map((value) => value ?? '').join(',')}\n`;
    if (this.#waiting.length >= BLOCK_CHARACTERS) this.flush();
  }

  /** Bytes of all rows so far, after everything that waits is written. @throws FulguriteError `storeFailed` */
  flush(): number {
    const block = Buffer.from(this.#waiting);
    this.#waiting = '';
    for (let written = 0; written < block.length; ) {
      try {
        written += writeSync(this.#fd, block, written, block.length - written, this.#bytes + written);
      } catch (error) {
        ftruncateSync(this.#fd, this.#bytes);
        const { message } = error as Error;
        throw new FulguriteError('storeFailed', `${this.path}: ${message}`, {
          file: this.path,
          cause: message,
        });
      }
    }
    this.#hash.update(block);
    this.#bytes += block.length;
    return this.#bytes;
  }

  /** Writes what waits and closes the file. @returns the SHA-256 of the whole file, in hex */
  close(): string {
    this.flush();
    closeSync(this.#fd);
    return this.#hash.digest('hex');
  }
}

/** The bytes of a file, compressed without a time in the header, so that equal files stay equal. */
export const compressed = (path: string): Buffer => gzipSync(readFileSync(path), { level: 6 });
