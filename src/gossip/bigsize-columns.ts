/**
 * Reads the inflated bytes of a compressed snapshot: a sequence of bigsize integers (BOLT 1) that form counts, columns
 * of indexes, and template columns. Reading past the end, or a value out of bounds, throws a `graphSource` error with
 * the offset.
 */
import type { FulguriteError } from '../model/errors.ts';
import { graphFileError } from './graph-file.ts';

const U64_MAX = 0xffff_ffff_ffff_ffffn;
const MIN_OF_2_BYTES = 0xfd;
/** Minimum value that may be encoded with this many bytes after the first byte. */
const MIN_OF_WIDTH: Readonly<Record<number, bigint>> = {
  2: BigInt(MIN_OF_2_BYTES),
  4: 0x1_0000n,
  8: 0x1_0000_0000n,
};

/** The values of one attribute. Each entry is stored as an index into `values`. */
export interface TemplateColumn<T extends number | bigint> {
  readonly values: readonly T[];
  readonly indexes: Uint32Array;
}

/** Reads the integers of a snapshot in order. */
export class BigSizeColumns {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly file: string;
  private offset: number;

  constructor(bytes: Uint8Array, offset: number, file: string) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
    this.file = file;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  error(cause: string): FulguriteError {
    return graphFileError(this.file, cause, this.offset);
  }

  count(what: string, most: number): number {
    const value = this.small(what);
    if (value > most) throw this.error(`${what} ${value} exceeds ${most}`);
    return value;
  }

  /** Reads `length` values below `limit`. */
  column(what: string, length: number, limit: number): Uint32Array {
    const values = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      const value = this.small(what);
      if (value >= limit) throw this.error(`${what} ${value} is not below ${limit}`);
      values[i] = value;
    }
    return values;
  }

  /** Reads a list of indexes below `count`, ended by the value `count`. Returns one flag per index. */
  marked(what: string, count: number): Uint8Array {
    const marks = new Uint8Array(count);
    for (;;) {
      const index = this.small(what);
      if (index === count) return marks;
      if (index > count) throw this.error(`${what} ${index} exceeds ${count}`);
      if (marks[index] === 1) throw this.error(`${what} ${index} appears twice`);
      marks[index] = 1;
    }
  }

  /** Reads a table of values up to `most`, then `length` indexes into it. */
  template(what: string, length: number, most = U64_MAX): TemplateColumn<bigint> {
    const valueCount = this.count(`number of ${what} values`, this.remaining);
    const values: bigint[] = [];
    for (let i = 0; i < valueCount; i++) {
      const value = this.big(what);
      if (value > most) throw this.error(`${what} ${value} exceeds ${most}`);
      values.push(value);
    }
    return { values, indexes: this.column(`${what} index`, length, valueCount) };
  }

  /** Checks that everything was read. @throws FulguriteError if bytes are left over */
  end(): void {
    if (this.remaining > 0) throw this.error(`${this.remaining} bytes left over`);
  }

  /** Reads a bigsize of at most 32 bits. A start reads half a million of them, so the usual lengths need no bigint. */
  private small(what: string): number {
    const { bytes, view, offset } = this;
    const first = bytes[offset];
    if (first !== undefined && first < 0xfd) {
      this.offset = offset + 1;
      return first;
    }
    if (first === 0xfd && offset + 2 < bytes.length) {
      const value = view.getUint16(offset + 1);
      if (value >= MIN_OF_2_BYTES) {
        this.offset = offset + 3;
        return value;
      }
    }
    const value = this.big(what);
    if (value > 0xffff_ffffn) throw this.error(`${what} ${value} does not fit in 32 bits`);
    return Number(value);
  }

  private big(what: string): bigint {
    const first = this.bytes[this.offset];
    const width = first === 0xff ? 8 : first === 0xfe ? 4 : first === 0xfd ? 2 : 0;
    if (first === undefined || this.offset + 1 + width > this.bytes.length) {
      throw this.error(`cut short in ${what}`);
    }
    const at = this.offset + 1;
    this.offset = at + width;
    if (width === 0) return BigInt(first);
    const value = this.readWidth(at, width);
    if (value < MIN_OF_WIDTH[width]!) throw this.error(`${what} is not the shortest bigsize`);
    return value;
  }

  private readWidth(at: number, width: number): bigint {
    if (width === 2) return BigInt(this.view.getUint16(at));
    if (width === 4) return BigInt(this.view.getUint32(at));
    return this.view.getBigUint64(at);
  }
}
