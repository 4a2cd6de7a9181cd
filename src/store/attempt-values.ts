/**
 * The values of an attempt's row, in the column order of both SQLite and PostgreSQL. One function serves both
 * databases, so that a new member cannot be forgotten in one of them.
 */
import { encodeText, encodeU64 } from './columns.ts';
import type { AttemptRow } from './payment-record.ts';
import type { SqlValue } from './sql-values.ts';

/** Values for the columns `id, uid, payment, … updated_index, own_node, uncorrected_ppm`; NULL for absent members. */
export const attemptValues = (row: AttemptRow): SqlValue[] => [
  row.createdIndex,
  row.id,
  row.paymentIndex,
  row.partId,
  encodeU64(row.amountMsat),
  encodeU64(row.amountSentMsat),
  row.probabilityPpm,
  row.height,
  Number(row.partOfSeveral),
  row.sessionKey,
  row.path,
  row.status,
  row.failure ?? null,
  row.learned ?? null,
  row.createdAtMs,
  row.completedAtMs ?? null,
  row.updatedIndex ?? null,
  encodeText(row.ownNode),
  row.uncorrectedPpm ?? null,
];
