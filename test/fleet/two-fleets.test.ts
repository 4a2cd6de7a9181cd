/** Two fleets, each with its own database, on one NATS server: neither processes the other's messages. */
import { Packr } from 'msgpackr/pack';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenedFleet, openFleet } from '../../src/cli/daemon/open-fleet.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { connectBus } from '../../src/fleet/bus.ts';
import { subjects } from '../../src/fleet/bus-messages.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { followCopies } from '../../src/fleet/log-feed.ts';
import { SharedReservations } from '../../src/fleet/shared-reservations.ts';
import { Solver } from '../../src/fleet/solver.ts';
import { fleetStatus } from '../../src/fleet/status.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { machineMs } from '../../src/model/clock.ts';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';
import { until } from '../until.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

const CHAIN = 'regtest';
const NODE = '02'.padEnd(66, '1');
const graph = generateSyntheticGraph({ nodeCount: 200, seed: 5 });
const OF = parseShortChannelIdDir('103x1x0/1')!;
const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });
const log = { unusual: () => undefined, info: () => undefined } as never;

let server: NatsServer;
const closers: (() => unknown)[] = [];

/** One fleet: a database, a daemon with reservations, and a solver. */
interface World {
  readonly database: PreparedDatabase;
  readonly name: FleetName;
  readonly fleet: OpenedFleet;
  readonly book: LayerBook;
  readonly solver: Solver;
  /** The name of the fleet as the solver uses it, which holds the solver's counters. */
  readonly solverName: FleetName;
}

async function world(): Promise<World> {
  const database = await newPreparedDatabase(await sharedPostgres());
  const user = { daemon: 'd', ownNode: NODE, payingNode: NODE, network: 'none', chain: CHAIN };
  const store = await PostgresStore.open(database.daemon, user);
  closers.push(() => store.close());
  const book = new LayerBook();
  await store.layers.attach(book);
  const id = `daemon${store.fleetId}`;
  const fleet = await openFleet({ url: server.url, chain: CHAIN, id, shared: store, book, log });
  closers.push(() => fleet.close());
  fleet.solvers.publish(graph);

  const followed = await PostgresStore.follow(database.solver, new LayerBook());
  const bus = await connectBus(server.url, 'solver');
  const solverName = new FleetName(CHAIN, followed.fleetId);
  followCopies(bus, solverName).give(followed.log);
  const { layers: shared } = followed;
  const engine = new RouteEngine({ book: shared.book, solvers: inProcessSolvers() });
  const options = { id: `solver${followed.fleetId}`, capacity: 8, engine, shared };
  const solver = new Solver({ bus, fleet: solverName, ...options });
  solver.publish(graph);
  closers.push(async () => {
    await solver.close();
    await engine.close();
    followed.close();
    await bus.close();
  });
  return { database, name: new FleetName(CHAIN, store.fleetId), fleet, book, solver, solverName };
}

/** The layers of a second daemon of the same fleet. */
async function daemonBeside({ name: { chain, id } }: World): Promise<LayerBook> {
  const bus = await connectBus(server.url, 'beside');
  const book = new LayerBook();
  const shared = new SharedReservations({ bus, fleet: new FleetName(chain, id), id: 'beside', book });
  closers.push(async () => {
    shared.close();
    await bus.close();
  });
  await bus.flush();
  return book;
}

const isThere = natsServerPath !== undefined && POSTGRES_PROGRAMS !== undefined;
describeNeeding(natsServerPath === undefined ? 'nats' : 'postgres', isThere, 'two fleets on one bus', () => {
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await server.stop();
  });

  it('have different ids, solvers and reservations', async () => {
    const [a, b] = [await world(), await world()];
    expect([a.name.id, b.name.id]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.any(String)]);
    expect(a.name.id).not.toBe(b.name.id);
    await expect.poll(() => [a.fleet.solverCount, b.fleet.solverCount]).toEqual([1, 1]);
    // The status shows the solvers that report within half a second.
    await expect
      .poll(async () => {
        const status = await fleetStatus({ store: a.database.daemon, bus: server.url, chain: CHAIN });
        return [status.fleet, status.solvers.map(({ id }) => id)];
      })
      .toEqual([a.name.id, [`solver${a.name.id}`]]);

    const query = {
      ...{ source: graph.nodeId(1), destination: graph.nodeId(100), amountMsat: msat(1_000_000n) },
      ...{ maxfeeMsat: msat(1_000_000n), finalCltv: 18, maxdelay: 2016, maxparts: 4, maxhops: 20 },
      ...{ layerIds: [], layerNames: [], includeFees: false },
    };
    const search = { query, lane: 'query' as const, judge: () => 'good' as const };
    // On a busy machine, the solver may count as silent for a moment.
    await until(async () => {
      await a.fleet.solvers.ask({ ...search, deadline: machineMs() + 30_000 });
      return a.solver.stats.answered === 8;
    });
    expect(b.solver.stats.answered).toBe(0);

    // A second daemon of the first fleet receives the reservation, so it has been published before the second
    // fleet is checked.
    const listener = await daemonBeside(a);
    a.book.reserve([{ shortChannelIdDir: OF, amountMsat: msat(7n) }], 'x');
    await expect.poll(() => [...listener.reservations()].length).toBe(1);
    expect([...b.book.reservations()]).toEqual([]);
    expect([a.fleet.foreign, b.fleet.foreign, a.solverName.foreign]).toEqual([0, 0, 0]);
  });

  it('drop and count malformed messages with their own id, and continue reading', async () => {
    const ours = await world();
    await expect.poll(() => ours.fleet.solverCount).toBe(1);
    const bus = await connectBus(server.url, 'liar');
    closers.push(() => bus.close());
    const { log: logSubject, reserved, load } = subjects(ours.name);
    const fleet = ours.name.id;
    const next = { fleet, seq: 1, writer: 'w', batch: 1 };
    for (const chunk of [Uint8Array.of(0xc1), packr.pack([null]), packr.pack([['create', 'no JSON']])]) {
      bus.publish(logSubject, packr.pack({ ...next, chunk }));
      bus.publish(logSubject, packr.pack({ ...next, seq: 'x', chunk }));
      bus.publish(
        reserved,
        packr.pack({
          fleet,
          daemon: 'c',
          session: 1,
          number: 1,
          kind: 'change',
          directions: [[1n, 9, chunk]],
        }),
      );
      bus.publish(load('x'), chunk);
    }
    await bus.flush();
    // The daemon drops copies, reservations and loads; the solver drops copies and reservations.
    await expect.poll(() => ours.fleet.malformed, { timeout: 20_000 }).toBe(12);
    await expect.poll(() => ours.solverName.malformed, { timeout: 20_000 }).toBe(9);
    const followed = await PostgresStore.follow(ours.database.solver, new LayerBook());
    closers.push(() => followed.close());
    followCopies(bus, ours.name).give(followed.log);
    ours.book.createLayer('after', true);
    await expect.poll(() => followed.layers.book.layer('after')?.name).toBe('after');
    await expect.poll(() => ours.solver.stats.stale).toBe(0);
    // The own solver may count as silent for a moment.
    expect(ours.fleet.solverCount).toBeLessThan(2);
  });

  it('drop and count messages with a different id or none', async () => {
    const ours = await world();
    await expect.poll(() => ours.fleet.solverCount).toBe(1);
    const bus = await connectBus(server.url, 'stranger');
    closers.push(() => bus.close());
    const names = subjects(ours.name);
    const load = { id: 'x', version: '0', depth: 0, capacity: 9, graph: 'g', layers: 0, nowMs: Date.now() };
    const copy = { seq: 1, writer: 'w', batch: 1, chunk: new Uint8Array(1) };
    const message = { daemon: 'c', session: 1, number: 1, kind: 'change' };
    const reserved = { ...message, directions: [[1n, 1, [[5n, 1, 'x']]]] };
    for (const stranger of [{ fleet: 'ffffffffffffffff' }, {}]) {
      bus.publish(names.load('x'), packr.pack({ ...load, ...stranger }));
      bus.publish(names.log, packr.pack({ ...copy, ...stranger }));
      bus.publish(names.reserved, packr.pack({ ...reserved, ...stranger }));
      bus.publish(names.solve, packr.pack({ deadline: 1, ...stranger }), { reply: 'nobody' });
    }
    await bus.flush();
    // The daemon drops loads, copies and reservations; the solver drops copies, reservations and requests.
    await expect.poll(() => [ours.fleet.foreign, ours.solverName.foreign]).toEqual([6, 6]);
    // The own solver may count as silent for a moment.
    expect(ours.fleet.solverCount).toBeLessThan(2);
    expect([...ours.book.reservations()]).toEqual([]);
    expect(ours.solver.stats).toMatchObject({ dropped: 0, answered: 0 });
  });
});
