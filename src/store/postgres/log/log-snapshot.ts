/**
 * Snapshots of the log's state, so that new readers need not read the log from its beginning, and old rows can be
 * removed.
 *
 * The last two snapshots are kept, and the rows of the log after the older snapshot, so that a reader in the middle of
 * the older snapshot still finds the rows that follow it. If several daemons try to write a snapshot at the same time,
 * only the first one does.
 */
import type { PgStatement, PostgresLine } from '../line.ts';
import { type ChangeRecord, packRecords, unpackRecords } from './log-chunk.ts';

/** Maximum size of a part in bytes. */
const PART_BYTES = 512 * 1024;
/** Number of changes after which a snapshot is due. */
export const SNAPSHOT_AFTER = 100_000;
/** Timeout for a snapshot of millions of changes, in milliseconds. */
const SNAPSHOT_MS = 60_000;

/**
 * Reads the latest snapshot.
 * @returns its records, and the number of the last chunk that they contain; 0 and no records if there is no snapshot
 */
export async function readSnapshot(
  line: PostgresLine,
): Promise<{ readonly seq: number; readonly records: Iterable<ChangeRecord> }> {
  const rows = await line.ask(
    'SELECT seq, bytes FROM snapshot WHERE seq = (SELECT max(seq) FROM snapshot) ORDER BY part',
    [],
    SNAPSHOT_MS,
  );
  const seq = Number(rows[0]?.seq ?? 0);
  const parts = rows.map(({ bytes }) => bytes as Uint8Array);
  return { seq, records: unpackAll(parts) };
}

function* unpackAll(parts: readonly Uint8Array[]): Generator<ChangeRecord, void> {
  for (const part of parts) yield* unpackRecords(part);
}

/** Whether there were enough changes since the last snapshot to write a new one. */
export async function isSnapshotDue(line: PostgresLine, after = SNAPSHOT_AFTER): Promise<boolean> {
  const [row] = await line.ask(
    'SELECT l.changes - s.changes >= $1::bigint AS is_due FROM log_head l, snapshot_head s',
    [after],
  );
  return row!.is_due === true;
}

/**
 * Writes a snapshot, unless another daemon has just written one, and removes what is no longer needed.
 * @param seq number of the last chunk whose changes the records contain
 */
export async function writeSnapshot(
  line: PostgresLine,
  seq: number,
  records: readonly ChangeRecord[],
  after = SNAPSHOT_AFTER,
): Promise<void> {
  const parts = packRecords(records, PART_BYTES);
  // `due.changes` is the number of changes up to this chunk, counted back from the head of the log. The row lock admits
  // one daemon at a time.
  const claim: PgStatement = {
    sql: `
      UPDATE snapshot_head s SET seq = $1::bigint, changes = due.changes
      FROM (SELECT l.changes - coalesce((SELECT sum(c.changes) FROM change_log c WHERE c.seq > $1::bigint), 0) AS changes
        FROM log_head l) AS due
      WHERE s.seq < $1::bigint AND due.changes - s.changes >= $2::bigint`,
    parameters: [seq, after],
  };
  const isOurs = 'EXISTS (SELECT 1 FROM snapshot_head WHERE seq = $1::bigint)';
  await line.transaction(
    [
      claim,
      ...parts.map(
        ({ bytes }, part): PgStatement => ({
          sql: `INSERT INTO snapshot (seq, part, bytes)
          SELECT $1::bigint, $2::int, $3::bytea WHERE ${isOurs} ON CONFLICT DO NOTHING`,
          parameters: [seq, part, bytes],
        }),
      ),
      {
        sql: `DELETE FROM snapshot WHERE seq NOT IN (SELECT DISTINCT seq FROM snapshot ORDER BY seq DESC LIMIT 2)`,
      },
      {
        sql: `DELETE FROM change_log WHERE seq <= (SELECT min(seq) FROM snapshot)
          AND (SELECT count(DISTINCT seq) FROM snapshot) = 2`,
      },
    ],
    SNAPSHOT_MS,
  );
}
