/**
 * The table of waits in docs/fleet.md, compared with the limits in the program. With FULGURITE_TEST_WAITS=1,
 * each wait is provoked with a real server and the default limits, and the measured seconds are printed as a
 * table.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { InlineOnions } from '../../src/network/onions/onion-builder.ts';
import { connectSharedNetwork, networkMapOf, SharedHost } from '../../src/network/simulated/index.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import { LONGEST_LOOK_MS } from '../../src/payments/send/takeover.ts';
import { MAX_SILENCE_MS } from '../../src/store/postgres/database-check.ts';
import { CONNECT_MS, QUESTION_MS } from '../../src/store/postgres/line.ts';
import { ABANDONED_AT } from '../../src/store/postgres/payment-repository.ts';
import { LEASE_MS, PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { L2, L2_L3, L3, leaving, lineGraph } from '../payments/line-graph.ts';
import { keysendRequest } from '../payments/simulation/simulated-node.ts';
import { CutLink } from '../store/cut-link.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from '../store/postgres-server.ts';
import { OWN_ID, OWN_KEY } from './chaos/world.ts';

const MANUAL = new URL('../../docs/fleet.md', import.meta.url);

test('the manual states the limits of all waits', () => {
  const text = readFileSync(MANUAL, 'utf8');
  const rows = [...text.matchAll(/^\| ([^|]+) \| (\d+) s \| [^|]+ \|$/gm)].map(([, wait, s]) => [
    wait,
    Number(s),
  ]);
  expect(Object.fromEntries(rows)).toEqual({
    'silence of the database before all waits for it end': MAX_SILENCE_MS / 1000,
    'one query to the database': QUESTION_MS / 1000,
    'a new connection, all hosts of the list together': CONNECT_MS / 1000,
    'a caller whose outcome cannot be written': LEASE_MS / 2 / 1000,
    'a caller who asks for a payment of a different Lightning node whose daemon is gone': LEASE_MS / 2 / 1000,
    'a lease that is not renewed': LEASE_MS / 1000,
  });
  // The daemon of a waiting caller checks now and then whether the owner still renews its lease.
  expect(ABANDONED_AT * LEASE_MS + LONGEST_LOOK_MS).toBeLessThanOrEqual(0.9 * (LEASE_MS / 2));
});

const isAsked = process.env.FULGURITE_TEST_WAITS === '1';
/** Time limit in milliseconds. The whole test takes a minute. */
const PATIENCE_MS = 600_000;

if (isAsked) {
  describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'waits', () => {
    let server: PostgresServer;
    let database: PreparedDatabase;
    let network: SharedHost;
    const closers: (() => unknown)[] = [];
    const rows: string[] = [];
    const graph = lineGraph();

    beforeAll(async () => {
      server = await startPostgres('max_connections=60');
      database = await newPreparedDatabase(server);
      const capacityMsat = msatFromSat(5_000_000);
      const ownChannels = [{ peerId: L2, capacityMsat, localMsat: msatFromSat(4_990_000) }];
      network = new SharedHost({
        data: {
          map: networkMapOf(graph),
          options: { ownNodeId: OWN_ID, ownSecretKey: OWN_KEY, seed: 1n, ownChannels, startHeight: 1_000 },
          journalPath: undefined,
        },
        greeting: { graph: 'a line', secretKey: OWN_KEY },
      });
      // The maximum that the route can carry, so a larger payment fails.
      network.host.simulation.setBalance(leaving(L2, L3, L2_L3), msatFromSat(590_000));
      await network.listen(join(server.directory, 'network'));
      closers.push(() => network.close());
    });
    afterAll(async () => {
      for (const close of closers.reverse()) await close();
      await server?.stop();
      process.stdout.write(`| provoked | seconds | answer |\n|---|---|---|\n${rows.join('\n')}\n`);
    });

    async function measure(what: string, waits: Promise<unknown>): Promise<unknown> {
      const beganMs = performance.now();
      const end = await waits.catch((error: unknown) => error);
      const { name, data } = (end ?? {}) as { name?: string; data?: { why?: string } };
      const answer = [name, data?.why].filter(Boolean).join(', ');
      rows.push(`| ${what} | ${((performance.now() - beganMs) / 1000).toFixed(1)} | ${answer || 'done'} |`);
      return end;
    }

    /** A store behind its own link. */
    async function store(
      name: string,
      payingNode = '02aa',
    ): Promise<{ store: PostgresStore; link: CutLink }> {
      const link = await CutLink.to(server.port);
      const address = new URL(database.daemon);
      address.port = `${link.port}`;
      const user = { daemon: name, ownNode: name, payingNode, network: 'simulated', chain: 'regtest' };
      const opened = await PostgresStore.open(address.href, user);
      closers.push(() => {
        opened.close();
        link.close();
      });
      return { store: opened, link };
    }

    async function daemon(name: string, payingNode?: string) {
      const { store: shared, link } = await store(name, payingNode);
      const book = new LayerBook();
      await shared.layers.attach(book);
      const connection = await connectSharedNetwork(join(server.directory, 'network'));
      const port = connection.open({ onions: new InlineOnions() });
      const engine = new PaymentEngine({
        network: port,
        engine: new InProcessEngine(book, new InProcessKernel(graph)),
        book,
        graph: () => graph,
        repository: shared.payments,
      });
      await engine.start();
      closers.push(() => port.close());
      return { engine, port, link };
    }

    const request = (idempotencyKey: string, sat = 1_000) =>
      keysendRequest(L3, {
        amountMsat: msatFromSat(sat),
        maxfeeMsat: msatFromSat(10_000),
        useShadow: false,
        retryForS: 0,
        idempotencyKey,
      });
    const storeFailed = { name: 'storeFailed' };

    test(
      'a wait for a store',
      async () => {
        const { store: one, link } = await store('one');
        const ask = () => one.payments.payments({ limit: 1 });
        await ask();
        server.freeze();
        expect(await measure('a query to a frozen server', ask())).toMatchObject(storeFailed);
        expect(await measure('the next query to it', ask())).toMatchObject(storeFailed);
        server.thaw();
        await expect.poll(() => one.problems(), { timeout: PATIENCE_MS }).toEqual({});

        const owner = server.connect(database.owner);
        await owner.begin(async (sql) => {
          await sql.unsafe('LOCK TABLE fulgurite.payment IN ACCESS EXCLUSIVE MODE');
          expect(await measure('a query on a locked table', ask())).toMatchObject(storeFailed);
        });
        await owner.end();

        link.cut();
        expect(await measure('a query on a cut link', ask())).toMatchObject(storeFailed);
        const dead = `${new URL(database.daemon).pathname}`;
        const hosts = `postgres://x:y@127.0.0.1:${link.port},127.0.0.1:${link.port}${dead}`;
        const user = {
          daemon: 'two',
          ownNode: 'two',
          payingNode: '02aa',
          network: 'simulated',
          chain: 'regtest',
        };
        expect(
          await measure('a new connection, two hosts that do not answer', PostgresStore.open(hosts, user)),
        ).toBeInstanceOf(Error);
      },
      PATIENCE_MS,
    );

    test(
      'a wait for a store without a free connection',
      async () => {
        const { store: one } = await store('three');
        const others = Array.from({ length: 60 }, () => server.connect(database.daemon));
        const takeAll = () => Promise.allSettled(others.map((other) => other`SELECT 1`));
        await takeAll();
        const administrator = server.connect(server.url('postgres', 'postgres'));
        await administrator`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fulgurite'`;
        await administrator.end();
        await takeAll();
        const ask = one.payments.payments({ limit: 1 });
        expect(await measure('a query when all connections are in use', ask)).toMatchObject(storeFailed);
        for (const other of others) await other.end({ timeout: 0 });
        await expect.poll(() => one.problems(), { timeout: PATIENCE_MS }).toEqual({});
      },
      PATIENCE_MS,
    );

    test(
      'a wait of callers',
      async () => {
        const [a, b, c] = [await daemon('a'), await daemon('b', '02bb'), await daemon('c')];
        const send = a.port.send.bind(a.port);
        const isCut = new Promise<void>((resolve) => {
          a.port.send = (htlc) => {
            a.link.cut();
            resolve();
            return send(htlc);
          };
        });
        const paying = a.engine.pay(request('a key', 600_000));
        await isCut;
        const ofOther = b.engine.pay(request('a key', 600_000));
        const takenOver = (async () => {
          await expect.poll(() => c.engine.takeovers.takenOver, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
        })();
        await Promise.all([
          measure('a caller whose payment failed when its outcome cannot be written', paying).then((end) =>
            expect(end).toMatchObject({ data: { reason: 'outcomeAway', status: 'pending' } }),
          ),
          measure('a caller who asks a daemon of another node for this payment', ofOther),
          measure('until another daemon of the node takes this payment over', takenOver),
        ]);
        const again = b.engine.pay(request('a key', 600_000));
        await measure('the same caller once it is taken over', again);
      },
      PATIENCE_MS,
    );
  });
}
