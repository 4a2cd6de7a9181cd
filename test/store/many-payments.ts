/**
 * Fills a prepared database with the payments of a long history: copies of a payment that the program itself
 * wrote, with different ids, hashes and times. Most are complete, some failed. Each has one attempt, and
 * every third also has a failed attempt.
 */
import type postgres from 'postgres';
import { ORDER_SEQUENCES } from '../../src/store/postgres/schema.ts';

/** The history to create. */
export interface History {
  readonly payments: number;
  /** Index of the payment to copy, which has one settled attempt. */
  readonly template: number;
}

/** First index of the copies. Daemons later take higher numbers. */
const FIRST = 10_000;

/**
 * SQL expressions for the columns of copy n of the template. Each payment is a minute older than the next one, and
 * the newest is as old as the template.
 */
const PAYMENT = {
  id: `${FIRST} + n`,
  uid: "'h' || n",
  payment_hash: "sha256(('h' || n)::bytea)",
  group_id: 'n',
  idempotency_key: "to_json('key ' || n)::text",
  status: "CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'complete' END",
  created_at: 't.created_at - 60000 * ($1::bigint - n)',
  completed_at: 't.created_at - 60000 * ($1::bigint - n) + 400',
  created_order: `${FIRST} + n`,
};

const attempt = (first: string, status: string): Record<string, string> => ({
  id: `${first} + n`,
  uid: `'a' || (${first} + n)`,
  payment: `${FIRST} + n`,
  status,
  created_at: 't.created_at - 60000 * ($1::bigint - n)',
  completed_at: 't.created_at - 60000 * ($1::bigint - n) + 400',
  updated_index: `${first} + n`,
  created_order: `${first} + n`,
});

/** Constraints that have an index or use one. */
const CONSTRAINTS = `
  SELECT conrelid::regclass::text AS on, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE conrelid IN ('payment'::regclass, 'attempt'::regclass) AND contype IN ('p', 'u', 'f') ORDER BY contype = 'f'`;

/** Indexes that do not belong to a constraint. */
const INDEXES = `
  SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
  WHERE indrelid IN ('payment'::regclass, 'attempt'::regclass)
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`;

/** Drops the indexes, does the work, and recreates the indexes. That is much faster. */
async function withoutIndexes(sql: postgres.Sql, work: () => Promise<void>): Promise<void> {
  const constraints = await sql.unsafe(CONSTRAINTS);
  const indexes = await sql.unsafe(INDEXES);
  for (const { on, name } of [...constraints].reverse()) {
    await sql.unsafe(`ALTER TABLE ${on} DROP CONSTRAINT ${name}`);
  }
  for (const { name } of indexes) await sql.unsafe(`DROP INDEX ${name}`);
  await work();
  await sql.unsafe("SET maintenance_work_mem = '512MB'");
  for (const { on, name, definition } of constraints) {
    await sql.unsafe(`ALTER TABLE ${on} ADD CONSTRAINT ${name} ${definition}`);
  }
  for (const { definition } of indexes) await sql.unsafe(definition);
}

/** Adds the history. @param sql a connection as the owner of the tables */
export async function fillPayments(sql: postgres.Sql, history: History): Promise<void> {
  await sql.unsafe('SET search_path = fulgurite');
  await withoutIndexes(sql, () => copyTemplate(sql, history));
  await sql.unsafe('VACUUM ANALYZE payment');
  await sql.unsafe('VACUUM ANALYZE attempt');
}

async function copyTemplate(sql: postgres.Sql, { payments, template }: History): Promise<void> {
  const copy = async (table: string, values: Record<string, string>, which: string, series: string) => {
    const rows = await sql`SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = 'fulgurite' AND table_name = ${table} AND is_generated = 'NEVER'`;
    const columns = rows.map(({ name }) => String(name));
    await sql.unsafe(
      `INSERT INTO ${table} (${columns.join(', ')})
       SELECT ${columns.map((name) => values[name] ?? `t.${name}`).join(', ')}
       FROM (SELECT * FROM ${table} WHERE ${which} LIMIT 1) t, ${series} AS n`,
      [payments],
    );
  };
  const all = 'generate_series(1, $1::bigint)';
  await copy('payment', PAYMENT, `id = ${template}`, all);
  const settled = "CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'settled' END";
  await copy('attempt', attempt(`${FIRST}`, settled), `payment = ${template}`, all);
  const more = attempt(`${FIRST} + $1::bigint`, "'failed'");
  await copy('attempt', more, `payment = ${template}`, 'generate_series(1, $1::bigint, 3)');
  const next = FIRST + 2 * payments + 1;
  await sql.unsafe(`UPDATE number_block SET next = greatest(next, ${next})`);
  const counts = Object.values(ORDER_SEQUENCES).map((sequence) => `setval('${sequence}', ${next})`);
  await sql.unsafe(`SELECT ${counts.join(', ')}`);
}
