/**
 * Reads SQLite's write-ahead log (sqlite.org/fileformat.html, 4): which pages its committed frames contain. A frame
 * counts if its checksum and those of all frames before it are valid, and if a commit comes with it or after it.
 * Nothing is written.
 *
 *     header of 32 bytes, then frames: header of 24 bytes and a page
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { PAGE_BYTES, pageSum } from './page-sum.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
/** The first word of a log, without its last bit, which indicates whether checksums use big-endian words. */
const MAGIC = 0x377f0682;

/** The committed frames of a log. */
export interface LogPages {
  /** Number of frames up to the last commit. */
  readonly frames: number;
  /** Checksum of the latest state of each page in these frames, by page number. */
  readonly sums: ReadonlyMap<number, number>;
}

/** Reads a log. A log that is missing or has no valid header has no frames. @throws Error of the file system */
export function logPages(path: string): LogPages {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { frames: 0, sums: new Map() };
    throw error;
  }
  try {
    return readFrames(file);
  } finally {
    closeSync(file);
  }
}

function readFrames(file: number): LogPages {
  const sums = new Map<number, number>();
  const header = Buffer.alloc(HEADER_BYTES);
  const none = { frames: 0, sums };
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return none;
  const magic = header.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC || header.readUInt32BE(8) !== PAGE_BYTES) return none;
  const mustSwap = ((magic & 1) === 1) !== (endianness() === 'BE');
  const chain = new ChecksumChain(mustSwap);
  chain.add(header, 0, 24);
  if (!chain.equals(header, 24)) return none;
  let frames = 0;
  // Frames after the last commit, until their own commit is read.
  const uncommitted = new Map<number, number>();
  const frame = Buffer.alloc(FRAME_BYTES);
  for (let index = 0; ; index++) {
    const place = HEADER_BYTES + index * FRAME_BYTES;
    if (readSync(file, frame, 0, FRAME_BYTES, place) < FRAME_BYTES) break;
    if (frame.compare(header, 16, 24, 8, 16) !== 0) break;
    chain.add(frame, 0, 8);
    chain.add(frame, FRAME_HEADER_BYTES, FRAME_BYTES);
    if (!chain.equals(frame, 16)) break;
    const number = frame.readUInt32BE(0);
    uncommitted.set(number, pageSum(number, frame.subarray(FRAME_HEADER_BYTES)));
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, sum] of uncommitted) sums.set(page, sum);
    uncommitted.clear();
    frames = index + 1;
  }
  return { frames, sums };
}

/**
 * SQLite's checksum of a log: two 32-bit sums over pairs of words. The checksum of each frame continues that of the
 * previous frame.
 */
class ChecksumChain {
  readonly #mustSwap: boolean;
  /**
   * The bytes as words. One copy per frame would leave 4 MB of array buffers behind for each checkpoint. They are outside
   * V8's heap, so they are not collected soon, and they fragment the heap of the C library.
   */
  readonly #words = new Uint32Array(PAGE_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  readonly #bytes = Buffer.from(this.#words.buffer);
  #first = 0;
  #second = 0;

  constructor(mustSwap: boolean) {
    this.#mustSwap = mustSwap;
  }

  add(bytes: Buffer, start: number, end: number): void {
    const words = this.#words;
    const length = bytes.copy(this.#bytes, 0, start, end);
    if (this.#mustSwap) this.#bytes.subarray(0, length).swap32();
    let first = this.#first;
    let second = this.#second;
    for (let index = 0; index < length / Uint32Array.BYTES_PER_ELEMENT; index += 2) {
      first = (first + words[index]! + second) | 0;
      second = (second + words[index + 1]! + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second;
  }
}
