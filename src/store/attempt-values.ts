/**
 * The values of an attempt's row, in the order that its columns have in SQLite and in PostgreSQL alike. One function
 * serves both, so that a member that is added cannot reach one database and miss the other.
 */
import { encodeText, encodeU64 } from './columns.ts';
import type { AttemptRow } from './payment-record.ts';
import type { SqlValue } from './sql-values.ts';

/** Values for the columns `id, uid, payment, … updated_index, own_node, uncorrected_ppm`; NULL for what is absent. */
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
