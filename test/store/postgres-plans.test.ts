/**
 * How PostgreSQL executes the frequent queries of daemons, after many payments: no statement reads a large
 * table from end to end, and none reads more than ten times the rows that it needs.
 *
 * The statements are those that the program sends: they are recorded while real repositories work, and
 * explained with the same values on a table with real statistics. Both kinds of plan are checked, because
 * PostgreSQL may choose either for a prepared statement: the custom plan for these values, and the generic
 * plan.
 *
 * FULGURITE_TEST_PAYMENTS=1000000 uses a million payments instead of a hundred thousand, and
 * FULGURITE_TEST_FILLED keeps the filled database (`filled-database.ts`).
 */
import { tmpdir } from 'node:os';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseStatus } from '../../src/fleet/status.ts';
import type { PgStatement } from '../../src/store/postgres/line.ts';
import { PostgresLine } from '../../src/store/postgres/line.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { OWN_ID as NODE } from '../fleet/chaos/world.ts';
import { describeNeeding } from '../needs.ts';
import { startFilled } from './filled-database.ts';
import { clockedBook } from './layer-actions.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import type { PreparedDatabase } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer } from './postgres-server.ts';

const PAYMENTS = Number(process.env.FULGURITE_TEST_PAYMENTS ?? 100_000);
/** Number of payments in progress: of the querying daemon, and of a second daemon. */
const UNDER_WAY = 100;
/** A table with at most this many rows may be read from end to end. */
const SMALL = 1000;
/** Maximum number of rows that a statement may read per row that it needs. */
const MAX_FACTOR = 10;
/** Maximum number of rows that a statement may read if it needs none. */
const FEW = 10;
/** SQLSTATE. */
const UNIQUE_VIOLATION = '23505';
const LONG_MS = 600_000 + PAYMENTS;

/** A node of a plan (PostgreSQL, "Using EXPLAIN", FORMAT JSON). */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Reading {
  readonly sql: string;
  /** Number of rows that table scans examined. */
  readonly read: number;
  readonly needed: number;
  /** Large tables that were read from end to end. */
  readonly wholeTables: readonly string[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'a database of many payments', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  let owner: postgres.Sql;
  const stores: PostgresStore[] = [];
  const rowsOf = new Map<string, number>();

  const open = async (daemon: string) => {
    const user = { daemon, ownNode: daemon, payingNode: NODE, network: 'simulated', chain: 'regtest' };
    const store = await PostgresStore.open(database.daemon, user, { leaseMs: 3_600_000, pollMs: 50 });
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    const settings = ['max_wal_size=4GB', 'shared_buffers=256MB', 'max_parallel_workers_per_gather=0'];
    const filled = { payments: PAYMENTS, node: NODE, parent: tmpdir(), settings };
    ({ server, database } = await startFilled(filled));
    owner = server.connect(database.owner);
    await owner`SET search_path = fulgurite`;
    for (const [table, kept] of Object.entries({ payment: PAYMENTS, attempt: PAYMENTS })) {
      rowsOf.set(table, kept);
    }
  }, LONG_MS);
  afterAll(async () => {
    vi.restoreAllMocks();
    for (const store of stores) store.close();
    await owner?.end();
    await server?.stop();
  });

  /** The statements that are sent during `work`, without repetitions. */
  async function sentDuring(work: () => Promise<unknown>): Promise<PgStatement[]> {
    const sent = new Map<string, PgStatement>();
    const note = (statement: PgStatement) => void sent.set(statement.sql, statement);
    const { ask, transaction } = PostgresLine.prototype;
    vi.spyOn(PostgresLine.prototype, 'ask').mockImplementation(function (this: PostgresLine, ...asked) {
      note({ sql: asked[0], parameters: asked[1] ?? [] });
      return ask.apply(this, asked);
    });
    vi.spyOn(PostgresLine.prototype, 'transaction').mockImplementation(function (
      this: PostgresLine,
      ...asked
    ) {
      for (const statement of asked[0]) note(statement);
      return transaction.apply(this, asked);
    });
    await work().finally(() => vi.restoreAllMocks());
    return [...sent.values()].filter(({ sql }) => !/^\s*(SET|BEGIN|COMMIT|LISTEN|NOTIFY)/.test(sql));
  }

  async function plan(
    sql: string,
    values: postgres.ParameterOrJSON<never>[],
    options = 'ANALYZE, ',
  ): Promise<{ readonly Plan: PlanNode }> {
    try {
      const [row] = await owner.unsafe(`EXPLAIN (${options}FORMAT JSON) ${sql}`, values, { prepare: false });
      return (row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!;
    } catch (error) {
      // A chunk of the log cannot be appended twice, but the plan of the statement is already known.
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION || options === '') throw error;
      await owner.unsafe('ROLLBACK; BEGIN');
      return plan(sql, values, '');
    }
  }

  async function explained({ sql, parameters = [] }: PgStatement): Promise<Reading> {
    const values = parameters as unknown as postgres.ParameterOrJSON<never>[];
    await owner.unsafe('BEGIN');
    try {
      const { Plan } = await plan(sql, values);
      const scans = nodesOf(Plan).filter(
        (node) => node['Relation Name'] !== undefined && / Scan$/.test(node['Node Type']),
      );
      const looked = (node: PlanNode) =>
        (node['Actual Loops'] ?? 0) *
        ((node['Actual Rows'] ?? 0) +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0));
      const written = nodesOf(Plan).filter((node) => node['Node Type'] === 'ModifyTable');
      const changed = written.flatMap(({ Plans = [] }) => Plans).reduce((sum, node) => sum + looked(node), 0);
      return {
        sql,
        read: scans.reduce((sum, node) => sum + looked(node), 0),
        needed: Math.max(looked(Plan), changed),
        wholeTables: scans
          .filter((node) => node['Node Type'] === 'Seq Scan')
          .filter((node) => (rowsOf.get(node['Relation Name']!) ?? looked(node)) > SMALL)
          .map((node) => node['Relation Name']!),
      };
    } finally {
      await owner.unsafe('ROLLBACK');
    }
  }

  /**
   * @param needed number of rows that the statement may need though it returns fewer, such as pending
   *   payments that are not due
   */
  async function expectFrugal(statements: readonly PgStatement[], needed = FEW): Promise<void> {
    expect(statements.length).toBeGreaterThan(0);
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await owner.unsafe(`SET plan_cache_mode = ${mode}`);
      for (const statement of statements) {
        const { sql, read, needed: found, wholeTables } = await explained(statement);
        const most = MAX_FACTOR * Math.max(found, needed);
        expect({ mode, sql, wholeTables, isFrugal: read <= most || `${read} > ${most}` }).toEqual({
          ...{ mode, sql, wholeTables: [], isFrugal: true },
        });
      }
    }
  }

  /** Payments without an outcome, each with an attempt in flight. */
  async function begin(store: PostgresStore): Promise<number[]> {
    const indexes = Array.from({ length: UNDER_WAY }, () => store.payments.numbers.next('payment'));
    for (const index of indexes) {
      store.payments.put({}, paymentRow(index), [attemptRow(index, 0)]);
    }
    await store.payments.durable();
    return indexes;
  }

  test('gets frugal queries from daemons that pay', { timeout: LONG_MS }, async () => {
    const [one, other] = [await open('one'), await open('other')];
    const indexes = await begin(one);
    await begin(other);
    const [index] = indexes;
    const { payments } = one;
    const statements = await sentDuring(async () => {
      const settled = attemptRow(index!, 0, {
        status: 'settled',
        updatedIndex: payments.numbers.next('updated'),
      });
      payments.put({}, paymentRow(index!, { status: 'complete' }), [settled]);
      await payments.durable();
      await payments.payments({ idempotencyKey: 'key 77', limit: 1 });
      await payments.payments({ paymentHash: paymentRow(index!).paymentHash, afterIndex: 0, limit: 50 });
      await payments.payments({ localRequestId: new Uint8Array(32), afterIndex: 0, limit: 50 });
      await payments.payments({ afterIndex: index! - 1, limit: 1 });
      await payments.lastIndexes();
      await payments.doubt.refresh();
      for (let n = 0; n < 600; n++) payments.numbers.next('payment');
      const { book } = clockedBook();
      await one.layers.attach(book);
      book.createLayer('lessons', true);
      await one.layers.log!.durable();
    });
    await expectFrugal(statements);
  });

  test('gets frugal queries from daemons that look for pending payments', { timeout: LONG_MS }, async () => {
    const [one, other] = [await open('three'), await open('four')];
    await begin(one);
    await begin(other);
    const statements = await sentDuring(async () => {
      await one.payments.claim(50);
      await one.payments.unfinished();
      await vi.waitFor(async () => databaseStatus(database.daemon), { timeout: 20_000 });
    });
    // All pending payments are read, of all daemons.
    await expectFrugal(statements, 4 * UNDER_WAY);
  });

  test('gets frugal queries for lists', { timeout: LONG_MS }, async () => {
    const one = await open('five');
    await begin(one);
    const all = 3 * PAYMENTS;
    const statements = await sentDuring(async () => {
      const { payments } = one;
      await payments.payments({ status: 'pending', afterIndex: 0, limit: 50 });
      await payments.payments({ afterIndex: 0, limit: 50 });
      await payments.payments({ afterIndex: PAYMENTS, limit: 50 });
      await payments.outlines('created', PAYMENTS / 2, 100, 100);
      await payments.outlines('updated', PAYMENTS / 2, 100, 100);
      await payments.outlines('created', 1, all, 100, { attemptStatus: 'sent' });
      await payments.outlines('created', 1, all, 100, { paymentStatus: 'pending' });
      await payments.attempts('created', PAYMENTS / 2, 50);
      const last = await payments.completeUpTo('recorded');
      await payments.recorded(PAYMENTS / 2, last, 50);
      await payments.recordedBefore(last, 50);
    });
    await expectFrugal(statements, 4 * UNDER_WAY);
  });
});
