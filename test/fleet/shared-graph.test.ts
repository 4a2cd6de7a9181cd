/**
 * The graph in the log of changes, on real servers: one daemon writes the changes of its source, and all
 * machines use copies built from the log. So searches go to solvers while the graph changes, and all copies
 * are equal no matter which daemon leads.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SharedGraph, shareGraph } from '../../src/cli/daemon/share-graph.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { connectBus, type NatsConnection } from '../../src/fleet/bus.ts';
import { SHARED_GRAPH } from '../../src/fleet/bus-messages.ts';
import { BusSolvers } from '../../src/fleet/bus-solvers.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { graphHash } from '../../src/fleet/graph-hash.ts';
import { GraphLeader } from '../../src/fleet/graph-leader.ts';
import { followCopies, sendCopies } from '../../src/fleet/log-feed.ts';
import { Solver } from '../../src/fleet/solver.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat } from '../../src/model/msat.ts';
import { type FollowedStore, PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { changeAtRandom, contentsOf, randomFrom } from '../model/graph-changes.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, sharedPostgres } from '../store/postgres-server.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

const CHAIN = 'regtest';
const LEASE_MS = 400;
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, unusual: nothing, broken: nothing };
const newSource = (): ChannelGraph => generateSyntheticGraph({ nodeCount: 80, seed: 9 });

let server: NatsServer;
let database: PreparedDatabase;
const closers: (() => unknown)[] = [];

async function connection(name: string): Promise<NatsConnection> {
  const bus = await connectBus(server.url, name);
  closers.push(() => bus.close());
  return bus;
}

async function openStore(name: string): Promise<{ store: PostgresStore; book: LayerBook }> {
  const user = { daemon: name, ownNode: name, payingNode: name, network: 'none', chain: CHAIN };
  const store = await PostgresStore.open(database.daemon, user, { pollMs: 20, snapshotAfter: 300 });
  closers.push(() => store.close());
  const book = new LayerBook();
  await store.layers.attach(book);
  return { store, book };
}

/** A daemon whose source graph is changed by `change`, as by gossip. */
async function daemon(name: string, graph: ChannelGraph, isFollower = false) {
  const { store, book } = await openStore(name);
  let tell = nothing;
  const source = {
    ...{ graph, describe: name, isLive: true, isFollower, stop: nothing },
    follow: (changed: () => void) => {
      tell = changed;
    },
  };
  // A busy machine cannot lose a lease of the usual length.
  const wanted = { store, daemon: name, log, gapMs: 5 };
  const shared: SharedGraph = await shareGraph(source, wanted);
  closers.push(() => shared.stop());
  const bus = await connection(name);
  const fleetName = new FleetName(CHAIN, store.fleetId);
  followCopies(bus, fleetName).give(store.layers.log!);
  sendCopies(bus, fleetName, store.layers.log!);
  const fleet = new BusSolvers({
    ...{ bus, fleet: fleetName, id: name, shared: store.layers.followed(book), graphName: SHARED_GRAPH },
    // On a busy machine, this process may not run for half a second, which is no silence of the solver.
    monotonicMs: () => 0,
  });
  const engine = new RouteEngine({ book, solvers: inProcessSolvers(), fleet });
  closers.push(() => engine.close());
  engine.publish(shared.graph);
  shared.follow(() => engine.publish(shared.graph));
  const change = (make: (graph: ChannelGraph) => void): void => {
    make(graph);
    tell();
  };
  return { store, shared, engine, fleet, change, source: graph };
}

async function solver(): Promise<FollowedStore> {
  const bus = await connection('solver');
  const followed = await PostgresStore.follow(database.solver, new LayerBook());
  closers.push(() => followed.close());
  const fleetName = new FleetName(CHAIN, followed.fleetId);
  followCopies(bus, fleetName).give(followed.log);
  const { layers: shared, graph: replica } = followed;
  const engine = new RouteEngine({ book: shared.book, solvers: inProcessSolvers() });
  closers.push(() => engine.close());
  const options = { fleet: fleetName, id: 'solver1', capacity: 8, graphName: SHARED_GRAPH };
  const made = new Solver({ ...options, bus, engine, shared });
  closers.push(() => made.close());
  replica.onChange = () => made.publish(replica.graph);
  if (replica.isWhole) made.publish(replica.graph);
  return followed;
}

/** The copy that a reader builds from the whole log: from its snapshot and the later changes. */
async function replayed(): Promise<ChannelGraph> {
  const followed = await PostgresStore.follow(database.solver, new LayerBook());
  followed.close();
  return followed.graph.graph;
}

const isThere = natsServerPath !== undefined && POSTGRES_PROGRAMS !== undefined;
describeNeeding(natsServerPath === undefined ? 'nats' : 'postgres', isThere, 'the graph of a fleet', () => {
  beforeEach(async () => {
    server = await startNatsServer();
    database = await newPreparedDatabase(await sharedPostgres());
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await server.stop();
  });

  test('is the same on two daemons and a solver during a stream of changes, while searches go out', async () => {
    const first = await daemon('first', newSource());
    const second = await daemon('second', newSource());
    const following = await daemon('third', new ChannelGraph(), true);
    const followed = await solver();
    await expect.poll(() => [first, second].map(({ fleet }) => fleet.hasRoom())).toEqual([true, true]);
    const [random, late] = [randomFrom(5), randomFrom(5)];
    const ends = [first.source.nodeId(3), first.source.nodeId(60)] as const;
    const query = {
      ...{ source: ends[0], destination: ends[1], amountMsat: msat(50_000_000n), layers: [] },
      ...{ maxfeeMsat: msat(50_000_000n), finalCltv: 18, maxdelay: 2016, maxparts: 4 },
    };
    for (let step = 1; step <= 24; step++) {
      first.change((graph) => changeAtRandom(graph, random, step));
      // The second daemon receives everything later, and writes nothing, because it does not lead.
      if (step > 10) second.change((graph) => changeAtRandom(graph, late, step - 10));
      await first.engine.getroutes(query).catch(nothing);
      if (step === 15) await first.store.layers.sumUp();
    }
    await expect.poll(() => contentsOf(first.shared.graph)).toBe(contentsOf(first.source));
    const head = first.store.layers.log!.position;
    // The number of changes per commit depends on the speed of the machine.
    expect(head).toBeGreaterThan(1);
    for (const { store } of [second, following]) await store.layers.log!.catchUp(head);
    expect(await followed.layers.reach(head, 30_000)).toBe(true);
    const wanted = graphHash(first.shared.graph);
    const copies = [second.shared.graph, following.shared.graph, followed.graph.graph, await replayed()];
    expect(copies.map(graphHash)).toEqual(copies.map(() => wanted));
    // A change during a search can make its answer outdated. It then counts as stale, and is searched again here.
    const { answered, stale, ...others } = first.fleet.stats;
    expect(answered + stale).toBe(24);
    expect(others).toEqual({ sent: 24, busy: 0, lost: 0, rejected: 0 });
  });

  test('continues with a second daemon while the leader is paused, whose later writes are refused', async () => {
    // Long enough that a busy machine does not lose it.
    const leaseMs = 5 * LEASE_MS;
    const [one, other] = [await openStore('one'), await openStore('other')];
    const [source, newer] = [newSource(), newSource()];
    const real = one.store.layers.graphLog('one');
    let isPaused = false;
    let wake = nothing;
    const refused: unknown[] = [];
    const pausing = {
      claim: async (forMs: number, patienceMs: number) => {
        if (isPaused) throw new Error('the process is stopped');
        return real.claim(forMs, patienceMs);
      },
      append: async (...args: Parameters<typeof real.append>) => {
        if (isPaused) await new Promise<void>((resolve) => (wake = resolve));
        const last = await real.append(...args);
        if (isPaused) refused.push(last);
        return last;
      },
      release: () => real.release(),
    };
    const replica = one.store.layers.graph;
    const leader = new GraphLeader({ source, replica, log: pausing, leaseMs, gapMs: 1 });
    await leader.start();
    closers.push(() => leader.close());
    expect([leader.isLeader, replica.isWhole]).toEqual([true, true]);
    const rival = new GraphLeader({
      ...{ source: newer, replica: other.store.layers.graph, log: other.store.layers.graphLog('other') },
      ...{ leaseMs, gapMs: 1 },
    });
    await rival.start();
    closers.push(() => rival.close());
    expect(rival.isLeader).toBe(false);

    // The daemon is stopped between the claim and the write.
    isPaused = true;
    const claim = pausing.claim;
    pausing.claim = (...args) => real.claim(...args);
    source.removeChannel(0);
    leader.changed();
    await expect.poll(() => wake).not.toBe(nothing);
    pausing.claim = claim;
    await expect.poll(() => rival.isLeader).toBe(true);
    newer.removeChannel(1);
    rival.changed();
    await expect.poll(() => contentsOf(other.store.layers.graph.graph)).toBe(contentsOf(newer));
    wake();
    await expect.poll(() => refused).toEqual([undefined]);
    isPaused = false;
    await expect.poll(() => leader.isLeader).toBe(false);
    expect(contentsOf(await replayed())).toBe(contentsOf(newer));
    await expect.poll(() => graphHash(replica.graph)).toBe(graphHash(other.store.layers.graph.graph));
  });

  test('is not led by a daemon that is still syncing as long as a better one may come', async () => {
    // Opening a store takes long on a busy machine, and the other daemon's lease expires meanwhile.
    const [knowing, learning] = [await openStore('knowing'), await openStore('learning')];
    const leaseMs = 3 * LEASE_MS;
    const replica = knowing.store.layers.graph;
    const leader = new GraphLeader({
      ...{ source: newSource(), replica, log: knowing.store.layers.graphLog('knowing'), leaseMs },
    });
    await leader.start();
    await leader.close();
    await learning.store.layers.log!.catchUp(knowing.store.layers.log!.position);
    const asked: number[] = [];
    const real = learning.store.layers.graphLog('learning');
    const patient = {
      claim: (forMs: number, patienceMs: number) => {
        asked.push(patienceMs);
        return real.claim(forMs, patienceMs);
      },
      append: real.append.bind(real),
      release: () => real.release(),
    };
    const late = new GraphLeader({
      ...{
        source: new ChannelGraph(),
        replica: learning.store.layers.graph,
        log: patient,
        leaseMs,
      },
    });
    await late.start();
    closers.push(() => late.close());
    expect([late.isLeader, asked]).toEqual([false, [3 * leaseMs]]);
    expect((await replayed()).channelCount).toBe(newSource().channelCount);
    // No other daemon came, so this one leads after all.
    await expect.poll(() => late.isLeader).toBe(true);
  });
});
