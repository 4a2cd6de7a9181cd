/**
 * How values are held in columns. Unsigned 64-bit integers are the signed ones of the same bits. Texts are
 * JSON, because a client can send any string, with NUL and lone surrogates. An absent value is NULL.
 */
import type { SqlValue } from './sql-values.ts';

/** An unsigned 64-bit integer as SQLite holds it: the signed integer of the same bits, NULL for `undefined`. */
export function encodeU64(value: bigint | undefined): SqlValue {
  return value === undefined ? null : BigInt.asIntN(64, value);
}

/** The integer that `encodeU64` wrote, from a column that is not NULL. */
export function decodeU64(column: SqlValue | undefined): bigint {
  return BigInt.asUintN(64, column as bigint);
}

/** A text as JSON, because SQLite cannot hold NUL and lone surrogates; NULL for `undefined`. */
export function encodeText(text: string | undefined): SqlValue {
  return text === undefined ? null : JSON.stringify(text);
}

/** The text that `encodeText` wrote, or `undefined` for NULL. */
export function decodeText(column: SqlValue | undefined): string | undefined {
  return typeof column === 'string' ? (JSON.parse(column) as string) : undefined;
}
