/**
 * The engine with solvers on other machines: which searches go there, and that every search is answered, even
 * if those solvers misbehave. The test plays the local thread and the remote machines.
 *
 *     A ──▶ B     one channel; the cost in the answer shows who computed it
 */
import { expect, it } from 'vitest';
import type { RouteEngine } from '../../../src/engine/host/engine.ts';
import type { RemoteSearch, RemoteSolvers } from '../../../src/engine/host/remote-solvers.ts';
import type { SolverLink } from '../../../src/engine/host/solver-link.ts';
import { encode, type RouteReply } from '../../../src/engine/question/messages.ts';
import type { RouteAnswer, RouteHop, RouteQuery } from '../../../src/engine/question/route.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { type Direction, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { told } from '../../in-words.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { enginesPerTest } from './patient-engines.ts';

const { graph } = tinyGraph(['A-B 1x1x1 fee=10+0']);
const A_TO_B = nodeNamed('A') < nodeNamed('B') ? 0 : 1;
const HERE = 1;
const THERE = 2;

/** The only correct answer, marked with who computed it. */
function by(who: number): { answer: RouteAnswer } {
  const { cltvExpiryDelta } = graph.policy(A_TO_B)!;
  const hop = {
    shortChannelIdDir: { shortChannelId: shortChannelId(1, 1, 1), direction: (A_TO_B & 1) as Direction },
    nodeIdIn: nodeNamed('A'),
    nodeIdOut: nodeNamed('B'),
    amountInMsat: msat(11n),
    amountOutMsat: msat(1n),
    cltvIn: 18 + cltvExpiryDelta,
    cltvOut: 18,
  };
  const route = { probabilityPpm: 0, amountMsat: msat(1n), finalCltv: 18, path: [hop] };
  const unfinished = { costMsat: BigInt(who), leastCostMsat: 0n };
  return { answer: { probabilityPpm: 0, routes: [route], unfinished } };
}

const maker = ({ unfinished }: RouteAnswer): number => Number(unfinished!.costMsat);

/** A thread that answers when the test tells it to. */
class Thread implements SolverLink {
  readonly depth: number;
  readonly asked: ((reply: RouteReply) => void)[] = [];

  constructor(depth: number) {
    this.depth = depth;
  }

  send(): Promise<Uint8Array> {
    return new Promise((resolve) => this.asked.push((reply) => resolve(encode(reply))));
  }
  cancel(): void {}
  reset(): void {}
}

/** Machines that answer when the test tells them to. */
class Machines implements RemoteSolvers {
  room = true;
  readonly asked: { readonly search: RemoteSearch; readonly reply: (reply: RouteReply) => void }[] = [];
  published = 0;
  isClosed = false;

  hasRoom(): boolean {
    return this.room;
  }
  ask(search: RemoteSearch): Promise<RouteReply> {
    return new Promise((resolve) => {
      const reply = (made: RouteReply): void =>
        resolve(search.judge(made) === 'good' ? made : { stale: true });
      this.asked.push({ search, reply });
    });
  }
  publish(): void {
    this.published++;
  }
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { reply } of this.asked) reply({ stale: true });
  }
}

const openEngine = enginesPerTest();

function open(
  queueSize = 10,
  depth = 1,
): { engine: RouteEngine; thread: Thread; machines: Machines; book: LayerBook } {
  const thread = new Thread(depth);
  const machines = new Machines();
  const solvers = { links: [thread], memoryBytes: 0, publish: () => 1, close: async () => undefined };
  const book = new LayerBook();
  const engine = openEngine(graph, { book, solvers, fleet: machines, queueSize });
  return { engine, thread, machines, book };
}

const onePart: RouteQuery = {
  source: nodeNamed('A'),
  destination: nodeNamed('B'),
  amountMsat: msat(1n),
  layers: [],
  maxfeeMsat: msat(1_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 1,
};
const severalParts = { ...onePart, maxparts: 2 };

/** The answer to a search that is awaited only later. An early rejection is not reported as unhandled. */
function begun<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

it('searches in several parts go to solvers; those in one part stay here while a thread is free', async () => {
  const { engine, thread, machines } = open();
  const several = engine.getroutes(severalParts);
  const one = engine.getroutes(onePart);
  expect([machines.asked.length, thread.asked.length, engine.stats.outside]).toEqual([1, 1, 1]);
  machines.asked[0]!.reply(by(THERE));
  thread.asked[0]!(by(HERE));
  expect([maker(await several), maker(await one)]).toEqual([THERE, HERE]);
  expect(engine.stats).toMatchObject({ outside: 0, answered: 2 });
});

it('all searches stay here if no solver has room; one in one part goes to a solver after it has waited for 50 ms', async () => {
  const { engine, thread, machines } = open();
  machines.room = false;
  const kept = engine.getroutes(severalParts);
  const waits = engine.getroutes(onePart);
  expect([machines.asked.length, thread.asked.length, engine.stats.queued]).toEqual([0, 1, 1]);
  machines.room = true;
  await expect.poll(() => machines.asked.length).toBe(1);
  expect(engine.stats.queued).toBe(0);
  machines.asked[0]!.reply(by(THERE));
  thread.asked[0]!(by(HERE));
  expect((await Promise.all([kept, waits])).map(maker)).toEqual([HERE, THERE]);
});

it('eight searches wait for a thread here; the first of nine goes to a solver', async () => {
  const { engine, thread, machines } = open();
  const all = Array.from({ length: 9 }, () => engine.getroutes(onePart));
  expect([machines.asked.length, thread.asked.length, engine.stats.queued]).toEqual([0, 1, 8]);
  all.push(engine.getroutes(onePart));
  expect([machines.asked.length, thread.asked.length, engine.stats.queued]).toEqual([1, 1, 8]);
  machines.room = false;
  machines.asked[0]!.reply(by(THERE));
  for (let n = 0; n < 9; n++) {
    await expect.poll(() => thread.asked.length).toBe(n + 1);
    thread.asked[n]!(by(HERE));
  }
  const who = await Promise.all(all);
  expect(who.map(maker)).toEqual([HERE, THERE, ...Array.from({ length: 8 }, () => HERE)]);
});

it('searches for payments in several parts stay here, and no other payment waits behind them for over 50 ms', async () => {
  const { engine, thread, machines } = open(10, 2);
  const [several, other] = [severalParts, severalParts].map((query) =>
    engine.getroutes(query, { lane: 'payment' }),
  );
  const one = engine.getroutes(onePart, { lane: 'payment' });
  expect([machines.asked.length, thread.asked.length, engine.stats.queued]).toEqual([0, 1, 2]);
  await expect.poll(() => machines.asked.length).toBe(2);
  for (const { reply } of machines.asked) reply(by(THERE));
  thread.asked[0]!(by(HERE));
  expect((await Promise.all([several, other, one])).map(maker)).toEqual([HERE, THERE, THERE]);
});

it('a search runs here if no remote solver answered, and solvers are asked only once', async () => {
  const { engine, thread, machines } = open();
  const answer = engine.getroutes(severalParts);
  machines.asked[0]!.reply({ stale: true });
  await expect.poll(() => thread.asked.length).toBe(1);
  thread.asked[0]!(by(HERE));
  expect(maker(await answer)).toBe(HERE);
  expect(machines.asked).toHaveLength(1);
});

it('a solver’s reason for having no route is returned', async () => {
  const { engine, machines } = open();
  const answer = engine.getroutes(severalParts);
  machines.asked[0]!.reply({ noRoute: { binding: { kind: 'unconnected' } } });
  await expect(told(answer)).rejects.toMatchObject({ code: 205 });
});

it('the deadline holds even if the remote machine misses it, and the late answer is ignored', async () => {
  const { engine, machines } = open();
  await expect(told(engine.getroutes(severalParts, { deadlineMs: 1 }))).rejects.toMatchObject({ code: 210 });
  machines.asked[0]!.reply(by(THERE));
  await expect.poll(() => engine.stats.outside).toBe(0);
  expect(engine.stats).toMatchObject({ answered: 0, queued: 0, running: 0 });
});

it('remote searches in progress fail when the engine is closed', async () => {
  const { engine, machines } = open();
  const answer = begun(engine.getroutes(severalParts));
  await engine.close();
  expect(machines.isClosed).toBe(true);
  await expect(told(answer)).rejects.toMatchObject({ code: -5 });
});

it('solvers receive each published graph', () => {
  const { engine, machines } = open();
  engine.publish(graph);
  expect(machines.published).toBe(2);
});

it('a solver’s answer that a payment has no route is confirmed here', async () => {
  const { engine, thread, machines } = open();
  const first = begun(engine.getroutes(onePart));
  const answer = engine.getroutes(severalParts, { lane: 'payment' });
  await expect.poll(() => machines.asked.length).toBe(1);
  machines.asked[0]!.reply({ noRoute: { binding: { kind: 'unconnected' } } });
  thread.asked[0]!(by(HERE));
  await first;
  await expect.poll(() => thread.asked.length).toBe(2);
  thread.asked[1]!(by(HERE));
  expect(maker(await answer)).toBe(HERE);
});

it('the reported odds are computed here, and not those of the solver', async () => {
  const { engine, machines } = open();
  const answer = engine.getroutes(severalParts);
  machines.asked[0]!.reply(by(THERE));
  const { capacityMsat } = graph;
  const [capacity] = capacityMsat;
  const ppm = Number(((capacity! - 1n) * 1_000_000n) / capacity!);
  expect(await answer).toMatchObject({ probabilityPpm: ppm, routes: [{ probabilityPpm: ppm }] });
});

it.each<[string, (hop: RouteHop) => Partial<RouteHop>]>([
  ['more than the policy asks for', (hop) => ({ amountInMsat: msat(hop.amountInMsat + 1n) })],
  ['less than the policy asks for', (hop) => ({ amountInMsat: msat(hop.amountInMsat - 1n) })],
  ['another amount', () => ({ amountOutMsat: msat(2n), amountInMsat: msat(12n) })],
  ['another delay', (hop) => ({ cltvIn: hop.cltvIn + 1 })],
  [
    'another channel',
    () => ({ shortChannelIdDir: { shortChannelId: shortChannelId(9, 9, 9), direction: 0 } }),
  ],
  ['another destination', () => ({ nodeIdOut: nodeNamed('A') })],
])('searches here when an answer has %s', async (_, change) => {
  const { engine, thread, machines } = open();
  const answer = engine.getroutes(severalParts);
  const { answer: right } = by(THERE);
  const [route] = right.routes;
  const [hop] = route!.path;
  machines.asked[0]!.reply({
    answer: { ...right, routes: [{ ...route!, path: [{ ...hop!, ...change(hop!) }] }] },
  });
  await expect.poll(() => thread.asked.length).toBe(1);
  thread.asked[0]!(by(HERE));
  expect(maker(await answer)).toBe(HERE);
});

it('the search for a payment is repeated if its channel was reserved meanwhile', async () => {
  const { engine, thread, book } = open();
  const answer = engine.getroutes(onePart, { lane: 'payment' });
  const all = [
    {
      shortChannelIdDir: by(HERE).answer.routes[0]!.path[0]!.shortChannelIdDir,
      amountMsat: msat(graph.capacityMsat[0]!),
    },
  ];
  book.reserve(all, 'another payment');
  thread.asked[0]!(by(HERE));
  await expect.poll(() => thread.asked.length).toBe(2);
  book.unreserve(all);
  thread.asked[1]!(by(THERE));
  expect(maker(await answer)).toBe(THERE);
});
