/** An append-only file, written in blocks. If a block can be written only partially, that part is removed. */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { resultFailed } from './whole-file.ts';

const BLOCK_BYTES = 1 << 16;

/** Appends bytes to a file. Only one writer at a time is allowed. */
export class AppendedFile {
  readonly path: string;
  readonly #fd: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #bytes: number;

  /**
   * Starts an empty file, or continues an existing one.
   * @param keepBytes how much of an existing file to keep; the rest is cut off
   * @throws FulguriteError `storeFailed`
   */
  constructor(path: string, keepBytes = 0) {
    this.path = path;
    this.#bytes = keepBytes;
    try {
      this.#fd = openSync(path, keepBytes === 0 ? 'w' : 'r+');
      ftruncateSync(this.#fd, keepBytes);
    } catch (error) {
      throw resultFailed(this.path, error);
    }
  }

  /** @throws FulguriteError `storeFailed`; everything that was written before is kept */
  append(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= BLOCK_BYTES) this.flush();
  }

  /** Writes the buffered bytes. @throws FulguriteError `storeFailed` */
  flush(): void {
    const block = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let written = 0; written < block.length; ) {
      try {
        written += writeSync(this.#fd, block, written, block.length - written, this.#bytes + written);
      } catch (error) {
        this.#takeBack();
        throw resultFailed(this.path, error);
      }
    }
    this.#bytes += block.length;
  }

  /** Writes the buffered bytes and closes the file. @throws FulguriteError `storeFailed` */
  close(): void {
    this.flush();
    closeSync(this.#fd);
  }

  /** Removes a partially written block. A device cannot be truncated, so it keeps what was written. */
  #takeBack(): void {
    try {
      ftruncateSync(this.#fd, this.#bytes);
    } catch {
      // Only the error of the write itself matters.
    }
  }
}
