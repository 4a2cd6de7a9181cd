/**
 * `fulgurite solver` as a process, on a real NATS server and a real PostgreSQL server: it follows the layers
 * of a daemon, gives the same answers as the daemon, and stops on request.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { connectBus, type NatsConnection } from '../../src/fleet/bus.ts';
import { BusSolvers } from '../../src/fleet/bus-solvers.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { followCopies, sendCopies } from '../../src/fleet/log-feed.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { freePort, POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';
import { until } from '../until.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

const MAIN = fileURLToPath(new URL('../../bin/fulgurite.mjs', import.meta.url));
const CHAIN = 'regtest';
const NODE = '02'.padEnd(66, '1');
const graph = generateSyntheticGraph({ nodeCount: 300, seed: 5 });

let server: NatsServer;
let database: PreparedDatabase;
const closers: (() => unknown)[] = [];

/** A daemon with a store, reduced to the parts that searches use. */
async function daemon(name: string): Promise<{
  readonly engine: RouteEngine;
  readonly fleet: BusSolvers;
  readonly store: PostgresStore;
  readonly book: LayerBook;
}> {
  const bus: NatsConnection = await connectBus(server.url, name);
  closers.push(() => bus.close());
  const user = { daemon: name, ownNode: NODE, payingNode: NODE, network: 'none', chain: CHAIN };
  const store = await PostgresStore.open(database.daemon, user);
  closers.push(() => store.close());
  const book = new LayerBook();
  const fleetName = new FleetName(CHAIN, store.fleetId);
  const copies = followCopies(bus, fleetName);
  await store.layers.attach(book);
  copies.give(store.layers.log!);
  sendCopies(bus, fleetName, store.layers.log!);
  const shared = store.layers.followed(book);
  const fleet = new BusSolvers({ bus, fleet: fleetName, id: name, shared });
  const engine = new RouteEngine({ book, solvers: inProcessSolvers(), fleet });
  closers.push(() => engine.close());
  engine.publish(graph);
  return { engine, fleet, store, book };
}

async function startSolver(...options: string[]): Promise<ChildProcess> {
  const args = [MAIN, 'solver', '--bus', server.url, '--store', database.solver, '--chain', CHAIN];
  const child = spawn(process.execPath, [...args, '--graph', 'synthetic:300', '--seed', '5', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  closers.push(() => child.kill('SIGKILL'));
  await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
  return child;
}

const query = (layers: readonly string[]): RouteQuery => ({
  source: graph.nodeId(1),
  destination: graph.nodeId(250),
  amountMsat: msat(100_000n),
  layers,
  maxfeeMsat: msat(1_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 4,
});

/** The answer of the solver. On a busy machine, it may count as silent for a moment, and the search is made locally. */
async function searchOutside(engine: RouteEngine, fleet: BusSolvers): Promise<RouteAnswer> {
  const { answered } = fleet.stats;
  let answer: RouteAnswer | undefined;
  await until(async () => {
    answer = await engine.getroutes(query(['shared']));
    return fleet.stats.answered > answered;
  });
  return answer!;
}

const isThere = natsServerPath !== undefined && POSTGRES_PROGRAMS !== undefined;
describeNeeding(natsServerPath === undefined ? 'nats' : 'postgres', isThere, 'the program', () => {
  beforeEach(async () => {
    server = await startNatsServer();
    database = await newPreparedDatabase(await sharedPostgres());
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await server.stop();
  });

  test('answers under layers that a daemon has just changed, and stops on request', async () => {
    const { engine, fleet, store, book } = await daemon('first');
    const health = `127.0.0.1:${await freePort()}`;
    const child = await startSolver('--workers', '1', '--health', health);
    await expect.poll(() => fleet.hasRoom()).toBe(true);
    const ready = await fetch(`http://${health}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, reasons: {} }]);
    expect((await fetch(`http://${health}/healthz`)).status).toBe(200);
    expect((await fetch(`http://${health}/other`)).status).toBe(404);
    expect(await (await fetch(`http://${health}/metrics`)).text()).toMatch(/^fulgurite_solver_ready 1$/m);
    const layer = book.createLayer('shared', true);
    await store.layers.durable(layer);
    const before = await searchOutside(engine, fleet);
    const middle = before.routes[0]!.path[1]!.nodeIdIn;
    book.disableNode(layer, middle);
    await store.layers.durable(layer);
    const after = await searchOutside(engine, fleet);
    expect(after.routes.some(({ path }) => path.some(({ nodeIdIn }) => nodeIdIn === middle))).toBe(false);
    await expect
      .poll(() => fleet.known().map(({ load }) => load.layers))
      .toEqual([store.layers.log!.position]);

    // A second daemon has the layer too, and gets the same answer.
    const second = await daemon('second');
    await expect.poll(() => second.fleet.hasRoom()).toBe(true);
    expect(await second.engine.getroutes(query(['shared']))).toEqual(after);

    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => fleet.known()).toEqual([]);
    expect(await engine.getroutes(query(['shared']))).toEqual(after);
  });

  test('ends if it cannot listen on its health address', { timeout: 60_000 }, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    closers.push(() => other.close());
    const { port } = other.address() as AddressInfo;
    expect((await startSolver('--health', `127.0.0.1:${port}`)).exitCode).toBeGreaterThan(0);
  });

  test('reports missing options', async () => {
    const asked = async (...args: string[]): Promise<[number, string]> => {
      const child = spawn(process.execPath, [MAIN, 'solver', ...args], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (bytes) => {
        said += bytes;
      });
      const [code] = await once(child, 'close');
      return [code, said];
    };
    expect(await asked()).toEqual([3, 'fulgurite: a solver needs --bus tls://HOST\n']);
    expect(await asked('--bus', server.url)).toEqual([
      3,
      'fulgurite: a solver needs --store postgres://ROLE@HOST/DATABASE\n',
    ]);
    const [code, said] = await asked(
      '--bus',
      'nats://127.0.0.1:9',
      '--store',
      database.solver,
      '--chain',
      CHAIN,
    );
    expect([code, said]).toEqual([
      1,
      expect.stringContaining('the bus at nats://127.0.0.1:9 does not answer'),
    ]);
  });
});
