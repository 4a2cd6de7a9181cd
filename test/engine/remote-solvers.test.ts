/**
 * The engine with solvers on other machines: which searches go there, and that every search has its answer whatever
 * they do. The thread here and the machines there are played by the test.
 *
 *     A ──▶ B     one channel; who answers is told by the probability in the answer
 */
import { expect, it } from 'vitest';
import type { RouteEngine } from '../../src/engine/engine.ts';
import { encode, type RouteReply } from '../../src/engine/messages.ts';
import type { RemoteSearch, RemoteSolvers } from '../../src/engine/remote-solvers.ts';
import type { RouteQuery } from '../../src/engine/route.ts';
import type { SolverLink } from '../../src/engine/solver-link.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { told } from '../in-words.ts';
import { nodeNamed, tinyGraph } from '../reference/tiny-graph.ts';
import { enginesPerTest } from './patient-engines.ts';

const { graph } = tinyGraph(['A-B 1x1x1 fee=10+0']);
const HERE = 1;
const THERE = 2;
const by = (probabilityPpm: number): RouteReply => ({ answer: { probabilityPpm, routes: [] } });

/** A thread that answers when the test says so. */
class Thread implements SolverLink {
  readonly depth = 1;
  readonly asked: ((reply: RouteReply) => void)[] = [];

  send(): Promise<Uint8Array> {
    return new Promise((resolve) => this.asked.push((reply) => resolve(encode(reply))));
  }
  cancel(): void {}
  reset(): void {}
}

/** Machines that answer when the test says so. */
class Machines implements RemoteSolvers {
  room = true;
  readonly asked: { readonly search: RemoteSearch; readonly reply: (reply: RouteReply) => void }[] = [];
  published = 0;
  isClosed = false;

  hasRoom(): boolean {
    return this.room;
  }
  ask(search: RemoteSearch): Promise<RouteReply> {
    return new Promise((reply) => this.asked.push({ search, reply }));
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

function open(queueSize = 10): { engine: RouteEngine; thread: Thread; machines: Machines } {
  const thread = new Thread();
  const machines = new Machines();
  const solvers = { links: [thread], memoryBytes: 0, publish: () => 1, close: async () => undefined };
  const engine = openEngine(graph, { book: new LayerBook(), solvers, fleet: machines, queueSize });
  return { engine, thread, machines };
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

/** The answer of a search that nobody waits for yet, and whose rejection counts later. */
function begun<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

it('sends out what may take several parts; keeps one part here while a thread is free', async () => {
  const { engine, thread, machines } = open();
  const several = engine.getroutes(severalParts);
  const one = engine.getroutes(onePart);
  expect([machines.asked.length, thread.asked.length, engine.stats.outside]).toEqual([1, 1, 1]);
  machines.asked[0]!.reply(by(THERE));
  thread.asked[0]!(by(HERE));
  expect([(await several).probabilityPpm, (await one).probabilityPpm]).toEqual([THERE, HERE]);
  expect(engine.stats).toMatchObject({ outside: 0, answered: 2 });
});

it('sends one part out when no thread here is free, and keeps everything while nobody has room', async () => {
  const { engine, thread, machines } = open();
  machines.room = false;
  const kept = engine.getroutes(severalParts);
  const waits = engine.getroutes(onePart);
  expect([machines.asked.length, thread.asked.length, engine.stats.queued]).toEqual([0, 1, 1]);
  machines.room = true;
  const goes = engine.getroutes(onePart);
  // The one that waited is the first to go, and the new one goes as well.
  expect([machines.asked.length, engine.stats.queued]).toEqual([2, 0]);
  for (const { reply } of machines.asked) reply(by(THERE));
  thread.asked[0]!(by(HERE));
  const who = await Promise.all([kept, waits, goes]);
  expect(who.map(({ probabilityPpm }) => probabilityPpm)).toEqual([HERE, THERE, THERE]);
});

it('searches here what nobody there answered, and asks there only once', async () => {
  const { engine, thread, machines } = open();
  const answer = engine.getroutes(severalParts);
  machines.asked[0]!.reply({ stale: true });
  await expect.poll(() => thread.asked.length).toBe(1);
  thread.asked[0]!(by(HERE));
  expect((await answer).probabilityPpm).toBe(HERE);
  expect(machines.asked).toHaveLength(1);
});

it('gives on why there is no route', async () => {
  const { engine, machines } = open();
  const answer = engine.getroutes(severalParts);
  machines.asked[0]!.reply({ noRoute: { binding: { kind: 'unconnected' } } });
  await expect(told(answer)).rejects.toMatchObject({ code: 205 });
});

it('keeps the deadline when the other machine does not, and does not mind its late answer', async () => {
  const { engine, machines } = open();
  await expect(told(engine.getroutes(severalParts, { deadlineMs: 1 }))).rejects.toMatchObject({ code: 210 });
  machines.asked[0]!.reply(by(THERE));
  await expect.poll(() => engine.stats.outside).toBe(0);
  expect(engine.stats).toMatchObject({ answered: 0, queued: 0, running: 0 });
});

it('ends with the engine: what is outside is told that the engine is closed', async () => {
  const { engine, machines } = open();
  const answer = begun(engine.getroutes(severalParts));
  await engine.close();
  expect(machines.isClosed).toBe(true);
  await expect(told(answer)).rejects.toMatchObject({ code: -5 });
});

it('gives them each graph that it publishes', () => {
  const { engine, machines } = open();
  engine.publish(graph);
  expect(machines.published).toBe(2);
});
