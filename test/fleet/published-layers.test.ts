/**
 * A daemon's channel balances and lessons reach solvers once, as changes, and its searches have the same
 * answers there as on the daemon. Over a real NATS server.
 */
import { Packr } from 'msgpackr/pack';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { packCell } from '../../src/engine/question/messages.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { connectBus, type NatsConnection } from '../../src/fleet/bus.ts';
import { subjects } from '../../src/fleet/bus-messages.ts';
import { BusSolvers } from '../../src/fleet/bus-solvers.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { PublishedLayers } from '../../src/fleet/published-layers.ts';
import { receiveLayers } from '../../src/fleet/received-layers.ts';
import { noSharedLayers } from '../../src/fleet/shared-layers.ts';
import { Solver, type SolverOptions } from '../../src/fleet/solver.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { IDENTITY_STEP } from '../../src/layers/bounds-fold.ts';
import {
  LayerBook,
  LEARNED_LAYER_ID,
  LOCAL_CHANNELS_LAYER_ID,
  PURSE_LAYER_ID,
} from '../../src/layers/layer-book.ts';
import { ODDS_CELLS, oddsTable } from '../../src/layers/learned-odds.ts';
import { msat } from '../../src/model/msat.ts';
import type { ShortChannelId } from '../../src/model/short-channel-id.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { describeNeeding } from '../needs.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

const FLEET = new FleetName('regtest', '00112233445566aa');
const names = subjects(FLEET);
const graph = generateSyntheticGraph({ nodeCount: 500, seed: 7 });
const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

let server: NatsServer;
let solverCount = 0;
const closers: (() => unknown)[] = [];

async function connection(): Promise<NatsConnection> {
  const bus = await connectBus(server.url, 'test');
  closers.push(() => bus.close());
  return bus;
}

async function solver(options: Partial<SolverOptions> = {}): Promise<{ solver: Solver; book: LayerBook }> {
  const shared = noSharedLayers(new LayerBook());
  const engine = new RouteEngine({ book: shared.book, solvers: inProcessSolvers() });
  closers.push(() => engine.close());
  const id = `solver${++solverCount}`;
  const bus = await connection();
  const made = new Solver({ bus, fleet: FLEET, id, engine, shared, capacity: 8, ...options });
  closers.push(() => made.close());
  made.publish(graph);
  return { solver: made, book: shared.book };
}

interface TestDaemon {
  readonly engine: RouteEngine;
  readonly alone: RouteEngine;
  readonly fleet: BusSolvers;
  readonly book: LayerBook;
}

async function daemon(id = 'daemon'): Promise<TestDaemon> {
  const shared = noSharedLayers(new LayerBook());
  const { book } = shared;
  const fleet = new BusSolvers({
    ...{ bus: await connection(), fleet: FLEET, id, shared },
    // Time stands still, because on a busy machine a solver could seem silent.
    monotonicMs: () => 0,
  });
  const engine = new RouteEngine({ book, solvers: inProcessSolvers(), fleet });
  const alone = new RouteEngine({ book, solvers: inProcessSolvers() });
  closers.push(() => engine.close());
  closers.push(() => alone.close());
  engine.publish(graph);
  alone.publish(graph);
  return { engine, alone, fleet, book };
}

const knows = (fleet: BusSolvers, count: number) => expect.poll(() => fleet.known().length).toBe(count);

const query = (n: number): RouteQuery => ({
  ...{ source: graph.nodeId(3 + (n % 40)), destination: graph.nodeId(400 - 7 * (n % 40)) },
  amountMsat: msat(1_000n * 10n ** BigInt(n % 6)),
  layers: ['auto.localchans', 'auto.sourcefree', 'auto.learned'],
  ...{ maxfeeMsat: msat(100_000_000n), finalCltv: 18, maxdelay: 2016, maxparts: 10 },
});

const outcome = (answer: Promise<RouteAnswer>): Promise<unknown> =>
  answer.catch((error) => ({ reason: error.reason, remedy: error.remedy }));

/** Learns something about this many channels and about some nodes. Each call learns something different. */
function learn({ learned }: LayerBook, count: number, salt = 0): void {
  for (let n = 0; n < count; n++) {
    const channel = (graph.shortChannelIds[n] ?? BigInt(n + 1)) as ShortChannelId;
    const maxMsat = BigInt((n * 7_919 + salt * 31) % 1_000) * 1_000_000n;
    learned.setChannel(channel, [{ minMsat: 0n, maxMsat }, undefined], [n % 9 === 0 ? -30 : 0, 0]);
    if (n % 10 === 0 && n < 500) learned.setBurden(graph.nodeId(n), 1 + ((n + salt) % 30));
  }
  const survival = Float64Array.from({ length: ODDS_CELLS + 1 }, (_, at) => 1 - at / (ODDS_CELLS + 1 + salt));
  learned.setOdds(oddsTable(0.01, () => survival));
}

/** The sizes of search requests on the bus, in bytes. */
async function searchSizes(): Promise<number[]> {
  const sizes: number[] = [];
  const bus = await connection();
  bus.subscribe('fulgurite.v2.*.*.solver.*.solve', {
    callback: (_, { data }) => void sizes.push(data.length),
  });
  await bus.flush();
  return sizes;
}

/** Repeats a search until a solver has answered it. */
async function searchOutside({ engine, fleet }: TestDaemon, asked = query(1)): Promise<unknown> {
  const before = fleet.stats.answered;
  let found: unknown;
  await expect
    .poll(async () => {
      found = await outcome(engine.getroutes(asked));
      return fleet.stats.answered;
    })
    .toBeGreaterThan(before);
  return found;
}

/** A solver's copy of a daemon's layer of lessons. */
function heardIn(book: LayerBook, of = 'daemon') {
  const id = book.foreignLayers.idOf(of, LEARNED_LAYER_ID);
  return id === undefined ? undefined : { channels: [...book.cells(id).channelIds].length, id };
}

describeNeeding('nats', natsServerPath !== undefined, 'automatic layers of a daemon', () => {
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => server.stop());

  it('are not sent with its searches, however much it has learned', async () => {
    const ours = await daemon();
    const { solver: one, book } = await solver();
    await knows(ours.fleet, 1);
    const sizes = await searchSizes();
    for (const count of [0, 10, 1_000, 6_000]) {
      learn(ours.book, count);
      await searchOutside(ours);
    }
    expect(one.stats.answered).toBeGreaterThanOrEqual(4);
    expect(heardIn(book)?.channels).toBe(6_000);
    await expect.poll(() => sizes.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...sizes)).toBeLessThan(1_000);
  });

  it('give each search the same answer as on the daemon while they change, for several daemons', async () => {
    const all = [await daemon('a'), await daemon('b')];
    const { book } = await solver();
    for (const each of all) await knows(each.fleet, 1);
    let different = 0;
    for (let n = 0; n < 40; n++) {
      const found: unknown[] = [];
      for (const [index, each] of all.entries()) {
        learn(each.book, 20 * n * (index + 1), n);
        const home = await outcome(each.alone.getroutes(query(n)));
        expect(await outcome(each.engine.getroutes(query(n)))).toEqual(home);
        found.push(home);
        const path = (home as RouteAnswer).routes?.[0]?.path ?? [];
        for (const { shortChannelIdDir } of path) {
          const bounds = { minMsat: 0n, maxMsat: 1n };
          each.book.learned.setChannel(shortChannelIdDir.shortChannelId, [bounds, bounds]);
        }
      }
      if (JSON.stringify(found[0], plain) !== JSON.stringify(found[1], plain)) different++;
    }
    for (const { fleet } of all) expect(fleet.stats).toMatchObject({ stale: 0, lost: 0, rejected: 0 });
    expect(different, 'the daemons know different things').toBeGreaterThan(0);
    expect([heardIn(book, 'a'), heardIn(book, 'b')]).not.toContain(undefined);
    all[0]!.book.learned.clear();
    await searchOutside(all[0]!);
    expect(heardIn(book, 'a')?.channels).toBe(0);
  });

  it('reach a solver that starts later, after it has refused one search', async () => {
    const ours = await daemon();
    learn(ours.book, 700);
    const first = await solver();
    await knows(ours.fleet, 1);
    await searchOutside(ours);
    await first.solver.close();
    const { solver: second, book } = await solver();
    await knows(ours.fleet, 2);
    await expect
      .poll(async () => {
        await outcome(ours.engine.getroutes(query(1)));
        return second.stats.answered;
      })
      .toBeGreaterThan(0);
    expect(second.stats.stale).toBeGreaterThan(0);
    expect(heardIn(book)?.channels).toBe(700);
    expect(await searchOutside(ours)).toEqual(await outcome(ours.alone.getroutes(query(1))));
  });

  it('are sent again after a lost message, and until then no search is answered without them', async () => {
    const book = new LayerBook();
    const bus = await connection();
    const publisher = new PublishedLayers({ bus, fleet: FLEET, id: 'daemon', book });
    closers.push(() => publisher.close());
    const reader = await connection();
    let losesNext = false;
    const lossy = {
      subscribe: (subject: string, { callback }: { callback: (error: null, message: object) => void }) =>
        reader.subscribe(subject, {
          callback: (_, message) => {
            if (!losesNext) callback(null, message);
            losesNext = false;
          },
        }),
    } as unknown as NatsConnection;
    const copy = new LayerBook();
    const heard = receiveLayers({ bus: lossy, fleet: FLEET, book: copy });
    closers.push(() => heard.close());
    await reader.flush();
    const reach = () => heard.reachOf('daemon', publisher.flush());
    learn(book, 100);
    publisher.flush();
    await expect.poll(reach).toBe('reached');
    losesNext = true;
    learn(book, 300, 1);
    publisher.flush();
    learn(book, 200, 2);
    publisher.flush();
    await expect.poll(() => losesNext).toBe(false);
    await bus.flush();
    await reader.flush();
    expect(reach()).toBe('behind');
    publisher.repeatSoon();
    await expect.poll(reach).toBe('reached');
    const id = copy.foreignLayers.idOf('daemon', LEARNED_LAYER_ID)!;
    const cells = (of: LayerBook, layer: number) =>
      Array.from(of.cells(layer).channelIds, (channel) => [channel, of.channelCell(layer, channel)]);
    expect(new Map(cells(copy, id) as never)).toEqual(new Map(cells(book, LEARNED_LAYER_ID) as never));
    expect(copy.odds(id)).toEqual(book.odds(LEARNED_LAYER_ID));
  });

  it('of a daemon that restarts are replaced, and those of one that is gone are dropped', async () => {
    let nowMs = 0;
    const { book } = await solver({ monotonicMs: () => nowMs });
    const first = await daemon();
    await knows(first.fleet, 1);
    learn(first.book, 300);
    await searchOutside(first);
    const before = heardIn(book);
    await first.engine.close();
    const second = await daemon();
    await knows(second.fleet, 1);
    learn(second.book, 20, 5);
    expect(await searchOutside(second)).toEqual(await outcome(second.alone.getroutes(query(1))));
    const after = heardIn(book)!;
    expect([before?.channels, after.channels, after.id === before?.id]).toEqual([300, 20, false]);
    expect(book.layerIds()).not.toContain(before!.id);
    await second.engine.close();
    nowMs += 11_000;
    await expect.poll(() => heardIn(book)).toBe(undefined);
    expect(book.layerIds()).not.toContain(after.id);
  });

  it('without room at a solver, leave the search to the daemon', async () => {
    const book = new LayerBook();
    const reader = await connection();
    const heard = receiveLayers({ bus: reader, fleet: FLEET, book, maxKept: 50 });
    closers.push(() => heard.close());
    await reader.flush();
    const [own, bus] = [new LayerBook(), await connection()];
    const publisher = new PublishedLayers({ bus, fleet: FLEET, id: 'daemon', book: own });
    closers.push(() => publisher.close());
    learn(own, 60);
    publisher.flush();
    await expect.poll(() => heard.reachOf('daemon', publisher.flush())).toBe('full');
    expect(heard.count).toBe(50);
    own.learned.clear();
    learn(own, 10);
    publisher.flush();
    publisher.repeatSoon();
    await expect.poll(() => heard.reachOf('daemon', publisher.flush())).toBe('reached');
  });

  it('that are invalid or of a different fleet are dropped and counted', async () => {
    const { book } = await solver();
    const bus = await connection();
    const [scid, node] = [graph.shortChannelIds[0]!, graph.nodeId(1)];
    const cell = packCell({
      updates: [{ enabled: true, feeBaseMsat: 1n, cltvExpiryDelta: 9 }, undefined],
      ...{ bias: [-30, 0], bounds: [[{ ...IDENTITY_STEP, maxHigh: 5n }], []], reservedMsat: [1n, 0n] },
      created: {
        node1: '02'.padEnd(66, '1') as never,
        node2: '03'.padEnd(66, '1') as never,
        capacityMsat: 9n,
      },
      extraHtlcCostMsat: [3n, 0n],
    });
    const changed = (at: number, value: unknown): unknown => cell.map((part, n) => (n === at ? value : part));
    const channel = (content: unknown): unknown[] => ['channel', LEARNED_LAYER_ID, scid, content];
    const message = { fleet: FLEET.id, daemon: 'c', session: 1, number: 1, kind: 'change' };
    const odds = (fill: number): Uint8Array => {
      const table = oddsTable(0.01, () => new Float64Array(ODDS_CELLS + 1).fill(0.5)).fill(fill);
      return new Uint8Array(table.buffer);
    };
    const nodeCell = { disabled: false, inBias: 0, outBias: 0 };
    const wrong = [
      ['removed', LEARNED_LAYER_ID],
      ['channel', 0, scid, cell],
      ['channel', 77, scid, cell],
      ['channel', LEARNED_LAYER_ID, -1n, cell],
      ['channel', LEARNED_LAYER_ID, 'x', cell],
      channel(undefined),
      channel([]),
      channel(changed(0, ['x', 'y', 1n])),
      channel(changed(0, [node, node, 1n])),
      channel(changed(1, [{ feeBaseMsat: -1n }, null])),
      channel(changed(1, [{ cltvExpiryDelta: 1.5 }, null])),
      channel(changed(1, [{ enabled: 1 }, null])),
      channel(changed(2, [101, 0])),
      channel(changed(3, [[1n], null])),
      channel(changed(3, [Array(6).fill(2n ** 63n), null])),
      channel(changed(3, [Array(6_000).fill(1n), null])),
      channel(changed(4, [1n])),
      channel(changed(5, [-1n, 0n])),
      ['node', LEARNED_LAYER_ID, 'x', nodeCell],
      ['node', LEARNED_LAYER_ID, node, { ...nodeCell, burden: 32 }],
      ['node', LEARNED_LAYER_ID, node, { ...nodeCell, inBias: Number.NaN }],
      ['odds', LEARNED_LAYER_ID, new Uint8Array(4)],
      ['odds', LEARNED_LAYER_ID, odds(Number.NaN)],
      ['odds', LEARNED_LAYER_ID, odds(-1)],
    ];
    const { malformed, foreign } = FLEET;
    const send = (message: object): void => bus.publish(names.layers, packr.pack(message));
    for (const item of wrong) send({ ...message, cells: [item] });
    for (const cells of [undefined, 7, Array(501).fill(channel(cell))]) send({ ...message, cells });
    send({ ...message, fleet: 'ffffffffffffffff', cells: [channel(cell)] });
    await expect
      .poll(() => [FLEET.malformed - malformed, FLEET.foreign - foreign])
      .toEqual([wrong.length + 3, 1]);
    expect(heardIn(book, 'c')).toBe(undefined);
    const right = [
      channel(cell),
      ['node', PURSE_LAYER_ID, node, nodeCell],
      ['odds', LEARNED_LAYER_ID, odds(1)],
    ];
    send({ ...message, cells: [...right, ['channel', LOCAL_CHANNELS_LAYER_ID, scid, null]], flavour: 'new' });
    await expect.poll(() => heardIn(book, 'c')?.channels).toBe(1);
    expect(packCell(book.channelCell(heardIn(book, 'c')!.id, scid as ShortChannelId)!)).toEqual(cell);
  });
});

it('layers are published only until a minute after the last search, and as a new session from the next one on', () => {
  vi.useFakeTimers();
  try {
    const sent: { readonly session: number; readonly number: number; readonly cells: unknown[] }[] = [];
    const bus = {
      publish: (_: string, message: Uint8Array) => void sent.push(packr.unpack(message)),
      isClosed: () => false,
    } as unknown as NatsConnection;
    const book = new LayerBook();
    const publisher = new PublishedLayers({ bus, fleet: FLEET, id: 'daemon', book });
    learn(book, 3);
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
    publisher.flush();
    vi.advanceTimersByTime(50_000);
    const first = publisher.flush();
    vi.advanceTimersByTime(59_000);
    learn(book, 5);
    vi.advanceTimersByTime(2_000);
    const before = sent.length;
    const cells = sent.reduce((sum, { cells }) => sum + cells.length, 0);
    learn(book, 6, 1);
    vi.advanceTimersByTime(60_000);
    expect(sent.length).toBe(before);
    const second = publisher.flush();
    expect(second.session).not.toBe(first.session);
    const all = sent.slice(before);
    expect(all.every(({ session }) => session === second.session)).toBe(true);
    expect(all.at(-1)!.number).toBe(second.number);
    expect(all.reduce((sum, { cells }) => sum + cells.length, 0)).toBeGreaterThanOrEqual(6);
    expect(cells).toBeGreaterThanOrEqual(5);
    publisher.close();
  } finally {
    vi.useRealTimers();
  }
});

/** Converts bigints to text. */
const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
