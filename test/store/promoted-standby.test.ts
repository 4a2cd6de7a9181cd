/**
 * A standby is promoted while daemons work: they continue with it, have its data, and refuse the old primary.
 * Changes confirmed by a synchronous standby are kept. Changes that an asynchronous standby did not receive
 * are gone on every daemon.
 *
 *     daemons ── link ── primary ──▶ standby        the link leads to the standby after its promotion
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { CutLink } from './cut-link.ts';
import { clockedBook, snapshot } from './layer-actions.ts';
import { newPreparedDatabase, type PreparedDatabase } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres, startStandby } from './postgres-server.ts';

const OF = parseShortChannelIdDir('1x1x1/0')!;

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'a promoted standby', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let database: PreparedDatabase;
  let link: CutLink;
  const closers: (() => unknown)[] = [];
  beforeEach(async () => {
    primary = await startPostgres();
    closers.push(() => primary.stop());
    database = await newPreparedDatabase(primary);
    standby = await startStandby(primary);
    closers.push(() => standby.stop());
    link = await CutLink.to(primary.port);
    closers.push(() => link.close());
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  const at = (server: PostgresServer, sql: string) => {
    const administrator = server.connect(server.url('postgres', 'postgres'));
    return administrator.unsafe(sql).finally(() => administrator.end());
  };

  async function daemon(name: string, pollMs: number, port = link.port) {
    const url = new URL(database.daemon);
    url.port = `${port}`;
    const faults: string[] = [];
    const user = { daemon: name, ownNode: name, payingNode: name, network: 'none', chain: 'regtest' };
    const store = await PostgresStore.open(url.href, user, {
      ...{ pollMs, listens: false, retryMs: 50, onFault: (message: string) => void faults.push(message) },
    });
    closers.push(() => store.close());
    const { book } = clockedBook();
    await store.layers.attach(book);
    return { store, book, log: store.layers.log!, faults };
  }

  /** Kills the primary and promotes its standby. */
  async function promote(): Promise<void> {
    await primary.kill('SIGKILL');
    await at(standby, 'SELECT pg_promote()');
    link.leadTo(standby.port);
  }

  /** Waits until a change is in the log. Changes are refused while the database is away. */
  const durable = (log: { durable(): Promise<void> }) =>
    expect.poll(() => log.durable().then(() => 'written', String), { timeout: 30_000 }).toBe('written');

  test('daemons continue with a synchronous standby, lose nothing, and refuse the old primary', async () => {
    await at(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await at(primary, 'SELECT pg_reload_conf()');
    await expect
      .poll(async () => (await at(primary, 'SELECT sync_state FROM pg_stat_replication'))[0]?.sync_state)
      .toBe('sync');
    const [one, other] = [await daemon('one', 50), await daemon('other', 50)];
    const layer = one.book.createLayer('x', true);
    for (let n = 1; n <= 20; n++) {
      one.book.informChannel(layer, OF, msat(n), 'succeeded');
      await one.log.durable();
    }
    const told = snapshot(one.book);
    await promote();
    const fresh = await daemon('fresh', 50);
    expect(snapshot(fresh.book)).toBe(told);

    other.book.informChannel(other.book.layer('x')!, OF, msat(99), 'constrained');
    await durable(other.log);
    for (const each of [one, fresh]) {
      await expect.poll(() => snapshot(each.book), { timeout: 30_000 }).toBe(snapshot(other.book));
    }
    expect(other.book.layer('x')!.records).toHaveLength(21);
    expect(one.faults).toEqual([expect.stringContaining('from timeline 1 to 2')]);

    await primary.start();
    link.leadTo(primary.port);
    link.mend();
    one.book.informChannel(one.book.layer('x')!, OF, msat(7), 'succeeded');
    await expect
      .poll(() => one.log.durable().then(() => 'written', String), { timeout: 30_000 })
      .toContain('timeline 1, and its successor on 2');
  });

  test('changes that an asynchronous standby lost are gone on every daemon, even if others have their numbers', async () => {
    const [one, away] = [await daemon('one', 50), await daemon('away', 3_600_000)];
    const layer = one.book.createLayer('x', true);
    await one.log.durable();
    const inCopy = async () => {
      const owner = standby.connect(standby.url('postgres', new URL(database.owner).pathname.slice(1)));
      return (await owner.unsafe('SELECT seq FROM fulgurite.log_head').finally(() => owner.end()))[0]!.seq;
    };
    await expect.poll(inCopy).toBe('1');
    // From now on the standby receives nothing.
    await at(standby, `ALTER SYSTEM SET primary_conninfo = ''`);
    await at(standby, 'SELECT pg_reload_conf()');
    await expect.poll(async () => (await at(primary, 'SELECT 1 FROM pg_stat_replication')).length).toBe(0);
    for (const lost of [msat(1), msat(2)]) {
      one.book.informChannel(layer, OF, lost, 'succeeded');
      await one.log.durable();
    }
    expect(await away.store.layers.followed(away.book).reach(3, 5000)).toBe(true);
    await promote();

    // Two other changes get the numbers of the lost ones, so that the end of the log does not reveal the
    // loss.
    const writer = await daemon('writer', 50, standby.port);
    for (const kept of [msat(3), msat(4)]) {
      writer.book.informChannel(writer.book.layer('x')!, OF, kept, 'constrained');
      await writer.log.durable();
    }
    expect(writer.log.position).toBe(3);
    for (const each of [one, away]) {
      void each.store.layers.followed(each.book).reach(4, 50);
      await expect
        .poll(
          () => {
            void each.store.layers.followed(each.book).reach(4, 50);
            return snapshot(each.book);
          },
          { timeout: 30_000 },
        )
        .toBe(snapshot(writer.book));
      expect(each.faults).toEqual([expect.stringContaining('from timeline 1 to 2')]);
    }
    // A late copy of a lost change is not mistaken for the next change.
    writer.book.informChannel(writer.book.layer('x')!, OF, msat(5), 'constrained');
    const next: unknown[] = [];
    writer.log.onCommitted((entry) => {
      next.push(entry.timeline);
      one.log.receive({ ...entry, chunk: new Uint8Array(1), timeline: 1 });
      one.log.receive(entry);
    });
    await writer.log.durable();
    expect(next).toEqual([2]);
    await expect.poll(() => snapshot(one.book)).toBe(snapshot(writer.book));
  });
});
