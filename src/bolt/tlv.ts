/**
 * TLV streams (BOLT 1, "Type-Length-Value Format"): records of bigsize type, bigsize length and value, with strictly
 * increasing types. A reader refuses unknown even types and keeps records of unknown odd types.
 *
 * A format is a table with the type number and value coding of each field name. `tlvCodec` makes typed functions
 * `encode` and `decode` from the table. Further rules about a stream's contents are checked where it is used.
 */

import { bigSizeLength, readBigSize, readLength, writeBigSize } from './bigsize.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { ValueCoding } from './coding.ts';
import { WireError } from './wire-error.ts';

/** One record of a stream: its type, and the bytes of its value. */
export interface TlvRecord {
  readonly type: bigint;
  readonly value: Uint8Array;
}

/** A known field: its type, and the coding of its value. */
export interface TlvField<V> extends ValueCoding<V> {
  readonly type: bigint;
}

/** The known fields of a stream, by name. */
// biome-ignore lint/suspicious/noExplicitAny: a table mixes fields of every value type; each keeps its own
export type TlvTable = Readonly<Record<string, TlvField<any>>>;

/** The object that a table describes. Every field is optional. */
export type TlvValues<T extends TlvTable> = {
  -readonly [K in keyof T]?: T[K] extends TlvField<infer V> ? V : never;
};

/** The content of a stream: the known fields by name, and the unknown records. */
export interface DecodedTlv<T extends TlvTable> {
  readonly values: TlvValues<T>;
  /** Records of unknown types, in order. */
  readonly unknown: readonly TlvRecord[];
}

/** Writes and reads the streams of one table. */
export interface TlvCodec<T extends TlvTable> {
  readonly table: T;
  /** Encodes the fields present in `values` and the extra records as one stream, in order of type. */
  encode(values: TlvValues<T>, extra?: readonly TlvRecord[]): Uint8Array;
  /**
   * Reads a stream.
   * @param acceptEven selects the unknown even types to keep. Others are refused.
   * @throws WireError
   */
  decode(bytes: Uint8Array, acceptEven?: (type: bigint) => boolean): DecodedTlv<T>;
}

/**
 * All records of a stream. Only the form is checked: shortest numbers, increasing types, complete values.
 * @param mostRecords maximum number of records to read
 * @throws WireError
 */
export function decodeTlvStream(bytes: Uint8Array, mostRecords?: number): TlvRecord[] {
  const records: TlvRecord[] = [];
  const add = (type: bigint, _start: number, valueStart: number, end: number): void => {
    records.push({ type, value: bytes.subarray(valueStart, end) });
  };
  eachTlvRecord(bytes, add, mostRecords);
  return records;
}

/**
 * Calls back for each record of a stream, with its type and where it starts, its value starts, and both end. Checks the
 * form as `decodeTlvStream` does, but creates no objects for the records.
 * @throws WireError
 */
export function eachTlvRecord(
  bytes: Uint8Array,
  visit: (type: bigint, start: number, valueStart: number, end: number) => void,
  mostRecords = Number.POSITIVE_INFINITY,
): void {
  const reader = new ByteReader(bytes);
  let last = -1n;
  for (let count = 0; reader.remaining > 0; count++) {
    const offset = reader.offset;
    if (count >= mostRecords) throw new WireError('tooLong', `more than ${mostRecords} records`, { offset });
    const type = readBigSize(reader);
    if (type <= last)
      throw new WireError('order', `type ${type} must not follow type ${last}`, { tlvType: type, offset });
    let length: number;
    try {
      length = readLength(reader);
    } catch (error) {
      throw atField(error, type, offset);
    }
    const valueStart = reader.offset;
    reader.offset += length;
    visit(type, offset, valueStart, reader.offset);
    last = type;
  }
}

/** Writes records as a stream. @throws WireError when types are not strictly increasing. */
export function encodeTlvStream(records: readonly TlvRecord[]): Uint8Array {
  let length = 0;
  for (const { type, value } of records) length += tlvRecordLength(type, value.length);
  const writer = new ByteWriter(length);
  let last = -1n;
  for (const { type, value } of records) {
    if (type <= last)
      throw new WireError('order', `type ${type} must not follow type ${last}`, { tlvType: type });
    writeBigSize(writer, type);
    writeBigSize(writer, value.length).put(value);
    last = type;
  }
  return writer.finish();
}

/** The encoded length of a record with a value of `length` bytes. */
export function tlvRecordLength(type: bigint, length: number): number {
  return bigSizeLength(type) + bigSizeLength(length) + length;
}

/**
 * The codec of a table of fields.
 * @param mostRecords maximum number of records in a stream to read, including records of unknown types
 */
export function tlvCodec<const T extends TlvTable>(table: T, mostRecords?: number): TlvCodec<T> {
  const fields = Object.entries(table).map(([name, field]) => ({ name, field }));
  const fieldOf = new Map(fields.map((one) => [one.field.type, one]));
  const fieldNamed = new Map(Object.entries(table));
  return {
    table,
    encode(values, extra = []) {
      const records = [...extra];
      // A stream has few of the many fields of its table, so the names are looked up in the table, not the other way.
      for (const [name, value] of Object.entries(values)) {
        const field = value === undefined ? undefined : fieldNamed.get(name);
        if (field !== undefined) records.push({ type: field.type, value: field.encode(value) });
      }
      return encodeTlvStream(records.sort(byType));
    },
    decode(bytes, acceptEven = () => false) {
      const values: Record<string, unknown> = {};
      const unknown: TlvRecord[] = [];
      for (const record of decodeTlvStream(bytes, mostRecords)) {
        const known = fieldOf.get(record.type);
        if (known !== undefined) {
          values[known.name] = decodeField(known.field, record, bytes);
        } else if ((record.type & 1n) === 1n || acceptEven(record.type)) {
          unknown.push(record);
        } else {
          throw new WireError('unknownEven', `type ${record.type} is even and unknown`, {
            tlvType: record.type,
            offset: offsetOf(record, bytes),
          });
        }
      }
      return { values: values as TlvValues<T>, unknown };
    },
  };
}

function byType(a: { readonly type: bigint }, b: { readonly type: bigint }): number {
  return a.type < b.type ? -1 : 1;
}

function decodeField<V>(field: TlvField<V>, record: TlvRecord, stream: Uint8Array): V {
  try {
    return field.decode(record.value);
  } catch (error) {
    throw atField(error, record.type, offsetOf(record, stream));
  }
}

/** Offset of a record in its stream. The record's value must be a view of the stream. */
function offsetOf(record: TlvRecord, stream: Uint8Array): number {
  const head = bigSizeLength(record.type) + bigSizeLength(record.value.length);
  return record.value.byteOffset - stream.byteOffset - head;
}

function atField(error: unknown, tlvType: bigint, offset: number): unknown {
  if (!(error instanceof WireError)) return error;
  return new WireError(error.reason, `type ${tlvType}: ${error.message}`, { tlvType, offset });
}
