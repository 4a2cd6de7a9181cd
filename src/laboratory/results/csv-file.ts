/**
 * A CSV file that is written in blocks of whole rows and hashed with SHA-256. If a full disk cuts a block short, the
 * partial block is removed, so that the file ends with a whole row.
 */
import { createHash, type Hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { AppendedFile } from './appended-file.ts';

/** The value of a cell. Undefined is an empty cell. */
export type CsvValue = string | number | bigint | undefined;

const BLOCK_CHARACTERS = 1 << 16;

/** Writes a CSV file. */
export class CsvFile {
  readonly #file: AppendedFile;
  readonly #hash: Hash = createHash('sha256');
  #waiting = '';

  /** @throws FulguriteError `storeFailed` */
  constructor(path: string, header: readonly string[]) {
    this.#file = new AppendedFile(path);
    this.row(header);
  }

  /** Adds a row. Cells must not need quotes. @throws FulguriteError `storeFailed` */
  row(values: readonly CsvValue[]): void {
    this.#waiting += `${values.map((value) => value ?? '').join(',')}\n`;
    if (this.#waiting.length >= BLOCK_CHARACTERS) this.#flush();
  }

  #flush(): void {
    const block = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#file.append(block);
    this.#file.flush();
    this.#hash.update(block);
  }

  /** Writes buffered rows and closes the file. @returns the SHA-256 of the whole file, in hex */
  close(): string {
    this.#flush();
    this.#file.close();
    return this.#hash.digest('hex');
  }
}

/** The content of a file, compressed for a `.gz` file. */
export const compressed = (path: string): Buffer => gzipSync(readFileSync(path), { level: 6 });
