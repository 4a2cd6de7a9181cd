/**
 * Bytes: a bounded reader and a growing writer for big-endian wire formats (BOLT 1, "Fundamental Types"), and
 * the few helpers on byte arrays that the formats share.
 *
 * `u64` values are bigints, shorter integers are numbers. Arrays returned by the reader are views of the input. Copy an
 * array to keep it longer than the input.
 */

import { timingSafeEqual } from 'node:crypto';
import { WireError } from './wire-error.ts';

const U32 = 0x1_0000_0000;
const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** Lower-case hex digits of the bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Decodes hex digits. @throws WireError when the text is not an even number of hex digits. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new WireError('invalid', 'not hex digits');
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/** All parts concatenated, in a new array. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Whether two byte arrays are equal, in time that depends only on their lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares in lexicographic order, as BOLT 7 orders node ids. @returns a negative number, zero or a positive number */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Length in bytes from which working on whole words is faster. */
const WORDS_PAY = 64;

/**
 * target[at + i] ^= source[i] for every byte of `source`, which must fit into `target` at `at`. Works on four bytes at
 * a time if there are at least WORDS_PAY bytes, and both places are aligned to four bytes.
 */
export function xorInto(target: Uint8Array, source: Uint8Array, at = 0): void {
  const inWords = source.length >= WORDS_PAY && ((target.byteOffset + at) | source.byteOffset) % 4 === 0;
  const words = inWords && at + source.length <= target.length ? source.length >> 2 : 0;
  if (words > 0) {
    const to = new Uint32Array(target.buffer, target.byteOffset + at, words);
    const from = new Uint32Array(source.buffer, source.byteOffset, words);
    for (let i = 0; i < words; i++) to[i]! ^= from[i]!;
  }
  for (let i = 4 * words; i < source.length; i++) {
    target[at + i] = (target[at + i] as number) ^ (source[i] as number);
  }
}

/** Decodes the bytes as UTF-8 text. @throws WireError when they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new WireError('invalid', 'not UTF-8');
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads fields from the front of a byte array. Reading past the end throws `WireError`. */
export class ByteReader {
  readonly bytes: Uint8Array;
  /** Position of the next byte to be read. */
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes;
    this.offset = offset;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** The next `length` bytes, as a view. */
  take(length: number): Uint8Array {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /** All bytes that are left, as a view. */
  rest(): Uint8Array {
    return this.take(this.remaining);
  }

  u8(): number {
    return this.bytes[this.advance(1)] as number;
  }

  u16(): number {
    const at = this.advance(2);
    return ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number);
  }

  u32(): number {
    return this.u16() * 0x1_0000 + this.u16();
  }

  u64(): bigint {
    const high = this.u32();
    return (BigInt(high) << 32n) | BigInt(this.u32());
  }

  /** Checks that no bytes are left. @throws WireError when some are. */
  end(): void {
    if (this.remaining !== 0) {
      throw new WireError('trailing', `${this.remaining} bytes too many`, { offset: this.offset });
    }
  }

  private advance(length: number): number {
    const start = this.offset;
    if (length > this.bytes.length - start) {
      throw new WireError('truncated', `${length} bytes expected, ${this.remaining} left`, { offset: start });
    }
    this.offset = start + length;
    return start;
  }
}

/**
 * V8 keeps arrays up to this many bytes in its heap. Larger arrays have separate memory, which takes a microsecond to
 * allocate.
 */
const BYTES_IN_HEAP = 64;

/** Appends fields to a buffer that doubles when it is full. Throws `WireError` for values out of range. */
export class ByteWriter {
  private buffer: Uint8Array;
  private used = 0;

  constructor(capacity = BYTES_IN_HEAP) {
    this.buffer = new Uint8Array(capacity);
  }

  get length(): number {
    return this.used;
  }

  put(bytes: Uint8Array): this {
    const at = this.reserve(bytes.length);
    this.buffer.set(bytes, at);
    return this;
  }

  u8(value: number): this {
    return this.integer(value, 1);
  }

  u16(value: number): this {
    return this.integer(value, 2);
  }

  u32(value: number): this {
    return this.integer(value, 4);
  }

  u64(value: bigint): this {
    if (value < 0n || value > U64_MAX) throw new WireError('invalid', `${value} is not a u64`);
    return this.u32(Number(value >> 32n)).u32(Number(value & 0xffff_ffffn));
  }

  /** The bytes written so far. Later writes do not change them. */
  finish(): Uint8Array {
    // A full buffer is never written again, so it need not be copied.
    return this.used === this.buffer.length ? this.buffer : this.buffer.slice(0, this.used);
  }

  private integer(value: number, length: number): this {
    if (!Number.isInteger(value) || value < 0 || value >= (length === 4 ? U32 : 1 << (8 * length))) {
      throw new WireError('invalid', `${value} is not a u${8 * length}`);
    }
    const at = this.reserve(length);
    for (let i = 0; i < length; i++) this.buffer[at + i] = (value >>> (8 * (length - 1 - i))) & 0xff;
    return this;
  }

  private reserve(length: number): number {
    const at = this.used;
    this.used += length;
    if (this.used > this.buffer.length) {
      const larger = new Uint8Array(Math.max(this.used, 2 * this.buffer.length));
      larger.set(this.buffer.subarray(0, at));
      this.buffer = larger;
    }
    return at;
  }
}
