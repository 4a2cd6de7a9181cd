/**
 * The log of changes in PostgreSQL: daemons on one database hold the same layers, regardless of how they
 * learn of changes, and lost or damaged entries are detected by their numbers.
 */
import { Packr } from 'msgpackr/pack';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { layerJson } from '../../src/commands/layers/askrene-listing.ts';
import type { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import type { ChangeLog, LogEntry } from '../../src/store/postgres/log/change-log.ts';
import { CHUNK_BYTES } from '../../src/store/postgres/log/log-chunk.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { CutLink } from './cut-link.ts';
import { act, clockedBook, randomFrom, snapshot } from './layer-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, runAsOwner } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, sharedPostgres } from './postgres-server.ts';

const OF = parseShortChannelIdDir('1x1x1/0')!;
const packr = new Packr({ useRecords: false, int64AsType: 'bigint' });
/** Bytes that are not a chunk, and chunks with a record that cannot be applied. */
const MALFORMED_CHUNKS: readonly Uint8Array[] = [
  new Uint8Array(),
  Uint8Array.of(0xc1),
  ...[null, 7, 'text', {}, [null], [7], ['create'], [['create', 'no JSON']]].map((value) =>
    packr.pack(value),
  ),
  ...[
    ['create', '5'],
    ['change', 1, null],
    ['change', 1, { type: 'inform', shortChannelId: 1n, direction: 2, kind: 'minimum' }],
    ['change', 1.5, { type: 'disableNode', node: '02'.padEnd(66, '1') }],
    ['nodes', new Uint8Array(32)],
    ['channel', 'x', 0, 1, 5n, null],
    ['policy', 1n, 0, true],
  ].map((record) => packr.pack([record])),
];
/** A delay in milliseconds that does not pass during a test. */
const NEVER = 3_600_000;

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'the log of changes', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  let stores: PostgresStore[] = [];
  beforeAll(async () => {
    server = await sharedPostgres();
  });
  beforeEach(async () => {
    database = await newPreparedDatabase(server);
  });
  const closeAll = (): void => {
    for (const store of stores) store.close();
    stores = [];
  };
  afterEach(closeAll);
  afterAll(closeAll);

  /** A daemon's layers. */
  async function daemon(options: PostgresStoreOptions = {}, url = database.daemon) {
    const name = `d${stores.length}`;
    const user = { daemon: name, ownNode: name, payingNode: name, network: 'none', chain: 'regtest' };
    const store = await PostgresStore.open(url, user, {
      pollMs: NEVER,
      listens: false,
      retryMs: 20,
      ...options,
    });
    stores.push(store);
    const { book, at } = clockedBook();
    await store.layers.attach(book);
    const log: ChangeLog = store.layers.log!;
    return { store, book, at, log, layers: store.layers.followed(book) };
  }

  const asOwner = (sql: string) => runAsOwner(server, database, `SET search_path = fulgurite; ${sql}`);

  /** Cells that an engine's workers would get for these layers, by layer name. */
  const cells = (book: LayerBook) =>
    [...book.layers()].map(({ id, name }) => ({
      name,
      channels: [...book.cells(id).channelIds].sort().map((one) => [one, book.channelCell(id, one)]),
      nodes: [...book.cells(id).nodeIds].sort().map((one) => [one, book.nodeCell(id, one)]),
    }));

  /** The answer of `askrene-listlayers`. */
  const listed = (book: LayerBook): string => toJson([...book.layers()].map((layer) => layerJson(layer)));

  test('leaves three daemons that change layers at random equal to each other and to a replay from the start', async () => {
    const random = randomFrom(7);
    const daemons = [await daemon(), await daemon(), await daemon({ pollMs: 5 })];
    for (let step = 0; step < 400; step++) {
      const { book, at, log } = daemons[random(3)]!;
      act(book, at, step, random);
      if (random(10) === 0) await log.durable();
    }
    await Promise.all(daemons.map(({ log }) => log.durable()));
    const head = Math.max(...daemons.map(({ log }) => log.position));
    for (const { layers } of daemons) expect(await layers.reach(head, 5000)).toBe(true);
    const replayed = await daemon();
    const wanted = snapshot(replayed.book);
    for (const { book } of daemons) {
      expect(snapshot(book)).toBe(wanted);
      expect(listed(book)).toBe(listed(replayed.book));
      expect(cells(book)).toEqual(cells(replayed.book));
    }
  });

  test('has numbers without gaps for any order of commits; chunks stay small', async () => {
    const daemons = [await daemon(), await daemon()];
    const layers = daemons.map(({ book }, index) => book.createLayer(`layer ${index}`, true));
    for (let round = 0; round < 20; round++) {
      for (const [index, { book }] of daemons.entries()) {
        book.informChannel(layers[index]!, OF, msat(round), 'succeeded');
      }
      await Promise.all(daemons.map(({ log }) => log.durable()));
    }
    const note = 'x'.repeat(4000);
    for (let n = 0; n < 300; n++) {
      const of = parseShortChannelIdDir(`${n}x1x1/0`)!;
      daemons[0]!.book.biasChannel(layers[0]!, of, { bias: 1, relative: false, description: note });
    }
    await daemons[0]!.log.durable();
    const rows = await asOwner('SELECT seq, length(chunk) AS bytes FROM change_log ORDER BY seq');
    const counted = (rows as unknown as { seq: string; bytes: number }[][]).at(-1)!;
    expect(counted.map(({ seq }) => Number(seq))).toEqual(counted.map((_, index) => index + 1));
    expect(Math.max(...counted.map(({ bytes }) => bytes))).toBeLessThanOrEqual(CHUNK_BYTES);
    expect(counted.length).toBeGreaterThan(40);
  });

  test('applies entries that arrive late, twice or out of order once each, in the order of their numbers', async () => {
    const [one, other] = [await daemon(), await daemon()];
    const entries: LogEntry[] = [];
    one.log.onCommitted((entry) => entries.push(entry));
    const layer = one.book.createLayer('x', true);
    for (let n = 0; n < 4; n++) {
      one.book.informChannel(layer, OF, msat(n), 'succeeded');
      await one.log.durable();
    }
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    other.log.receive(entries[0]!);
    expect(other.layers.position).toBe(1);
    // The second entry is lost. When the third arrives, the reader fetches the second.
    other.log.receive(entries[2]!);
    expect(await other.layers.reach(4, 5000)).toBe(true);
    for (const entry of [...entries].reverse()) other.log.receive(entry);
    expect(snapshot(other.book)).toBe(snapshot(one.book));
  });

  test('commits lessons of several payments together, unless a caller waits or a change of a different kind arrives', async () => {
    const one = await daemon({ gatherMs: NEVER });
    const sizes: number[] = [];
    one.log.onCommitted(({ seq }) => sizes.push(seq));
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    const learn = (n: number) => one.book.informChannel(layer, OF, msat(n), 'succeeded');
    for (let n = 1; n <= 5; n++) {
      learn(n);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect([one.log.position, one.log.queued]).toEqual([1, 5]);
    expect(one.layers.pendingLessons('x')).toHaveLength(5);
    one.book.biasChannel(layer, OF, { bias: 1, relative: false, description: undefined });
    await expect.poll(() => one.log.position).toBe(2);
    learn(6);
    await one.log.durable();
    expect(sizes).toEqual([1, 2, 3]);
    expect(one.layers.pendingLessons('x')).toEqual([]);
    const other = await daemon({ gatherMs: 20 });
    expect(snapshot(other.book)).toBe(snapshot(one.book));
    other.book.informChannel(other.book.layer('x')!, OF, msat(7), 'succeeded');
    await expect.poll(() => other.log.position).toBe(4);
  });

  test('collects lessons for a second by default', async () => {
    const one = await daemon();
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    const beganMs = performance.now();
    one.book.informChannel(layer, OF, msat(1), 'succeeded');
    await expect.poll(() => one.log.position, { timeout: 30_000 }).toBe(2);
    expect(performance.now() - beganMs).toBeGreaterThan(900);
  });

  test('does not apply a malformed copy, but reads that number from the database, and accepts later copies', async () => {
    const [one, other] = [await daemon(), await daemon()];
    const entries: LogEntry[] = [];
    one.log.onCommitted((entry) => entries.push(entry));
    const layer = one.book.createLayer('x', true);
    for (const [n, chunk] of MALFORMED_CHUNKS.entries()) {
      one.book.informChannel(layer, OF, msat(n), 'succeeded');
      await one.log.durable();
      const { position } = other.layers;
      // Copies are passed on after the commit, possibly before it is reported as durable.
      await expect.poll(() => entries.length).toBeGreaterThan(position);
      expect(other.log.receive({ ...entries[position]!, chunk }), `chunk ${n}`).toBe(false);
      expect(await other.layers.reach(position + 1, 5000)).toBe(true);
    }
    // A copy of a chunk that this daemon wrote itself does not replace the chunk.
    one.log.receive({ ...entries.at(-1)!, seq: one.layers.position + 1 });
    one.book.informChannel(layer, OF, msat(99), 'succeeded');
    await one.log.durable();
    await expect.poll(() => entries.at(-1)?.seq).toBe(one.layers.position);
    expect(other.log.receive(entries.at(-1)!)).toBe(true);
    expect(await other.layers.reach(one.layers.position, 5000)).toBe(true);
    expect(snapshot(other.book)).toBe(snapshot(one.book));
    expect(snapshot((await daemon()).book)).toBe(snapshot(one.book));
  });

  test('reports a malformed row, and every reader skips it', async () => {
    const faults: string[] = [];
    const onFault = (message: string): void => void faults.push(message);
    const [one, other] = [await daemon({ onFault }), await daemon()];
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    await asOwner(`WITH head AS (UPDATE log_head SET seq = seq + 1, changes = changes + 1 RETURNING seq)
      INSERT INTO change_log (seq, at, writer, batch, changes, chunk)
      SELECT seq, now(), 'somebody', 1, 1, '\\x92c0c1'::bytea FROM head`);
    one.book.informChannel(layer, OF, msat(1), 'succeeded');
    await one.log.durable();
    expect(faults).toEqual(['chunk 2 of the log of changes is malformed and was skipped']);
    expect(await other.layers.reach(3, 5000)).toBe(true);
    expect(one.book.layer('x')!.records).toHaveLength(1);
    for (const { book } of [other, await daemon()]) expect(snapshot(book)).toBe(snapshot(one.book));
  });

  test('contains a commit once even if its answer was lost', async () => {
    const link = await CutLink.to(server.port);
    const url = new URL(database.daemon);
    url.port = `${link.port}`;
    const one = await daemon({ questionMs: 300 }, url.href);
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    link.cut('answers');
    one.book.informChannel(layer, OF, msat(1), 'succeeded');
    await expect(one.log.durable()).rejects.toMatchObject({ name: 'storeFailed' });
    expect((await daemon()).book.layer('x')!.records).toHaveLength(1);
    one.book.informChannel(layer, OF, msat(2), 'succeeded');
    link.mend();
    await expect.poll(() => one.log.queued, { timeout: 10_000 }).toBe(0);
    expect(snapshot((await daemon()).book)).toBe(snapshot(one.book));
    expect([...one.book.layer('x')!.records].map(({ amountMsat }) => amountMsat)).toEqual([1n, 2n]);
    link.close();
  });

  test('is notified of commits without polling, detects a cut link, and is notified again after the repair', async () => {
    const link = await CutLink.to(server.port);
    const url = new URL(database.daemon);
    url.port = `${link.port}`;
    const [one, other] = [await daemon({ listens: true }), await daemon({ listens: true }, url.href)];
    await expect.poll(() => [one.log.isNotified, other.log.isNotified]).toEqual([true, true]);
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    await expect.poll(() => snapshot(other.book)).toBe(snapshot(one.book));
    link.cut();
    await expect.poll(() => other.log.isNotified, { timeout: 10_000 }).toBe(false);
    one.book.informChannel(layer, OF, msat(1), 'succeeded');
    await one.log.durable();
    expect([one.log.isNotified, snapshot(other.book) === snapshot(one.book)]).toEqual([true, false]);
    link.mend();
    await expect.poll(() => other.log.isNotified, { timeout: 10_000 }).toBe(true);
    one.book.informChannel(layer, OF, msat(2), 'succeeded');
    await one.log.durable();
    await expect.poll(() => snapshot(other.book), { timeout: 10_000 }).toBe(snapshot(one.book));
    link.close();
  });

  test('is replaced by a snapshot up to its position; a reader that is far behind starts from one', async () => {
    const [one, late] = [await daemon({ snapshotAfter: 10 }), await daemon()];
    const layer = one.book.createLayer('x', true);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 12; n++) one.book.informChannel(layer, OF, msat(round * 100 + n), 'succeeded');
      await one.log.durable();
      await one.store.layers.sumUp();
    }
    one.book.informChannel(layer, OF, msat(7), 'unconstrained');
    await one.log.durable();
    const [snapshots, rows] = (
      (await asOwner(
        `SELECT DISTINCT seq FROM snapshot ORDER BY seq; SELECT seq FROM change_log ORDER BY seq`,
      )) as unknown as {
        seq: string;
      }[][]
    ).slice(1) as [{ seq: string }[], { seq: string }[]];
    // Four commits, and a snapshot after each of the first three. The last two snapshots are kept, and the
    // rows after the older one.
    expect(snapshots.map(({ seq }) => seq)).toEqual(['2', '3']);
    expect(rows.map(({ seq }) => seq)).toEqual(['3', '4']);
    expect(await late.layers.reach(one.layers.position, 5000)).toBe(true);
    const fresh = await daemon();
    for (const { book } of [late, fresh]) expect(snapshot(book)).toBe(snapshot(one.book));
  });

  test('is read again from its beginning if its end moved back, as after a failover', async () => {
    const faults: string[] = [];
    const one = await daemon({ onFault: (message) => void faults.push(message) });
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    one.book.informChannel(layer, OF, msat(1), 'succeeded');
    await one.log.durable();
    await asOwner('DELETE FROM change_log WHERE seq = 2; UPDATE log_head SET seq = 1');
    void one.layers.reach(99, 50);
    await expect.poll(() => one.book.layer('x')?.records.length).toBe(0);
    expect(faults).toEqual([expect.stringContaining('went back from 2 to 1')]);
  });

  test('is followed by a solver with a read-only role', async () => {
    const one = await daemon();
    one.book.informChannel(one.book.createLayer('x', true), OF, msat(5), 'constrained');
    await one.log.durable();
    const { book } = clockedBook();
    const reader = await PostgresStore.follow(database.solver, book, { pollMs: 5 });
    expect(snapshot(book)).toBe(snapshot(one.book));
    one.book.informChannel(one.book.layer('x')!, OF, msat(6), 'constrained');
    await one.log.durable();
    await expect.poll(() => reader.layers.position).toBe(one.layers.position);
    expect(snapshot(book)).toBe(snapshot(one.book));
    reader.close();
  });
});
