/**
 * Columns of values as PostgreSQL's array texts, so that one statement can have many rows: `unnest($1::bigint[])`.
 * Source: PostgreSQL, Arrays, "Array Input and Output Syntax".
 */
import type { PgValue } from './line.ts';

/** One column of rows as an array text. */
export function arrayText(values: readonly PgValue[]): string {
  return `{${values.map(element).join(',')}}`;
}

/** One array text per column, with the column's values in all rows. */
export function columnTexts(rows: readonly (readonly PgValue[])[], width: number): string[] {
  return Array.from({ length: width }, (_, column) => arrayText(rows.map((row) => row[column] ?? null)));
}

function element(value: PgValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) {
    const { buffer, byteOffset, length } = value;
    return `"\\\\x${Buffer.from(buffer, byteOffset, length).toString('hex')}"`;
  }
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  return `${value}`;
}
