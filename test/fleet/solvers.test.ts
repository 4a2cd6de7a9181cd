/**
 * Solvers over a real NATS server: they give exactly the same answers as the daemon itself, and every search
 * is answered even if solvers are full, lag, have a different release, or are dead.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import type { RemoteSearch } from '../../src/engine/host/remote-solvers.ts';
import { decodeReply } from '../../src/engine/question/messages.ts';
import { NoRouteError } from '../../src/engine/question/no-route.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { connectBus, type NatsConnection } from '../../src/fleet/bus.ts';
import {
  PACKED_FORM,
  pack,
  SOLVE_REPLY,
  type SolveReply,
  type SolveRequest,
  type SolverLoad,
  subjects,
  unpack,
  unpackSearch,
} from '../../src/fleet/bus-messages.ts';
import { BusSolvers, type BusSolversOptions } from '../../src/fleet/bus-solvers.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { graphHash } from '../../src/fleet/graph-hash.ts';
import { RESERVATIONS } from '../../src/fleet/reservation-state.ts';
import { noSharedLayers, type SharedLayers } from '../../src/fleet/shared-layers.ts';
import { Solver, type SolverOptions } from '../../src/fleet/solver.ts';
import { readStateMessage } from '../../src/fleet/state-message.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { machineMs } from '../../src/model/clock.ts';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir, type ShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { expectForgotten } from '../forgotten.ts';
import { describeNeeding } from '../needs.ts';
import { until } from '../until.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

const FLEET = new FleetName('regtest', '00112233445566aa');
const names = subjects(FLEET);
const graph = generateSyntheticGraph({ nodeCount: 500, seed: 7 });
const HASH = graphHash(graph);

let server: NatsServer;
const closers: (() => unknown)[] = [];

async function connection(): Promise<NatsConnection> {
  const bus = await connectBus(server.url, 'test');
  closers.push(() => bus.close());
  return bus;
}

let solverCount = 0;

/** A solver with its own kernel and its own copy of the shared layers, and another connection to send requests on. */
async function solver(
  options: Partial<SolverOptions> = {},
): Promise<{ solver: Solver; bus: NatsConnection }> {
  const bus = await connection();
  const shared = options.shared ?? noSharedLayers(new LayerBook());
  const engine = new RouteEngine({ book: shared.book, solvers: inProcessSolvers() });
  closers.push(() => engine.close());
  const id = `solver${++solverCount}`;
  const made = new Solver({ bus, fleet: FLEET, id, engine, shared, capacity: 8, ...options });
  closers.push(() => made.close());
  made.publish(graph);
  await bus.flush();
  return { solver: made, bus: await connection() };
}

/** A daemon: its layers, the solvers that it knows, and an engine that uses these solvers. */
async function daemon(
  shared: SharedLayers = noSharedLayers(new LayerBook()),
  options: Partial<BusSolversOptions> = {},
): Promise<{ engine: RouteEngine; fleet: BusSolvers; book: LayerBook }> {
  const fleet = new BusSolvers({ bus: await connection(), fleet: FLEET, id: 'daemon', shared, ...options });
  const { book } = shared;
  const engine = new RouteEngine({ book, solvers: inProcessSolvers(), fleet });
  closers.push(() => engine.close());
  engine.publish(graph);
  return { engine, fleet, book };
}

/**
 * For tests that count who answered: solvers never count as silent. On a busy machine, this process may not
 * run for half a second, which a daemon would take for silence of the solvers.
 */
const TIMELESS: Partial<BusSolversOptions> = { monotonicMs: () => 0 };

/** Blocks this process, as a busy machine does. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const query = (from: number, to: number, amountMsat: bigint, layers: readonly string[] = []): RouteQuery => ({
  source: graph.nodeId(from),
  destination: graph.nodeId(to),
  amountMsat: msat(amountMsat),
  layers,
  maxfeeMsat: msat(amountMsat / 10n + 10_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 10,
});

/** A plain search request, as a daemon would send it to solvers. */
const request = (changes: Partial<SolveRequest> = {}): SolveRequest => {
  const { layers: _, ...plain } = query(3, 44, 100_000n);
  return {
    fleet: FLEET.id,
    deadline: Date.now() + 60_000,
    graph: HASH,
    layers: 0,
    lane: 'query',
    asker: 'test',
    refs: [],
    query: { ...plain, layerNames: [], includeFees: false, maxhops: 20 },
    ...changes,
  };
};

async function send(bus: NatsConnection, subject: string, message: object): Promise<SolveReply> {
  const reply = await bus.request(subject, pack(message as SolveRequest), { timeout: 30_000 });
  return unpack(reply.data, SOLVE_REPLY);
}

/** Resolves when the daemon knows this number of solvers. */
const knows = (fleet: BusSolvers, count: number) => expect.poll(() => fleet.known().length).toBe(count);

describeNeeding('nats', natsServerPath !== undefined, 'solvers on the bus', () => {
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => server.stop());

  it('searches by itself after half a second without a message from the solver', async () => {
    for (const [options, answered] of [
      [{}, 0],
      [TIMELESS, 1],
    ] as const) {
      const { engine, fleet } = await daemon(undefined, options);
      const { solver: one } = await solver();
      await knows(fleet, 1);
      standStill(600);
      await engine.getroutes(query(1, 100, 1_000_000n));
      expect([one.stats.answered, fleet.stats.sent]).toEqual([answered, answered]);
      for (const close of closers.splice(0).reverse()) await close();
    }
  });

  it('searches with thousands of reservations in force, without sending them along', async () => {
    const { engine, fleet, book } = await daemon(undefined, TIMELESS);
    const { solver: one } = await solver();
    await knows(fleet, 1);
    const sizes: number[] = [];
    const bus = await connection();
    bus.subscribe('fulgurite.v2.*.*.solver.*.solve', {
      callback: (_, { data }) => void sizes.push(data.length),
    });
    await bus.flush();
    const many = Array.from({ length: 9_000 }, (_, n) => ({
      shortChannelIdDir: parseShortChannelIdDir(`${n + 1}x7x7/1`)!,
      amountMsat: msat(1n),
    }));
    book.reserve(many, 'test');
    // On a slow machine, the first searches start before the solver has read all changes, so the daemon makes
    // them itself.
    for (let n = 0; one.stats.answered < 4 && n < 200; n++) await engine.getroutes(query(1, 100, 1_000_000n));
    expect(one.stats.answered).toBeGreaterThanOrEqual(4);
    expect(fleet.stats.rejected).toBe(0);
    await expect.poll(() => sizes.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...sizes)).toBeLessThan(1_000);
  });

  it('leaves it to the daemon to name the reservations that block a route', async () => {
    const { fleet } = await daemon(undefined, TIMELESS);
    const of = parseShortChannelIdDir('1x7x7/1')!;
    const reservations = { first: [{ amountMsat: msat(7n), commandId: 'x', ageS: 1 }], more: 0 };
    const fault = { kind: 'constraint', limitMsat: msat(1n), reservedMsat: msat(7n) } as const;
    const binding = {
      kind: 'direction',
      of,
      amountMsat: msat(9n),
      path: [of.shortChannelId],
      cut: [],
    } as const;
    const refuse = () =>
      Promise.reject(new NoRouteError({ binding: { ...binding, fault: { ...fault, reservations } } }));
    const nothing = (): void => undefined;
    const stats = { queued: 0 };
    const engine = { publish: nothing, warmUp: nothing, search: refuse, searchPacked: refuse, stats };
    await solver({ engine: engine as never });
    await knows(fleet, 1);
    const { layers: _, ...plain } = query(1, 100, 1_000_000n);
    const wire = { ...plain, layerIds: [], layerNames: [], includeFees: false, maxhops: 20 };
    const search = { query: wire, lane: 'query' as const, deadline: machineMs() + 30_000 };
    const reply = await fleet.ask({ ...search, judge: () => 'good' });
    expect(reply).toEqual({ noRoute: { binding: { ...binding, fault } } });
    expect(fleet.stats).toMatchObject({ rejected: 0, stale: 0 });
  });

  it('reports that it lacks reservations of the sender, and has them from then on', async () => {
    const { engine, fleet, book } = await daemon();
    const listener = await connection();
    let published = 0;
    listener.subscribe(names.reserved, {
      callback: (_, { data }) => {
        published += readStateMessage(RESERVATIONS, FLEET, data)!.items.length;
      },
    });
    await listener.flush();
    book.reserve([{ shortChannelIdDir: parseShortChannelIdDir('1x7x7/1')!, amountMsat: msat(1n) }], 'test');
    // The solver starts only after the reservation was published.
    await until(() => published > 0);
    const { solver: late, bus } = await solver();
    const reserved = { session: 1, number: 1 };
    expect(await send(bus, names.solve, request({ reserved }))).toMatchObject({ stale: 'reserved' });
    await knows(fleet, 1);
    await expect
      .poll(async () => {
        await engine.getroutes(query(1, 100, 1_000_000n));
        return late.stats.answered;
      })
      .toBeGreaterThan(0);
  });

  it('gives each search the same answer as the daemon itself, whichever solver computes it', async () => {
    const { engine, fleet, book } = await daemon(undefined, TIMELESS);
    const alone = new RouteEngine({ book, solvers: inProcessSolvers() });
    closers.push(() => alone.close());
    alone.publish(graph);
    const both = [await solver({ capacity: 3 }), await solver({ capacity: 3 })];
    await knows(fleet, 2);
    const layer = book.createLayer('mine', false);
    const questions: RouteQuery[] = [];
    for (let n = 0; n < 24; n++) {
      const asked = query(3 + n, 400 - 7 * n, 1_000n * 10n ** BigInt(n % 6), n % 2 === 0 ? [] : ['mine']);
      questions.push(n % 3 === 0 ? { ...asked, randomize: { seed: BigInt(n), spreadPpm: 200_000 } } : asked);
    }
    questions.push(query(8, 90, 5_000n, ['auto.sourcefree', 'mine', 'auto.localchans']));
    const outcome = (answer: Promise<RouteAnswer>): Promise<unknown> =>
      answer.catch((error) => ({ reason: error.reason, remedy: error.remedy }));
    for (const asked of questions) {
      const home = await outcome(alone.getroutes(asked));
      // Two at once, so that the second one goes to the solver that this daemon does not prefer.
      const away = [outcome(engine.getroutes(asked)), outcome(engine.getroutes(asked))];
      expect(await Promise.all(away)).toEqual([home, home]);
      // Part of the liquidity that the route uses is reserved, so that later answers depend on all kinds of layers.
      const hop = (home as RouteAnswer).routes?.[0]?.path[1];
      if (hop === undefined) continue;
      const of: ShortChannelIdDir = hop.shortChannelIdDir;
      book.informChannel(layer, of, hop.amountOutMsat, 'constrained');
      book.reserve([{ shortChannelIdDir: of, amountMsat: hop.amountOutMsat, layer: undefined }], 'test');
    }
    expect(fleet.stats).toEqual({ sent: 50, answered: 50, busy: 0, stale: 0, lost: 0, rejected: 0 });
    expect(both.every((each) => each.solver.stats.answered > 0)).toBe(true);
  });

  it('prefers the same solver for all searches of a daemon, until that solver is loaded', async () => {
    const both = [await solver(), await solver()];
    const preferred = new Set<number>();
    for (let n = 0; n < 12; n++) {
      const { engine, fleet } = await daemon(undefined, { ...TIMELESS, id: `daemon${n}` });
      await knows(fleet, 2);
      const before = both.map((each) => each.solver.stats.answered);
      for (let search = 0; search < 3; search++) await engine.getroutes(query(1, 100, 1_000_000n));
      const made = both.map((each, index) => each.solver.stats.answered - before[index]!);
      expect(Math.max(...made)).toBe(3);
      preferred.add(made.indexOf(3));
    }
    expect(preferred.size).toBe(2);
    const { engine, fleet } = await daemon(undefined, TIMELESS);
    await knows(fleet, 2);
    const before = both.map((each) => each.solver.stats.answered);
    await Promise.all(Array.from({ length: 8 }, () => engine.getroutes(query(1, 100, 1_000_000n))));
    const made = both.map((each, index) => each.solver.stats.answered - before[index]!);
    expect(Math.min(...made)).toBeGreaterThan(0);
  });

  it('reports its load at most five times a second while the number of its requests stays the same', async () => {
    let position = 0;
    const shared = {
      ...noSharedLayers(new LayerBook()),
      get position() {
        return position++;
      },
    };
    const { bus } = await solver({ shared });
    const loads: SolverLoad[] = [];
    bus.subscribe(names.everyLoad, {
      callback: (_, { data }) => void loads.push(unpack<SolverLoad>(data, {})),
    });
    await expect.poll(() => loads.length).toBeGreaterThanOrEqual(5);
    const [first, last] = [loads[0]!, loads.at(-1)!];
    expect(last.layers).toBeGreaterThan(first.layers);
    expect((last.nowMs - first.nowMs) / (loads.length - 1)).toBeGreaterThan(150);
  });

  it('asks the next solver if one is full, and searches by itself if all are', async () => {
    const { fleet, engine } = await daemon();
    const full = await solver({ capacity: 0 });
    await knows(fleet, 1);
    expect(fleet.hasRoom()).toBe(false);
    const answer = await send(full.bus, names.solve, request());
    expect(answer).toEqual({ fleet: FLEET.id, solver: `solver${solverCount}`, busy: 0, retryAfterMs: 20 });
    await engine.getroutes(query(3, 44, 100_000n));
    expect(fleet.stats.sent).toBe(0);

    // A solver reports room but has none: the second solver is asked.
    const liar = await connection();
    liar.subscribe(names.solveAt('liar'), {
      callback: (_error, message) =>
        void message.respond(pack({ fleet: FLEET.id, solver: 'liar', busy: 9, retryAfterMs: 20 })),
    });
    const load = (id: string): SolverLoad => ({
      ...{
        fleet: FLEET.id,
        id,
        version: '0',
        depth: 0,
        capacity: 9,
        graph: HASH,
        layers: 0,
        nowMs: Date.now(),
      },
      ...{ answered: 0, stale: 0 },
    });
    const tell = setInterval(() => liar.publish(names.load('liar'), pack(load('liar'))), 50);
    closers.push(() => clearInterval(tell));
    await knows(fleet, 2);
    await engine.getroutes(query(3, 44, 100_000n));
    expect(fleet.stats).toMatchObject({ sent: 1, busy: 1, answered: 0 });
    await solver();
    await knows(fleet, 3);
    for (let n = 0; n < 20 && fleet.stats.busy < 2; n++) await engine.getroutes(query(3, 44, 100_000n));
    const { sent, answered, busy } = fleet.stats;
    expect([answered > 0, sent - busy]).toEqual([true, answered]);
  });

  it('sends searches of one turn together, if the solver can read batches', async () => {
    const other = await connection();
    const heard: Record<string, unknown>[] = [];
    other.subscribe(names.solveAt('other'), {
      callback: (_error, { data }) => void heard.push(unpack<Record<string, unknown>>(data, {})),
    });
    const { fleet } = await daemon(undefined, TIMELESS);
    const { layers: _, ...plain } = query(3, 44, 100_000n);
    const wire = { ...plain, layerIds: [], layerNames: [], includeFees: false, maxhops: 20 };
    const search = { query: wire, lane: 'query' as const, deadline: machineMs() + 30_000 };
    const figures = { version: '0', depth: 0, capacity: 9, graph: HASH, layers: 0, answered: 0, stale: 0 };
    for (const batch of [undefined, 2]) {
      // Repeated as by a real solver: the daemon may not listen yet when the first report arrives.
      const known = () => {
        const load = { fleet: FLEET.id, id: 'other', nowMs: Date.now(), ...figures };
        other.publish(names.load('other'), pack(batch === undefined ? load : { ...load, batch }));
        return fleet.known().map((peer) => peer.load.batch);
      };
      await expect.poll(known).toEqual([batch]);
      for (let n = 0; n < 3; n++) void fleet.ask({ ...search, judge: () => 'good' });
      await expect.poll(() => heard.length).toBe(batch === undefined ? 3 : 5);
    }
    const { layerIds: __, ...sent } = wire;
    for (const one of heard.slice(0, 3)) expect(one).toMatchObject({ refs: [], query: sent });
    const batches = heard.slice(3).map(({ searches }) => (searches as Uint8Array[]).map(unpackSearch));
    expect(batches.map((each) => each.length)).toEqual([2, 1]);
    for (const one of batches.flat()) {
      expect(one).toMatchObject({ fleet: FLEET.id, refs: [], query: { ...sent, layerIds: undefined } });
    }
  });

  it('ignores unknown members, and does not listen to subjects of other versions', async () => {
    const { bus } = await solver();
    const plain = await send(bus, names.solve, request());
    const extra = await send(bus, names.solve, {
      ...request(),
      flavour: 'new',
      query: { ...request().query, x: 1 },
    });
    expect(plain.reply).toHaveProperty('answer');
    expect(extra.reply).toEqual(plain.reply);
    await expect(send(bus, `fulgurite.v3.regtest.${FLEET.id}.solve`, request())).rejects.toThrow(
      'no responders',
    );
  });

  it('packs an answer as lists for releases that can read them, and as a map for others', async () => {
    const { bus } = await solver();
    const { reply } = await send(bus, names.solve, request());
    const { packed, ...rest } = await send(bus, names.solve, request({ takes: PACKED_FORM }));
    expect([rest.reply, decodeReply(packed!)]).toEqual([undefined, reply]);
    // A release that reads lists of a different form gets a map.
    expect(await send(bus, names.solve, request({ takes: PACKED_FORM + 1 }))).toHaveProperty('reply.answer');
    // The reason for no route is a map, whoever packs it.
    const tooMuch = { ...request().query, amountMsat: msat(10n ** 15n) };
    const none = await send(bus, names.solve, request({ query: tooMuch }));
    const packedNone = await send(bus, names.solve, request({ takes: PACKED_FORM, query: tooMuch }));
    expect(none).toHaveProperty('reply.noRoute');
    expect(decodeReply(packedNone.packed!)).toEqual(none.reply);
  });

  it('keeps no state of answered requests', async () => {
    const bus = await connection();
    const subscribe = bus.subscribe.bind(bus);
    const answered: WeakRef<object>[] = [];
    bus.subscribe = (subject, { callback, ...options } = {}) =>
      subscribe(subject, {
        ...options,
        callback: (error, message) => {
          if (subject.startsWith('_INBOX.')) answered.push(new WeakRef(message));
          callback!(error, message);
        },
      });
    const fleet = new BusSolvers({
      bus,
      fleet: FLEET,
      id: 'daemon',
      shared: noSharedLayers(new LayerBook()),
    });
    closers.push(() => fleet.close());
    fleet.publish(graph);
    await solver();
    await knows(fleet, 1);
    const { layers: _, ...plain } = query(3, 44, 100_000n);
    const asked = { ...plain, layerIds: [], layerNames: [], includeFees: false, maxhops: 20 };
    for (let n = 0; n < 5; n++)
      await fleet.ask({ query: asked, lane: 'query', deadline: machineMs() + 10_000, judge: () => 'good' });
    await expectForgotten(answered.slice(0, 4));
  });

  it('reports requests that it cannot read', async () => {
    const { bus } = await solver();
    for (const wrong of ['x', { ...request(), deadline: '1' }, { ...request(), refs: 7 }]) {
      expect(await send(bus, names.solve, wrong as object)).toHaveProperty('malformed');
    }
    // An empty request only checks whether a solver listens.
    expect(await send(bus, names.solve, { fleet: FLEET.id })).toMatchObject({ stale: 'graph' });
    expect(await send(bus, names.solve, request({ refs: [5] }))).toHaveProperty('malformed');
  });

  it('drops requests that arrive after their deadline', async () => {
    const { solver: one, bus } = await solver();
    bus.publish(names.solve, pack(request({ deadline: Date.now() - 1 })), { reply: 'nobody' });
    await expect.poll(() => one.stats.dropped).toBe(1);
    expect(one.stats).toMatchObject({ depth: 0, answered: 0 });
  });

  it('does not answer with a different graph, nor with layers older than requested', async () => {
    const { bus } = await solver();
    expect(await send(bus, names.solve, request({ graph: 'another' }))).toMatchObject({ stale: 'graph' });
    expect(await send(bus, names.solve, request({ layers: 1 }))).toMatchObject({ stale: 'layers' });
    expect(await send(bus, names.solve, request({ refs: ['x'] }))).toMatchObject({ stale: 'layer' });
  });

  it('waits a moment for the requested layers', async () => {
    const book = new LayerBook();
    let position = 4;
    const waits: number[] = [];
    const shared: SharedLayers = {
      book,
      get position() {
        return position;
      },
      pendingLessons: () => [],
      reach: async (wanted, waitMs) => {
        waits.push(waitMs);
        position = wanted;
        return true;
      },
    };
    const { bus } = await solver({ shared });
    expect(await send(bus, names.solve, request({ layers: 5 }))).toMatchObject({ layers: 5 });
    expect(waits).toEqual([50]);
  });

  it('receives from the daemon the lessons that are not in the log yet, and not the whole layer', async () => {
    const [atHome, inLog] = [new LayerBook(), new LayerBook()];
    const layers = [atHome, inLog].map((book) => book.createLayer('xpay', true));
    const directions = Array.from({ length: 500 }, (_, n) => {
      return {
        shortChannelId: graph.shortChannelIds[n % 250]!,
        direction: (n >> 8) & 1,
      } as ShortChannelIdDir;
    });
    const kinds = ['constrained', 'unconstrained', 'succeeded'] as const;
    for (const [n, of] of directions.entries()) {
      const amountMsat = msat(BigInt((n * 7_919) % 1_000) * 1_000_000n);
      atHome.informChannel(layers[0]!, of, amountMsat, kinds[n % 3]!);
      if (n < 400) inLog.informChannel(layers[1]!, of, amountMsat, kinds[n % 3]!);
    }
    const records = [...layers[0]!.records].slice(layers[1]!.records.length);
    expect(records.length).toBeGreaterThan(90);
    const lessons = records.map(
      ({ shortChannelId, direction, kind, amountMsat, timestamp }) =>
        ({ type: 'inform', shortChannelId, direction, kind, amountMsat, timestamp }) as const,
    );
    await solver({ shared: { ...noSharedLayers(inLog), pendingLessons: () => [] } });
    const { fleet } = await daemon({ ...noSharedLayers(atHome), pendingLessons: () => lessons }, TIMELESS);
    const alone = new RouteEngine({ book: atHome, solvers: inProcessSolvers() });
    closers.push(() => alone.close());
    alone.publish(graph);
    await knows(fleet, 1);
    const sizes: number[] = [];
    const bus = await connection();
    bus.subscribe('fulgurite.v2.*.*.solver.*.solve', {
      callback: (_, { data }) => void sizes.push(data.length),
    });
    await bus.flush();
    const layerIds = [atHome.layerIdByName('xpay')!];
    for (let n = 0; n < 20; n++) {
      const { layers: _, ...plain } = query(3 + n, 144 + n, 300_000_000n);
      const wire = { ...plain, layerIds, layerNames: ['xpay'], includeFees: false, maxhops: 20 };
      const search = { query: wire, lane: 'query' as const, deadline: machineMs() + 30_000 };
      const reply = await fleet.ask({ ...search, judge: () => 'good' });
      const atHomeReply = await alone.search(wire, search).then(
        (answer) => ({ answer }),
        ({ noRoute }) => ({ noRoute: { binding: noRoute.binding } }),
      );
      expect(reply).toMatchObject(atHomeReply);
    }
    expect(fleet.stats.answered).toBe(20);
    await expect.poll(() => sizes.length).toBe(20);
    expect(Math.max(...sizes)).toBeLessThan(20_000);
  });

  it('does not ask a solver whose clock is far off', async () => {
    const { fleet } = await daemon();
    const odd = await connection();
    const tell = (aheadMs: number): void =>
      odd.publish(
        names.load('odd'),
        pack({
          ...{ fleet: FLEET.id, id: 'odd', version: '0', depth: 0, capacity: 9, graph: HASH, layers: 0 },
          ...{ nowMs: Date.now() + aheadMs, answered: 0, stale: 0 },
        }),
      );
    tell(60_000);
    await knows(fleet, 1);
    expect(fleet.hasRoom()).toBe(false);
    tell(0);
    await expect.poll(() => fleet.hasRoom()).toBe(true);
    tell(-60_000);
    await expect.poll(() => fleet.hasRoom()).toBe(false);
  });

  it('repeats the searches of a dying solver by itself, and does not ask that solver again', async () => {
    const { engine, fleet } = await daemon();
    const mute = await connection();
    let asked = 0;
    mute.subscribe(names.solveAt('mute'), { callback: () => void asked++ });
    const tell = setInterval(() => {
      const figures = { depth: 0, capacity: 9, layers: 0, answered: 0, stale: 0 };
      mute.publish(
        names.load('mute'),
        pack({ fleet: FLEET.id, id: 'mute', version: '0', graph: HASH, nowMs: Date.now(), ...figures }),
      );
    }, 50);
    closers.push(() => clearInterval(tell));
    await knows(fleet, 1);
    const answer = engine.getroutes(query(3, 44, 100_000n));
    await expect.poll(() => asked).toBe(1);
    clearInterval(tell);
    await mute.close();
    expect((await answer).routes.length).toBeGreaterThan(0);
    expect(fleet.stats).toEqual({ sent: 1, answered: 0, busy: 0, stale: 0, lost: 1, rejected: 0 });
    expect(fleet.hasRoom()).toBe(false);
  });

  it.each([
    ['good', { answered: 1, stale: 0, rejected: 0 }, 1],
    ['outdated', { answered: 0, stale: 1, rejected: 0 }, 1],
    ['false', { answered: 0, stale: 0, rejected: 1 }, 0],
  ] as const)('counts a reply that is judged %s once', async (verdict, counts, known) => {
    await solver();
    const { fleet } = await daemon(undefined, TIMELESS);
    fleet.publish(graph);
    await knows(fleet, 1);
    const { layers: _, ...plain } = query(3, 44, 100_000n);
    const wire = { ...plain, layerIds: [], layerNames: [], includeFees: false, maxhops: 20 };
    const search = { query: wire, lane: 'query' as const, deadline: machineMs() + 30_000 };
    await fleet.ask({ ...search, judge: () => verdict });
    expect([fleet.stats, fleet.known().length]).toEqual([{ sent: 1, busy: 0, lost: 0, ...counts }, known]);
  });

  it('searches by itself at once if there is no listener', async () => {
    const { engine, fleet } = await daemon();
    const gone = await connection();
    const figures = { depth: 0, capacity: 9, layers: 0, answered: 0, stale: 0 };
    gone.publish(
      names.load('gone'),
      pack({ fleet: FLEET.id, id: 'gone', version: '0', graph: HASH, nowMs: Date.now(), ...figures }),
    );
    await knows(fleet, 1);
    expect((await engine.getroutes(query(3, 44, 100_000n))).routes.length).toBeGreaterThan(0);
    expect(fleet.stats).toMatchObject({ sent: 1, lost: 1 });
    expect(fleet.known()).toEqual([]);
  });

  it('asks the queue group if it receives no loads, as much as the group can take', async () => {
    const { engine, fleet, book } = await daemon();
    const { malformed } = FLEET;
    expect(fleet.hasRoom()).toBe(false);
    // A solver whose account may not publish its load, but may answer requests.
    const bus = await connection();
    const silent = new Proxy(bus, {
      get(of, name) {
        if (name === 'publish') return () => undefined;
        const value: unknown = Reflect.get(of, name);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    const { solver: one } = await solver({ bus: silent });
    await expect.poll(() => fleet.hasRoom()).toBe(true);
    expect(fleet.known()).toEqual([]);
    expect(FLEET.malformed, 'the empty request is not malformed').toBe(malformed);
    const alone = new RouteEngine({ book, solvers: inProcessSolvers() });
    closers.push(() => alone.close());
    alone.publish(graph);
    const asked = query(3, 44, 100_000n);
    expect(await engine.getroutes(asked)).toEqual(await alone.getroutes(asked));
    expect(fleet.stats).toMatchObject({ sent: 1, answered: 1 });
    // After the first answer there is room for two concurrent requests, but not for three.
    const both = [engine.getroutes(asked), engine.getroutes(asked), engine.getroutes(asked)];
    expect([fleet.stats.sent, fleet.hasRoom()]).toEqual([3, false]);
    await Promise.all(both);
    expect(one.stats.answered).toBe(3);
    // When the solver is gone, the daemon makes the search itself. For the next search, it does not ask the solver
    // at all.
    await one.close();
    await bus.close();
    expect((await engine.getroutes(asked)).routes.length).toBeGreaterThan(0);
    expect([fleet.stats.lost, fleet.hasRoom()]).toEqual([1, false]);
  });

  it('searches by itself while the server is away, and on solvers again when it is back', async () => {
    const own = await startNatsServer();
    const port = Number(new URL(own.url).port);
    const shared = server;
    server = own;
    try {
      const { engine, fleet } = await daemon();
      await solver();
      await expect.poll(() => fleet.hasRoom()).toBe(true);
      await own.stop();
      const answer = await engine.getroutes(query(3, 44, 100_000n));
      expect(fleet.stats.answered).toBe(0);
      await expect.poll(() => fleet.known(), { timeout: 30_000 }).toEqual([]);
      server = await startNatsServer(port);
      await expect.poll(() => fleet.hasRoom(), { timeout: 30_000 }).toBe(true);
      // On a busy machine, the solver may be silent for half a second, or refuse the first search.
      const answered = async (): Promise<number> => {
        expect(await engine.getroutes(query(3, 44, 100_000n))).toEqual(answer);
        return fleet.stats.answered;
      };
      await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(0);
    } finally {
      for (const close of closers.splice(0).reverse()) await close();
      await server.stop();
      server = shared;
    }
  });

  it('makes a search itself if too much data would have to be sent along', async () => {
    const { fleet, book } = await daemon();
    await solver();
    await knows(fleet, 1);
    const layer = book.createLayer('large', false);
    for (let channel = 0; channel <= 4_000; channel++) {
      const shortChannelId = BigInt(channel + 1) as ShortChannelIdDir['shortChannelId'];
      book.biasChannel(
        layer,
        { shortChannelId, direction: 0 },
        { bias: 1, relative: false, description: undefined },
      );
    }
    const { layers: _, ...plain } = query(3, 44, 100_000n);
    const search: RemoteSearch = {
      query: { ...plain, layerIds: [layer.id], layerNames: ['large'], includeFees: false, maxhops: 20 },
      lane: 'query',
      deadline: machineMs() + 10_000,
      judge: () => 'good',
    };
    expect(await fleet.ask(search)).toEqual({ stale: true });
    expect(fleet.stats.sent).toBe(0);
  });
});
