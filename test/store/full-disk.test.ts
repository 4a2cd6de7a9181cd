/**
 * PostgreSQL on a disk that fills up: commits fail with a typed error, the queue has a maximum length and
 * keeps its order, and all of it is written once there is space again. The disk is a small file system in
 * memory, which only root can mount.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { SmallDisk } from '../fleet/chaos/small-disk.ts';
import { describeNeeding } from '../needs.ts';
import { clockedBook, snapshot } from './layer-actions.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgresIn } from './postgres-server.ts';

const OF = parseShortChannelIdDir('1x1x1/0')!;
/** The server's own files take 40 MB, and its journal grows by 16 MB at a time. */
const DISK = '112M';
const MAX_QUEUED = 20;
const disk = mount();

function mount(): SmallDisk | undefined {
  if (POSTGRES_PROGRAMS === undefined) return undefined;
  try {
    return SmallDisk.mount(DISK, 'memory');
  } catch {
    return undefined;
  }
}

describeNeeding('mount', disk !== undefined, 'a database whose disk is full', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  const stores: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startPostgresIn(disk!.path, 'max_wal_size=32MB', 'min_wal_size=32MB');
    database = await newPreparedDatabase(server);
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    await server?.stop();
    disk!.unmount();
  });

  async function daemon(name: string) {
    const store = await PostgresStore.open(database.daemon, storeUser(name), {
      ...{ maxQueued: MAX_QUEUED, retryMs: 50, pollMs: 50, leaseMs: 600_000 },
    });
    stores.push(store);
    const { book } = clockedBook();
    await store.layers.attach(book);
    return { store, book, log: store.layers.log! };
  }

  test('refuses what it cannot keep, and writes the queue in order once there is room', async () => {
    const one = await daemon('one');
    const layer = one.book.createLayer('x', true);
    const written = one.store.payments.numbers.next('payment');
    one.store.payments.put({}, paymentRow(written), [attemptRow(written, 0)]);
    await one.store.payments.durable();
    await one.log.durable();
    server.keep();
    disk!.fill();
    expect(disk!.freeBytes).toBe(0);

    // Each payment adds 64 kB of incompressible data, so a file of the server must grow soon.
    const request = randomBytes(65_536);
    const failure = await (async () => {
      for (let n = 0; n < 2_000; n++) {
        const index = one.store.payments.numbers.next('payment');
        one.store.payments.put({}, paymentRow(index, { request }), []);
        const error = await one.store.payments.durable().catch((reason: unknown) => reason);
        if (error !== undefined) return error;
      }
      return undefined;
    })();
    expect(failure).toMatchObject({ name: 'storeFailed' });

    // The queue has a maximum length, and a change beyond it is refused completely.
    const changes: bigint[] = [];
    const refused: unknown[] = [];
    for (let n = 1n; refused.length === 0; n++) {
      try {
        one.book.informChannel(layer, OF, msat(n), 'succeeded');
        changes.push(n);
      } catch (error) {
        refused.push(error);
      }
      if (n > 10_000n) break;
    }
    expect(refused).toEqual([expect.objectContaining({ name: 'storeFailed' })]);
    expect(one.log.queued).toBeLessThanOrEqual(MAX_QUEUED);

    disk!.makeRoom();
    await server.revive();
    await expect.poll(() => one.store.drain(0), { timeout: 30_000 }).toBe(true);
    const other = await daemon('other');
    expect(snapshot(other.book)).toBe(snapshot(one.book));
    expect(other.book.layer('x')!.records.length).toBe(changes.length);
    const [first] = await other.store.payments.payments({ afterIndex: written - 1, limit: 1 });
    expect(first).toMatchObject({ payment: { createdIndex: written }, attempts: [{ status: 'sent' }] });
  });
});
