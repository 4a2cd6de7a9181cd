/** Payments that ended long ago are deleted, in steps, and their sums are kept. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePostgresAddress } from '../../src/store/postgres/address.ts';
import { KnownServer } from '../../src/store/postgres/known-server.ts';
import { loadLibrary, PostgresLine } from '../../src/store/postgres/line.ts';
import { OldPayments } from '../../src/store/postgres/old-payments.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from './postgres-server.ts';

const DAY_MS = 86_400_000;
/** Number of payments: enough for more than two steps. */
const OLD = 1100;

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'old payments', () => {
  let database: PreparedDatabase;
  let store: PostgresStore;
  let line: PostgresLine;
  beforeAll(async () => {
    database = await newPreparedDatabase(await sharedPostgres());
    store = await PostgresStore.open(database.daemon, storeUser('a'));
    line = new PostgresLine(await loadLibrary(), parsePostgresAddress(database.daemon), new KnownServer());
  });
  afterAll(() => {
    store?.close();
    line?.close();
  });

  test('are deleted with their attempts, but not younger and pending ones, and their sums are kept', async () => {
    const now = Date.now();
    const put = (n: number, ageDays: number, status: string, of = 'settled') => {
      const completedAtMs = status === 'pending' ? undefined : now - ageDays * DAY_MS;
      const paymentHash = new Uint8Array(32);
      new DataView(paymentHash.buffer).setUint32(0, n);
      const own = {
        id: `payment ${n}`,
        paymentHash,
        idempotencyKey: undefined,
        singleUseRequestId: undefined,
      };
      const row = { status, completedAtMs, totalMsat: 1_000n, ...own };
      const attempt = attemptRow(n, 0, { id: `attempt ${n}`, status: of, amountSentMsat: 1_010n });
      store.payments.put({}, paymentRow(n, row), [attempt]);
    };
    for (let n = 1; n <= OLD; n++)
      put(n, 31, n % 2 === 0 ? 'complete' : 'failed', n % 2 === 0 ? 'settled' : 'failed');
    put(OLD + 1, 29, 'complete');
    put(OLD + 2, 40, 'pending', 'sent');
    // This payment has its outcome, but one of its HTLCs is still in flight.
    put(OLD + 3, 40, 'complete', 'sent');
    await store.payments.durable();
    expect((await line.ask('SELECT count(*) AS n FROM payment'))[0]!.n).toBe(BigInt(OLD + 3));
    const old = new OldPayments({ line, keepDays: 30 });
    const other = new OldPayments({ line, keepDays: 30 });
    let deleted = 0;
    for (let isMore = true; isMore; ) {
      // Two daemons delete at the same time. Rows that one skipped because the other had locked them remain
      // for the next round.
      const steps = await Promise.all([old.step(), other.step()]);
      deleted += steps.reduce((sum, step) => sum + step.deleted, 0);
      isMore = steps.some((step) => step.isMore || step.deleted > 0);
    }
    expect(deleted).toBe(OLD);
    const left = await store.payments.payments();
    expect(left.map(({ payment }) => payment.createdIndex)).toEqual([OLD + 1, OLD + 2, OLD + 3]);
    const sums =
      await line.ask(`SELECT status, sum(payments)::bigint AS payments, sum(amount_msat)::bigint AS amount,
      sum(sent_msat)::bigint AS sent FROM payment_sum GROUP BY status ORDER BY status`);
    const half = BigInt(OLD / 2);
    expect(sums).toEqual([
      { status: 'complete', payments: half, amount: half * 1_000n, sent: half * 1_010n },
      { status: 'failed', payments: half, amount: half * 1_000n, sent: 0n },
    ]);
    expect(await old.step()).toEqual({ deleted: 0, isMore: false });
  });
});
