/**
 * How values are stored in columns. Unsigned 64-bit integers are stored as signed ones with the same bits. Texts are
 * stored as JSON, because a client can send any string, including NUL and lone surrogates. Absent values are NULL.
 */
import type { SqlValue } from './sql-values.ts';

/** An unsigned 64-bit integer in SQLite's form: the signed integer with the same bits, NULL for `undefined`. */
export function encodeU64(value: bigint | undefined): SqlValue {
  return value === undefined ? null : BigInt.asIntN(64, value);
}

/** The integer written by `encodeU64`, from a column that is not NULL. */
export function decodeU64(column: SqlValue | undefined): bigint {
  return BigInt.asUintN(64, column as bigint);
}

/** A text as JSON, because SQLite cannot store NUL and lone surrogates; NULL for `undefined`. */
export function encodeText(text: string | undefined): SqlValue {
  return text === undefined ? null : JSON.stringify(text);
}

/** The text written by `encodeText`, or `undefined` for NULL. */
export function decodeText(column: SqlValue | undefined): string | undefined {
  return typeof column === 'string' ? (JSON.parse(column) as string) : undefined;
}
