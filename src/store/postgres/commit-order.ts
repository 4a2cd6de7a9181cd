/**
 * How far lists may extend, so that a reader that continues after the last number misses nothing.
 *
 * Sequences assign numbers inside transactions that may commit in a different order. Each transaction takes a shared
 * advisory lock before its number, and holds it until its rows are visible (`schema.ts`). So:
 *   1. The last assigned number is read: n.
 *   2. The transactions that hold the lock are read. A transaction with a number up to n is among them, or has ended.
 *   3. Once all of these have ended, every row up to n that will ever exist is visible. Later transactions have higher
 *      numbers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListOrder } from '../payment-repository.ts';
import { arrayText } from './arrays.ts';
import type { PgStatement, PostgresLine } from './line.ts';
import { storeFailed } from './refusal.ts';
import { ORDER_LOCK, ORDER_SEQUENCES, THIS_SERVER } from './schema.ts';

/** Milliseconds between checks. A commit takes about this long. */
const LOOK_EVERY_MS = 2;
/** Milliseconds after which a reader gives up. The server ends idle transactions after the same time. */
const PATIENCE_MS = 5000;
/** A failover may lose the record of which numbers were assigned, so this many are skipped after it. */
const LOST = 65_536;

const HOLDERS = `
  SELECT virtualtransaction AS holder FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${ORDER_LOCK[0]} AND objid = ${ORDER_LOCK[1]} AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * The highest number of an order up to which every row is visible and no row will be added.
 * @throws FulguriteError storeFailed, also when a transaction stays open for seconds
 */
export async function completeUpTo(line: PostgresLine, order: ListOrder): Promise<number> {
  const [last, holding] = await line.transaction([
    {
      sql: `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM ${ORDER_SEQUENCES[order]}`,
    },
    { sql: HOLDERS },
  ]);
  let holders = holding!.map(({ holder }) => String(holder));
  for (const endsAtMs = performance.now() + PATIENCE_MS; holders.length > 0; ) {
    if (performance.now() > endsAtMs) {
      throw storeFailed(`a transaction of another daemon has been open for ${PATIENCE_MS / 1000} s`);
    }
    await sleep(LOOK_EVERY_MS);
    const left = await line.ask(`${HOLDERS} AND virtualtransaction = ANY ($1::text[])`, [arrayText(holders)]);
    holders = left.map(({ holder }) => String(holder));
  }
  return Number(last![0]!.last);
}

/** Skips numbers if the server has changed. Only the first daemon that runs this after the change skips them. */
export const SKIP_LOST: PgStatement = {
  sql: `WITH before AS (SELECT server FROM number_block WHERE kind = 'order' FOR UPDATE),
    moved AS (UPDATE number_block SET server = ${THIS_SERVER}
      FROM before WHERE kind = 'order' AND before.server <> ${THIS_SERVER} RETURNING before.server)
    SELECT ${Object.values(ORDER_SEQUENCES)
      .map((sequence) => `setval('${sequence}', nextval('${sequence}') + ${LOST})`)
      .join(', ')}
    FROM moved WHERE server <> ''`,
};
