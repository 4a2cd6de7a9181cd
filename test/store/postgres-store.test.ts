/** The store in PostgreSQL under faults: cut links, restarts, wrong databases, roles, and two daemons. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deferred } from '../../src/model/deferred.ts';
import { parsePostgresAddress } from '../../src/store/postgres/address.ts';
import { beginRun } from '../../src/store/postgres/daemon-run.ts';
import type { PostgresDoubt } from '../../src/store/postgres/doubt.ts';
import { KnownServer } from '../../src/store/postgres/known-server.ts';
import { loadLibrary, PostgresLine } from '../../src/store/postgres/line.ts';
import type { NumberBlocks } from '../../src/store/postgres/number-blocks.ts';
import { PostgresPaymentRepository } from '../../src/store/postgres/payment-repository.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/postgres-store.ts';
import { preparePostgres } from '../../src/store/postgres/prepare.ts';
import { POSTGRES_SCHEMA } from '../../src/store/postgres/schema.ts';
import { expectForgotten } from '../forgotten.ts';
import { describeNeeding } from '../needs.ts';
import { CutLink } from './cut-link.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, runAsOwner, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from './postgres-server.ts';

const NODE = '02aa';

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'the store in PostgreSQL', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  const stores: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    database = await newPreparedDatabase(server);
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    await server?.stop();
  });
  const open = async (daemon: string, options: PostgresStoreOptions = {}, url = database.daemon) => {
    const store = await PostgresStore.open(url, storeUser(daemon), options);
    stores.push(store);
    return store;
  };
  /** Runs statements as the owner of the schema. */
  const asOwner = (sql: string) => runAsOwner(server, database, `SET search_path = fulgurite; ${sql}`);

  test('ends a query on a cut link, and works again after the repair', async () => {
    const link = await CutLink.to(server.port);
    const url = new URL(database.daemon);
    url.port = `${link.port}`;
    const store = await open('cut', { questionMs: 300, retryMs: 50 }, url.href);
    const first = store.payments.numbers.next('payment');
    store.payments.put({}, paymentRow(first), []);
    await store.payments.durable();
    link.cut();
    store.payments.put({}, paymentRow(first, { status: 'complete' }), []);
    await expect(store.payments.durable()).rejects.toMatchObject({ name: 'storeFailed' });
    await expect(store.payments.payments()).rejects.toMatchObject({ name: 'storeFailed' });
    link.mend();
    await expect.poll(() => store.drain(0)).toBe(true);
    const filter = { afterIndex: first - 1, limit: 1 };
    expect(await store.payments.payments(filter)).toMatchObject([{ payment: { status: 'complete' } }]);
    link.close();
  });

  test('does not keep an answer in memory for the life of its connection', async () => {
    const address = parsePostgresAddress(database.daemon);
    const line = new PostgresLine(await loadLibrary(), address, new KnownServer());
    const answers: WeakRef<object>[] = [];
    for (let n = 0; n < 4; n++) answers.push(new WeakRef(await line.ask('SELECT $1::bigint AS n', [n])));
    await expectForgotten(answers.slice(0, 3));
    expect(await line.ask('SELECT 1 AS n')).toMatchObject([{ n: 1 }]);
    line.close();
  });

  test('continues to read and write payments after an upgrade has added columns', async () => {
    const store = await open('upgraded');
    const first = store.payments.numbers.next('payment');
    const asLists = async () => [
      await store.payments.payments({ afterIndex: first - 1, limit: 1 }),
      await store.payments.attempts('created', 1, 10),
      await store.payments.outlines!('created', 1, 10, 10),
    ];
    store.payments.put({}, paymentRow(first), [attemptRow(1, first)]);
    await store.payments.durable();
    const before = await asLists();
    await asOwner(`
      ALTER TABLE payment ADD COLUMN of_later_release bigint;
      ALTER TABLE attempt ADD COLUMN of_later_release bigint;`);
    try {
      expect(await asLists()).toEqual(before);
      store.payments.put({}, paymentRow(first, { status: 'complete' }), []);
      await store.payments.durable();
    } finally {
      await asOwner(`
        ALTER TABLE payment DROP COLUMN of_later_release;
        ALTER TABLE attempt DROP COLUMN of_later_release;`);
    }
  });

  test('continues to read everything else after an upgrade has added columns', async () => {
    const store = await open('upgraded-too');
    const { offers, runes } = store;
    const { doubt } = store.payments;
    const read = async () => {
      await doubt.refresh();
      return [
        await Promise.all([offers.offers(), offers.invoiceRequests(), offers.invoices()]),
        await Promise.all([offers.cancelledPeriods(), offers.find(new Uint8Array(32), 'x')]),
        await Promise.all([runes.runes(), runes.blacklist(), runes.outgo()]),
      ];
    };
    const tables = [
      ...['offer', 'invoice_request', 'offer_invoice', 'cancelled_period', 'series'],
      ...['rune', 'rune_blacklist', 'rune_outgo', 'unknown_htlc', 'change_log'],
    ];
    const alter = (how: string) => asOwner(tables.map((table) => `ALTER TABLE ${table} ${how};`).join(''));
    const before = await read();
    await alter('ADD COLUMN of_later_release bigint');
    try {
      expect(await read()).toEqual(before);
    } finally {
      await alter('DROP COLUMN of_later_release');
    }
  });

  test('keeps its queue while the server restarts, and acknowledged changes when it is killed', async () => {
    const store = await open('restart', { retryMs: 50 });
    const index = store.payments.numbers.next('payment');
    store.payments.put({}, paymentRow(index), [attemptRow(index, 0)]);
    await store.payments.durable();
    await server.kill('SIGQUIT');
    store.payments.put({}, paymentRow(index, { status: 'failed' }), []);
    await expect(store.payments.durable()).rejects.toMatchObject({ name: 'storeFailed' });
    await server.start();
    await expect.poll(() => store.drain(0), { timeout: 20_000 }).toBe(true);
    const filter = { afterIndex: index - 1, limit: 1 };
    expect(await store.payments.payments(filter)).toMatchObject([
      { payment: { status: 'failed' }, attempts: [{ status: 'sent' }] },
    ]);
  });

  test('lets one daemon at a time own a payment, and refuses later writes of the other', async () => {
    const [a, b] = [await open('a', { leaseMs: 60_000 }), await open('b', { leaseMs: 60_000 })];
    const index = a.payments.numbers.next('payment');
    const owner = {};
    a.payments.put(owner, paymentRow(index), [attemptRow(index, 0)]);
    await a.payments.durable(owner);
    expect(await b.payments.claim(100)).toEqual([]);
    await asOwner(`UPDATE payment SET until = clock_timestamp() WHERE id = ${index}`);
    const lost: number[] = [];
    a.payments.onLost((one) => lost.push(one));
    expect(await b.payments.claim(100)).toMatchObject([{ fence: 2, before: 'a' }]);

    // The first owner's outcome and next attempt arrive too late, so neither is written.
    const late = [attemptRow(index, 0, { status: 'settled', updatedIndex: 1 }), attemptRow(index, 1)];
    a.payments.put(owner, paymentRow(index, { status: 'complete' }), late);
    await expect(a.payments.durable(owner)).rejects.toMatchObject({ data: { reason: 'leaseLost' } });
    a.payments.put(owner, undefined, late);
    await expect(a.payments.durable(owner)).rejects.toMatchObject({ data: { reason: 'leaseLost' } });
    expect(lost).toEqual([index]);

    const settled = attemptRow(index, 0, { status: 'settled', updatedIndex: 2 });
    b.payments.put(owner, paymentRow(index, { status: 'complete' }), [settled]);
    await b.payments.durable(owner);
    const [record] = await a.payments.payments({ afterIndex: index - 1, limit: 1 });
    expect(record).toMatchObject({ payment: { status: 'complete' }, attempts: [{ updatedIndex: 2 }] });
    expect(record!.attempts).toHaveLength(1);
  });

  /**
   * If the payment were not claimed again, its lease would be renewed forever and it would stay open: no daemon
   * would continue it, and none could claim it.
   */
  test('claims a payment again that it could not read after the first claim', async () => {
    const [a, b] = [await open('claimant'), await open('b', { leaseMs: 60_000 })];
    const index = b.payments.numbers.next('payment');
    b.payments.put({}, paymentRow(index), [attemptRow(index, 0)]);
    await b.payments.durable();
    b.close();
    await asOwner(`UPDATE payment SET until = clock_timestamp() WHERE id = ${index}`);
    const link = await CutLink.to(server.port);
    const address = parsePostgresAddress(database.daemon);
    const line = new PostgresLine(
      await loadLibrary(),
      { ...address, hosts: [{ host: '127.0.0.1', port: link.port }] },
      new KnownServer(),
    );
    // The link is cut between the claim and the query for the claimed payments.
    const questions = {
      ask: (...asked: Parameters<PostgresLine['ask']>) => line.ask(...asked),
      transaction: (...asked: Parameters<PostgresLine['transaction']>) => {
        link.cut();
        return line.transaction(asked[0], 100);
      },
    } as PostgresLine;
    const owner = { daemon: 'c', run: 1, node: NODE, leaseMs: 60_000 };
    const claims = new PostgresPaymentRepository(
      owner,
      { commits: line, questions, doubt: a.payments.doubt as PostgresDoubt },
      a.payments.numbers as NumberBlocks,
    );
    await expect(claims.claim(100)).rejects.toMatchObject({ name: 'storeFailed' });
    link.mend();
    questions.transaction = (...asked) => line.transaction(...asked);
    expect(await claims.claim(100)).toMatchObject([{ fence: 3, before: 'c' }]);
    expect(await claims.claim(100)).toEqual([]);
    claims.close();
    line.close();
    link.close();
  });

  test('an attempt was recorded by a process that has ended once its daemon has started again', async () => {
    const a = await open('recorder');
    const owner = {};
    const index = a.payments.numbers.next('payment');
    const [first, second] = [attemptRow(index, 0), attemptRow(index, 1)];
    a.payments.put(owner, paymentRow(index), [first]);
    await a.payments.durable(owner);
    await asOwner(`UPDATE payment SET until = '-infinity' WHERE id = ${index}`);
    const b = await open('successor');
    expect((await b.payments.claim(1_000)).map(({ record }) => record.payment.createdIndex)).toContain(index);
    // Rewriting a row does not change who recorded it first.
    b.payments.put(owner, undefined, [first, second]);
    await b.payments.durable(owner);
    const ended = async () => [
      await b.payments.hasRecorderEnded(first.createdIndex),
      await b.payments.hasRecorderEnded(second.createdIndex),
    ];
    expect(await ended()).toEqual([false, false]);
    a.close();
    // Its check of the database may have stopped only because it is paused.
    expect(await ended()).toEqual([false, false]);
    await open('recorder');
    expect(await ended()).toEqual([true, false]);
    // An attempt of an earlier release has no recorder.
    await asOwner(`UPDATE attempt SET daemon = NULL, run = NULL WHERE id = ${first.createdIndex}`);
    expect(await ended()).toEqual([false, false]);
  });

  test('a late statement of an earlier start does not end a run', async () => {
    const line = new PostgresLine(
      await loadLibrary(),
      parsePostgresAddress(database.daemon),
      new KnownServer(),
    );
    const stale: (() => Promise<unknown>)[] = [];
    /** Keeps a copy of each statement that begins a run, and sends the earlier copies after the next SELECT. */
    const slow = {
      async ask(...asked: Parameters<PostgresLine['ask']>) {
        const rows = await line.ask(...asked);
        if (asked[0].startsWith('SELECT')) for (const again of stale.splice(0)) await again();
        else if (asked[0].startsWith('UPDATE')) stale.push(() => line.ask(...asked));
        return rows;
      },
    };
    expect(await beginRun(slow, 'late', NODE)).toBe(1);
    expect(await beginRun(slow, 'late', NODE)).toBe(2);
    // This one was sent to begin run 3, and arrives before the statement of the process that begins it.
    const early = { ask: (...asked: Parameters<PostgresLine['ask']>) => line.ask(...asked) };
    stale.push(() => beginRun(early, 'late', NODE));
    expect(await beginRun(slow, 'late', NODE)).toBe(4);
    const [row] = await line.ask('SELECT run FROM daemon WHERE daemon = $1', ['late']);
    expect(Number(row!.run)).toBe(4);
    line.close();
  });

  /**
   * If a daemon claimed payments of its own run, a lone daemon would take over its own payments while it pays them,
   * and its own writes would be refused because of the higher fence.
   */
  test('claims no payment of its own run, for any order of commits and claims', async () => {
    const a = await open('lone');
    const address = parsePostgresAddress(database.daemon);
    const line = new PostgresLine(await loadLibrary(), address, new KnownServer());
    let beforeClaim = async (): Promise<unknown> => undefined;
    let beforeCommit = beforeClaim;
    const questions = {
      async ask(...asked: Parameters<PostgresLine['ask']>) {
        if (asked[0].includes('WITH due')) await beforeClaim();
        return line.ask(...asked);
      },
      transaction: (...asked: Parameters<PostgresLine['transaction']>) => line.transaction(...asked),
    } as PostgresLine;
    const commits = {
      async ask(...asked: Parameters<PostgresLine['ask']>) {
        await beforeCommit();
        return line.ask(...asked);
      },
    } as PostgresLine;
    const payments = new PostgresPaymentRepository(
      { daemon: 'lone', run: 1, node: NODE, leaseMs: 60_000 },
      { commits, questions, doubt: a.payments.doubt as PostgresDoubt },
      a.payments.numbers as NumberBlocks,
    );
    const owner = {};
    const index = payments.numbers.next('payment');
    // The claim is sent, then the payment begins and is committed, then the claim completes.
    beforeClaim = async () => {
      payments.put(owner, paymentRow(index), [attemptRow(index, 0)]);
      await payments.durable(owner);
    };
    expect(await payments.claim(50)).toEqual([]);
    // The payment ends, but its outcome is not committed when the claim completes.
    beforeClaim = async () => undefined;
    let commit = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    beforeCommit = () => held;
    const settled = attemptRow(index, 0, { status: 'settled', updatedIndex: 1 });
    payments.put(owner, paymentRow(index, { status: 'complete' }), [settled]);
    const done = payments.durable(owner);
    expect(await payments.claim(50)).toEqual([]);
    commit();
    await done;
    payments.close();
    line.close();
  });

  /** Data written to a cut link may reach the server after the repair, after all later data. */
  test('does not undo an outcome if an earlier write arrives late', async () => {
    const store = await open('late', { leaseMs: 60_000 });
    const index = store.payments.numbers.next('payment');
    const owner = {};
    const early = () => store.payments.put(owner, paymentRow(index), [attemptRow(index, 0)]);
    early();
    await store.payments.durable(owner);
    const settled = attemptRow(index, 0, { status: 'settled', updatedIndex: 1 });
    store.payments.put(owner, paymentRow(index, { status: 'complete' }), [settled]);
    await store.payments.durable(owner);
    const stored = async () => (await store.payments.payments({ afterIndex: index - 1, limit: 1 }))[0];
    const before = await stored();
    early();
    await store.payments.durable(owner);
    const record = await stored();
    expect(record).toMatchObject({ payment: { status: 'complete' }, attempts: [{ status: 'settled' }] });
    expect(record).toEqual(before);
  });

  test('after a failover, an HTLC is unknown only if its own attempt has no row', async () => {
    const { payments } = await open('matched');
    const [payment, attempt] = [paymentRow(600, { groupId: 2n }), attemptRow(600, 0)];
    payments.put(payments, payment, [attempt]);
    await payments.durable(payments);
    // The network numbers the parts of `sendpay` from 1 in every group, and the rows from 0.
    const sent = { paymentHash: payment.paymentHash, groupId: 2n, partId: 1, amountMsat: 1n };
    await payments.doubt.match([
      { ...sent, attemptId: attempt.id },
      { ...sent, partId: 2, attemptId: 'lost' },
    ]);
    await payments.doubt.refresh();
    expect(payments.doubt.unknown.map(({ attemptId }) => attemptId)).toEqual(['lost']);
    for (const htlc of payments.doubt.unknown) await payments.doubt.ended(htlc, undefined);
  });

  test('a settled HTLC without a row completes its payment, which its former owner can no longer change', async () => {
    const { payments } = await open('completed');
    const row = paymentRow(611);
    payments.put(row, row, [attemptRow(611, 0, { createdAtMs: 2_000_000_000_000 })]);
    await payments.durable(row);
    expect(await payments.doubt.lostSinceMs()).toBe(2_000_000_000_000 - 3_600_000);
    const lost = {
      attemptId: 'lost 611',
      paymentHash: row.paymentHash,
      groupId: 9n,
      partId: 9,
      amountMsat: 1n,
    };
    await payments.doubt.match([lost]);
    await payments.doubt.refresh();
    const [unknown] = payments.doubt.ownUnknown;
    expect(unknown).toMatchObject(lost);
    await payments.doubt.ended(unknown!, row.preimage!);
    await payments.doubt.refresh();
    expect([payments.doubt.unknown.length, payments.doubt.ownUnknown]).toEqual([1, []]);
    payments.put(row, { ...row, status: 'failed' }, []);
    await expect(payments.durable(row)).rejects.toMatchObject({ paymentIndex: 611 });
    const [stored] = await payments.payments({ afterIndex: 610, limit: 1 });
    expect(stored!.payment).toMatchObject({ status: 'complete', preimage: row.preimage });
    await payments.doubt.ended(unknown!, undefined);
  });

  test('waits for the records of a payment before the payment counts as durable', async () => {
    const store = await open('webhooks');
    const owner = server.connect(database.owner);
    const locked = deferred();
    const unlock = deferred();
    const holding = owner.begin(async (sql) => {
      await sql`LOCK TABLE fulgurite.kept_record`;
      locked.resolve();
      await unlock.promise;
    });
    await locked.promise;
    let isDurable = false;
    const index = store.payments.numbers.next('payment');
    store.payments.put(store, paymentRow(index), []);
    store.records.putRecord('notice', { id: 'a webhook and a payment', body: '{}' });
    const durable = store.payments.durable(store).then(() => {
      isDurable = true;
    });
    await expect.poll(async () => (await store.payments.payments({ afterIndex: index - 1 })).length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isDurable).toBe(false);
    unlock.resolve();
    await Promise.all([holding, durable]);
    await owner.end();
  });

  test('renews leases of unfinished payments, and only those', async () => {
    const store = await open('renewing', { leaseMs: 100 });
    const indexes = [0, 1].map(() => store.payments.numbers.next('payment'));
    store.payments.put({}, paymentRow(indexes[0]!), []);
    store.payments.put({}, paymentRow(indexes[1]!, { status: 'complete' }), []);
    await store.payments.durable();
    await asOwner(`UPDATE payment SET until = 'epoch' WHERE id IN (${indexes})`);
    const isRenewed = async () => {
      const rows = await asOwner(
        `SELECT until > 'epoch' AS is_renewed FROM payment WHERE id IN (${indexes}) ORDER BY id`,
      );
      return (rows as unknown as { is_renewed: boolean }[][]).at(-1)!.map((row) => row.is_renewed);
    };
    await expect.poll(isRenewed).toEqual([true, false]);
  });

  test('notifies a daemon of a different node of an abandoned payment, soon after its owner missed a renewal', async () => {
    const leaseMs = 10_000;
    const owner = await open('leaving', { leaseMs });
    const other = await PostgresStore.open(database.daemon, { ...storeUser('asking'), payingNode: '02bb' });
    stores.push(other);
    const index = owner.payments.numbers.next('payment');
    owner.payments.put({}, paymentRow(index), []);
    await owner.payments.durable();
    owner.close();
    const isLeftAfter = async (ms: number) => {
      await asOwner(
        `UPDATE payment SET until = clock_timestamp() + interval '${leaseMs - ms} ms' WHERE id = ${index}`,
      );
      return other.payments.isAbandoned!(index);
    };
    // Renewals come every 2.5 seconds. A caller learns of a missed one within 5 seconds.
    expect(await isLeftAfter(3_000)).toBe(false);
    expect(await isLeftAfter(4_300)).toBe(true);
  });

  test('gives an idempotency key to only one payment among all daemons', async () => {
    const [a, b] = [await open('key-a'), await open('key-b')];
    const [first, second] = [a.payments.numbers.next('payment'), b.payments.numbers.next('payment')];
    expect(first).not.toBe(second);
    const key = { idempotencyKey: 'only once' };
    const [one, other] = [{}, {}];
    a.payments.put(one, paymentRow(first, key), []);
    await a.payments.durable(one);
    b.payments.put(other, paymentRow(second, key), [attemptRow(second, 0)]);
    await expect(b.payments.durable(other)).rejects.toMatchObject({ data: { reason: 'keyTaken' } });
    const found = await b.payments.payments(key);
    expect(found.map(({ payment }) => payment.createdIndex)).toEqual([first]);
  });

  test('has at most one payment per invoice that has not failed, among all daemons', async () => {
    const [a, b] = [await open('hash-a'), await open('hash-b')];
    const invoice = { paymentHash: new Uint8Array(32).fill(201), idempotencyKey: undefined };
    const [first, second] = [a.payments.numbers.next('payment'), b.payments.numbers.next('payment')];
    const [one, other] = [{}, {}];
    // Both daemons write at the same time, and neither knows of the other in advance.
    a.payments.put(one, paymentRow(first, invoice), [attemptRow(first, 0)]);
    b.payments.put(other, paymentRow(second, invoice), [attemptRow(second, 0)]);
    const told = await Promise.allSettled([a.payments.durable(one), b.payments.durable(other)]);
    const refused = told.filter((outcome) => outcome.status === 'rejected');
    const taken = { name: 'storeFailed', what: 'invoice', data: { reason: 'paidElsewhere' } };
    expect(refused).toMatchObject([{ reason: taken }]);
    const isFirst = told[0]!.status === 'fulfilled';
    const [winner, loser] = isFirst ? [a, b] : [b, a];
    const [standing, gone] = isFirst ? [first, second] : [second, first];
    const found = await loser.payments.payments({ paymentHash: invoice.paymentHash });
    expect(found.map(({ payment }) => payment.createdIndex)).toEqual([standing]);
    expect([winner.payments.owns(standing), loser.payments.owns(gone)]).toEqual([true, false]);

    // The payment fails, and the next begins before the failure is written, so that one commit contains both.
    const [again, third] = [winner.payments.numbers.next('payment'), loser.payments.numbers.next('payment')];
    winner.payments.put(one, paymentRow(standing, { ...invoice, status: 'failed' }), []);
    winner.payments.put(other, paymentRow(again, invoice), [attemptRow(again, 0)]);
    await winner.payments.durable(one);
    winner.payments.put(other, paymentRow(again, { ...invoice, status: 'complete' }), []);
    await winner.payments.durable(other);
    const late = {};
    loser.payments.put(late, paymentRow(third, invoice), [attemptRow(third, 0)]);
    await expect(loser.payments.durable(late)).rejects.toMatchObject(taken);
    // A payment that failed before any HTLC left does not block the invoice.
    const vain = {};
    loser.payments.put(vain, paymentRow(third, { ...invoice, status: 'failed' }), []);
    await loser.payments.durable(vain);
  });

  test('has at most one payment per single-use request that has not failed, among all daemons', async () => {
    const [a, b] = [await open('request-a'), await open('request-b')];
    const rows = [a, b, b].map(({ payments }, n) => {
      const state = { paymentHash: new Uint8Array(32).fill(210 + n), idempotencyKey: undefined };
      return paymentRow(payments.numbers.next('payment'), {
        ...state,
        localRequestId: new Uint8Array(32).fill(220),
        singleUseRequestId: n === 2 ? undefined : new Uint8Array(32).fill(220),
      });
    });
    const owners = [{}, {}, {}];
    a.payments.put(owners[0]!, rows[0], []);
    await a.payments.durable(owners[0]);
    b.payments.put(owners[1]!, rows[1], []);
    await expect(b.payments.durable(owners[1])).rejects.toMatchObject({ what: 'request' });
    // Any number of payments may answer a request that is not single-use.
    b.payments.put(owners[2]!, rows[2], []);
    await b.payments.durable(owners[2]);
    a.payments.put(owners[0]!, { ...rows[0]!, status: 'failed' }, []);
    await a.payments.durable(owners[0]);
    const next = {};
    b.payments.put(next, rows[1], []);
    await b.payments.durable(next);
  });

  test('keeps an invoice that was paid twice before the index existed, and prevents a third payment', async () => {
    const old = await newPreparedDatabase(server);
    const owner = server.connect(old.owner);
    const store = await PostgresStore.open(old.daemon, storeUser('old'));
    stores.push(store);
    const invoice = { paymentHash: new Uint8Array(32).fill(230), idempotencyKey: undefined };
    await owner.unsafe(`SET search_path = fulgurite; DROP INDEX payment_standing_hash`);
    for (const [n, status] of ['failed', 'complete', 'pending'].entries()) {
      store.payments.put({}, paymentRow(n + 1, { ...invoice, status }), []);
    }
    await store.payments.durable();
    // The schema of the previous release.
    await owner.unsafe(`SET search_path = fulgurite; DROP INDEX payment_standing_request;
      ALTER TABLE payment DROP COLUMN single_use_request_id, DROP COLUMN was_paid_twice, DROP COLUMN created_order;
      DROP TABLE graph_head, paying_node, unknown_htlc, key_secret, daemon, rune_book, payment_sum, rune_outgo, spent_key,
        fleet, kept_record;
      ALTER TABLE number_block DROP COLUMN server;
      ALTER TABLE attempt DROP COLUMN own_node, DROP COLUMN created_order, DROP COLUMN uncorrected_ppm,
        DROP COLUMN daemon, DROP COLUMN run;
      DELETE FROM number_block WHERE kind = 'order'; DROP SEQUENCE attempt_created_order, attempt_updated_order,
        payment_created_order;
      UPDATE schema_version SET version = 1`);
    await owner.end();
    expect(await preparePostgres(old.owner)).toEqual({
      before: 1,
      now: POSTGRES_SCHEMA.length,
      fleet: expect.stringMatching(/^[0-9a-f]{16}$/),
      hasChecksums: expect.any(Boolean),
    });
    const after = await PostgresStore.open(old.daemon, storeUser('new'));
    stores.push(after);
    const rows = await after.payments.payments({ paymentHash: invoice.paymentHash });
    expect(rows.map(({ payment }) => payment.status)).toEqual(['failed', 'complete', 'pending']);
    const late = {};
    after.payments.put(late, paymentRow(4, invoice), []);
    await expect(after.payments.durable(late)).rejects.toMatchObject({ what: 'invoice' });
  });

  test('resumes its own payments at once after a restart, with a new fence', async () => {
    const before = await open('again', { leaseMs: 60_000 });
    const index = before.payments.numbers.next('payment');
    before.payments.put({}, paymentRow(index), [attemptRow(index, 0)]);
    await before.payments.durable();
    before.close();
    const after = await open('again', { leaseMs: 60_000 });
    const unfinished = await after.payments.unfinished();
    expect(unfinished.map(({ payment }) => payment.createdIndex)).toEqual([index]);
    after.payments.put({}, paymentRow(index, { status: 'failed' }), []);
    await after.payments.durable();
    expect(await asOwner(`SELECT fence FROM payment WHERE id = ${index}`)).toMatchObject([
      {},
      [{ fence: '2' }],
    ]);
  });

  test('refuses a newer schema, an unprepared database and one of a different network, without showing a password', async () => {
    await asOwner('UPDATE schema_version SET version = version + 1');
    await expect(open('x')).rejects.toMatchObject({ problem: 'newer-schema' });
    await expect(preparePostgres(database.owner)).rejects.toMatchObject({ problem: 'newer-schema' });
    await asOwner('UPDATE schema_version SET version = version - 1');
    const empty = await server.newDatabase();
    await expect(open('x', {}, empty)).rejects.toMatchObject({ problem: 'unprepared' });
    const other = PostgresStore.open(database.daemon, { ...storeUser('x'), chain: 'bitcoin' });
    await expect(other).rejects.toMatchObject({ problem: 'foreign' });
    const nowhere = 'postgres://role:unguessable@127.0.0.1:1/nowhere';
    const error = await PostgresStore.open(nowhere, storeUser('x')).catch((one) => one);
    expect(error).toMatchObject({ problem: 'unavailable' });
    expect(JSON.stringify([error.message, error.path, error.cause])).not.toContain('unguessable');
  });

  test('does not permit a daemon to change the schema, nor a solver to read payments', async () => {
    const daemon = server.connect(database.daemon);
    for (const sql of [
      'CREATE TABLE fulgurite.x (n int)',
      'TRUNCATE fulgurite.payment',
      'DELETE FROM fulgurite.offer',
    ]) {
      await expect(daemon.unsafe(sql)).rejects.toMatchObject({ code: '42501' });
    }
    await daemon.end();
    const solver = server.connect(database.solver);
    await solver`SELECT * FROM fulgurite.change_log`;
    await expect(solver`SELECT * FROM fulgurite.payment`).rejects.toMatchObject({ code: '42501' });
    await expect(solver`DELETE FROM fulgurite.change_log`).rejects.toMatchObject({ code: '42501' });
    await solver.end();
  });

  test('recognizes its server, and refuses a standby, a different server, and an old primary', () => {
    const known = new KnownServer();
    const facts = { is_standby: false, system: 7n, timeline: '0000000A' };
    known.check(facts);
    known.check({ ...facts, timeline: '0000000B' });
    const says = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) });
    expect(() => known.check(facts)).toThrow(says('timeline 10'));
    expect(() => known.check({ ...facts, is_standby: true })).toThrow(says('standby'));
    expect(() => known.check({ ...facts, system: 8n })).toThrow(says('a different server'));
  });
});
