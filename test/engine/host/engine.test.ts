/**
 * The pool of route workers: what happens when a thread dies, hangs, traps or is late, or when there are too
 * many requests at once. Every worker sees every layer and every graph.
 *
 *   A ──10 msat── B     the only channel, 1,000,000 sat
 */
import { describe, expect, it } from 'vitest';
import type { RouteEngine } from '../../../src/engine/host/engine.ts';
import type { EngineOptions } from '../../../src/engine/host/engine-options.ts';
import { fittestWorker } from '../../../src/engine/host/fittest-worker.ts';
import type { RouteQuery } from '../../../src/engine/question/route.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import type { Direction } from '../../../src/model/short-channel-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { told } from '../../in-words.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { enginesPerTest } from './patient-engines.ts';

const FAULTY = new URL('./faulty-worker.mjs', import.meta.url).href;
/** Amounts that trigger the faults in faulty-worker.mjs. */
const MUTE = 665n;
const EXIT = 666n;
const HANG = 667n;
const TRAP = 668n;
const BUSY = 669n;
/** With this amount, the faulty worker waits until it is asked to stop. */
const TOLD = 2_999_000_000n;
const GRAPH = tinyGraph(['A-B 1x1x1 fee=10+0']).graph;
const OTHER_GRAPH = tinyGraph(['A-C 2x1x1 fee=1+0', 'C-B 2x2x2 fee=2+0']).graph;
const [A, B] = [nodeNamed('A'), nodeNamed('B')];
const AB = { shortChannelId: shortChannelId(1, 1, 1), direction: (A < B ? 0 : 1) as Direction };

const openEngine = enginesPerTest();

function started(options: Partial<EngineOptions> = {}): { engine: RouteEngine; book: LayerBook } {
  const book = options.book ?? new LayerBook();
  return { engine: openEngine(GRAPH, { workers: 1, workerFile: FAULTY, ...options, book }), book };
}

const ask = (amount: bigint, layers: readonly string[] = []): RouteQuery => ({
  source: A,
  destination: B,
  amountMsat: msat(amount),
  layers,
  maxfeeMsat: msat(1_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 10,
});

/** The fee of the answer, or the error code. */
async function outcome(answer: ReturnType<RouteEngine['getroutes']>): Promise<string> {
  try {
    const { routes } = await answer;
    return `fee ${routes.reduce((sum, { path }) => sum + path[0]!.amountInMsat - path.at(-1)!.amountOutMsat, 0n)}`;
  } catch (error) {
    return `error ${(error as { code: number }).code}`;
  }
}

describe('a thread that dies', () => {
  it.each([
    ['exits', EXIT],
    ['has a kernel that traps', TRAP],
  ])('%s: the request fails, the next ones work and see all layers', async (_, poison) => {
    const { engine, book } = started();
    const layer = book.createLayer('dear', false);
    book.updateChannel(layer, AB, { feeBaseMsat: 77n });
    expect(await outcome(engine.getroutes(ask(1n, ['dear'])))).toBe('fee 77');
    expect(await outcome(engine.getroutes(ask(poison)))).toBe('error -4');
    engine.publish(GRAPH);
    book.updateChannel(layer, AB, { cltvExpiryDelta: 1 });
    expect(await outcome(engine.getroutes(ask(1n, ['dear'])))).toBe('fee 77');
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('fee 10');
    expect(engine.stats).toMatchObject({ replaced: 1, running: 0, queued: 0 });
  });

  it('fails the request that killed it, and sends the requests behind it again', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    const outcomes = [EXIT, 1n, 2n, EXIT, 3n, 4n].map((amount) => outcome(engine.getroutes(ask(amount))));
    expect(await Promise.all(outcomes)).toEqual([
      'error -4',
      'fee 10',
      'fee 10',
      'error -4',
      'fee 10',
      'fee 10',
    ]);
    expect(engine.stats.replaced).toBe(2);
  });

  /** The first reply is in the ring when the thread dies. The request behind it was never started. */
  it('between writing a reply and waking us: the reply counts, and no request behind it is blamed', async () => {
    const { engine, book } = started();
    const layer = book.createLayer('dear', false);
    book.updateChannel(layer, AB, { feeBaseMsat: 77n });
    await engine.getroutes(ask(1n));
    const outcomes = [MUTE, 1n, 2n, MUTE, 3n].map((amount) =>
      outcome(engine.getroutes(ask(amount, ['dear']))),
    );
    expect(await Promise.all(outcomes)).toEqual(['fee 77', 'fee 77', 'fee 77', 'fee 77', 'fee 77']);
    expect(engine.stats).toMatchObject({ running: 0, queued: 0 });
  });
});

describe('a warm-up', () => {
  it('is not counted, leaves layers unchanged, and does nothing after the first query', async () => {
    const searches: unknown[] = [];
    const { engine, book } = started({ workers: 2, onSearch: (search) => searches.push(search) });
    const layer = book.createLayer('dear', false);
    book.updateChannel(layer, AB, { feeBaseMsat: 77n });
    engine.warmUp(GRAPH);
    const answers = [1n, 2n, 3n, 4n].map((amount) => outcome(engine.getroutes(ask(amount, ['dear']))));
    expect(await Promise.all(answers)).toEqual(['fee 77', 'fee 77', 'fee 77', 'fee 77']);
    engine.warmUp(GRAPH);
    expect(await outcome(engine.getroutes(ask(1n, ['dear'])))).toBe('fee 77');
    expect(searches).toHaveLength(5);
    expect(engine.stats).toMatchObject({ answered: 5, replaced: 0, running: 0 });
  });
});

describe('rings that are smaller than a message', () => {
  /** A layer whose changes take many pieces. The last change makes the route cost 77 msat. */
  const makeLargeLayer = (book: LayerBook) => {
    const layer = book.createLayer('large', false);
    for (let block = 1; block <= 3_000; block++) {
      book.updateChannel(
        layer,
        { shortChannelId: shortChannelId(block, 2, 3), direction: 0 },
        { feeBaseMsat: 1n },
      );
    }
    book.updateChannel(layer, AB, { feeBaseMsat: 77n });
  };

  it('pass it in pieces, followed by later messages in order', async () => {
    const { engine, book } = started({ workers: 2, ringBytes: 64 });
    makeLargeLayer(book);
    const outcomes = Array.from({ length: 40 }, (_, index) =>
      outcome(engine.getroutes(ask(BigInt(index + 1), index % 2 === 0 ? ['large'] : []))),
    );
    expect(await Promise.all(outcomes)).toEqual(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'fee 77' : 'fee 10')),
    );
    expect(engine.stats).toMatchObject({ replaced: 0, running: 0, queued: 0 });
  });

  it('pass it even if we pause within a message for longer than the thread waits for requests', async () => {
    const { engine, book } = started({ ringBytes: 64 });
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('fee 10');
    makeLargeLayer(book);
    const answer = outcome(engine.getroutes(ask(1n, ['large'])));
    // Some pieces of the request have gone through the ring when this thread pauses.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(await answer).toBe('fee 77');
    expect(engine.stats).toMatchObject({ replaced: 0 });
  });
});

describe('a deadline', () => {
  it('that passes while the thread hangs: 210, and the thread is replaced', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    expect(await outcome(engine.getroutes(ask(HANG), { deadlineMs: 50 }))).toBe('error 210');
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('fee 10');
    expect(engine.stats).toMatchObject({ replaced: 1, running: 0 });
  });

  it('that passes while the thread is busy: 210, and the thread continues', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    const answers = [
      outcome(engine.getroutes(ask(BUSY), { deadlineMs: 50 })),
      outcome(engine.getroutes(ask(1n), { deadlineMs: 50 })),
      outcome(engine.getroutes(ask(2n), { deadlineMs: 50 })),
      outcome(engine.getroutes(ask(3n))),
    ];
    expect(await Promise.all(answers)).toEqual(['error 210', 'error 210', 'error 210', 'fee 10']);
    expect(engine.stats).toMatchObject({ replaced: 0, running: 0, queued: 0 });
  });

  it('stops a search', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    const { graph, from, to } = labyrinth(150);
    engine.publish(graph);
    const query = { ...ask(TOLD), source: from, destination: to, maxfeeMsat: msat(2n ** 50n) };
    // A thread that does not stop finds a route or none. The counter shows that the thread answered.
    expect(await outcome(engine.getroutes(query, { deadlineMs: 50 }))).toBe('error 210');
    expect(engine.stats).toMatchObject({ answered: 2, replaced: 0 });
    engine.publish(GRAPH);
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('fee 10');
  });
});

/**
 * Many paths between two nodes, each of at least `size` / 10 hops, which must be below 20. The amount nearly exhausts
 * their capacity.
 */
function labyrinth(size: number) {
  const lines: string[] = [];
  for (let i = 0; i < size; i++) {
    for (let j = 1; j <= 10; j++) {
      lines.push(
        `${i}-${i + j} ${i}x${j}x0 cap=${300_000 + ((i * 7919 + j * 104_729) % 1000)}sat fee=${j}+${(i * 31) % 997}`,
      );
    }
  }
  return { graph: tinyGraph(lines).graph, from: nodeNamed('0'), to: nodeNamed(`${size}`) };
}

describe('limits and shutdown', () => {
  it('refuses requests that do not fit in the queue', async () => {
    const { engine } = started({ queueSize: 3 });
    await engine.getroutes(ask(1n));
    const answers = [BUSY, 1n, 2n, 3n, 4n, 5n].map((amount) => outcome(engine.getroutes(ask(amount))));
    expect(await Promise.all(answers)).toEqual([
      'fee 10',
      'fee 10',
      'fee 10',
      'fee 10',
      'fee 10',
      'error -32001',
    ]);
  });

  it('fails running and waiting requests on close, and accepts no more', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    const answers = [HANG, 1n, 2n, 3n].map((amount) => outcome(engine.getroutes(ask(amount))));
    await engine.close();
    expect(await Promise.all(answers)).toEqual(Array(4).fill('error -5'));
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('error -5');
  });
});

describe('payments and queries', () => {
  /** Names in the order in which they are answered. */
  async function answered(asked: readonly (readonly [name: string, answer: Promise<unknown>])[]) {
    const names: string[] = [];
    await Promise.all(asked.map(([name, answer]) => answer.finally(() => names.push(name))));
    return names;
  }

  it('of one worker: a payment waits for the queries that the worker holds, not for the queue', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    const names = await answered([
      ['busy', engine.getroutes(ask(BUSY))],
      ...Array.from({ length: 100 }, (_, i) => [`query ${i}`, engine.getroutes(ask(1n))] as const),
      ['payment', engine.getroutes(ask(1n), { lane: 'payment' })],
    ]);
    expect(names.slice(0, 4)).toEqual(['busy', 'query 0', 'payment', 'query 1']);
  });

  it('of several workers: once there are payments, one worker holds no second query, so it soon takes a payment', async () => {
    const { engine } = started({ workers: 2 });
    await Promise.all([engine.getroutes(ask(1n)), engine.getroutes(ask(1n), { lane: 'payment' })]);
    const queries = [BUSY, BUSY, BUSY, BUSY].map(
      (amount, i) => [`query ${i}`, engine.getroutes(ask(amount))] as const,
    );
    expect(engine.stats).toMatchObject({ running: 3, queued: 1 });
    const names = await answered([...queries, ['payment', engine.getroutes(ask(1n), { lane: 'payment' })]]);
    // Which of the two workers is first depends on the machine. In any case, the payment overtakes the
    // waiting queries.
    expect(['query 0', 'query 1']).toContain(names[0]);
    expect(names.indexOf('payment')).toBeLessThan(names.indexOf('query 3'));
  });

  it('fill both workers if there was no payment', async () => {
    const { engine } = started({ workers: 2 });
    await Promise.all([engine.getroutes(ask(1n)), engine.getroutes(ask(1n))]);
    const queries = Array.from({ length: 5 }, () => engine.getroutes(ask(BUSY)));
    expect(engine.stats).toMatchObject({ running: 4, queued: 1 });
    await Promise.all(queries);
  });

  it('that are short: a worker holds a few milliseconds of them, so it need not wait for the next one', async () => {
    const { engine } = started();
    let most = 0;
    // On a busy machine, a short query may take as long as a long one, for a while.
    for (let round = 0; round < 20 && most <= 2; round++) {
      for (let n = 0; n < 300; n++) await engine.getroutes(ask(1n));
      const flood = Array.from({ length: 1_000 }, () => outcome(engine.getroutes(ask(1n))));
      most = engine.stats.running;
      expect(new Set(await Promise.all(flood))).toEqual(new Set(['fee 10']));
    }
    expect(most).toBeGreaterThan(2);
  });

  it('that are long: a worker holds two of them', async () => {
    const { engine } = started();
    await Promise.all([1n, BUSY].map((amount) => engine.getroutes(ask(amount))));
    const queries = [BUSY, 1n, 1n].map((amount) => engine.getroutes(ask(amount)));
    expect(engine.stats).toMatchObject({ running: 2, queued: 1 });
    await Promise.all(queries);
  });

  it('of two clients take turns', async () => {
    const { engine } = started();
    await engine.getroutes(ask(1n));
    const [many, one] = [{}, {}];
    const names = await answered([
      ['busy', engine.getroutes(ask(BUSY), { client: many })],
      ...Array.from(
        { length: 100 },
        (_, i) => [`many ${i}`, engine.getroutes(ask(1n), { client: many })] as const,
      ),
      ['one', engine.getroutes(ask(1n), { client: one })],
    ]);
    expect(names.slice(0, 5)).toEqual(['busy', 'many 0', 'many 1', 'one', 'many 2']);
  });

  it('when the queue is full: the client with the most waiting requests is refused, with advice', async () => {
    const { engine } = started({ queueSize: 2 });
    await engine.getroutes(ask(1n));
    const client = {};
    const many = [BUSY, 1n, 2n, 3n].map((amount) => engine.getroutes(ask(amount), { client }));
    const last = expect(told(many[3]!)).rejects.toMatchObject({
      code: -32001,
      message:
        '2 route queries are queued, 1 of them by this client: retry later, ' +
        'or start with a larger --queue-size',
      data: { queue_size: 2, waiting: 2, waiting_of_client: 1 },
    });
    expect(await outcome(engine.getroutes(ask(1n), { client: {} }))).toBe('fee 10');
    await last;
    expect(await Promise.all(many.slice(0, 3).map(outcome))).toEqual(['fee 10', 'fee 10', 'fee 10']);
  });

  it('a queue of size 0 still serves a request if a worker is free', async () => {
    const { engine } = started({ queueSize: 0 });
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('fee 10');
    const answers = [BUSY, 1n, 2n].map((amount) => outcome(engine.getroutes(ask(amount))));
    expect(await Promise.all(answers)).toEqual(['fee 10', 'fee 10', 'error -32001']);
  });
});

describe('a query sees', () => {
  it('every change made before it, in any worker', async () => {
    const { engine, book } = started({ workers: 3 });
    const layer = book.createLayer('moving', false);
    const answers: Promise<string>[] = [];
    for (let fee = 1; fee <= 300; fee++) {
      book.updateChannel(layer, AB, { feeBaseMsat: BigInt(fee) });
      answers.push(outcome(engine.getroutes(ask(1n, ['moving']))));
    }
    // All queries were sent at once. Each worker received all changes before its first answer.
    expect(new Set(await Promise.all(answers)).has('fee 300')).toBe(true);
    for (let fee = 301; fee <= 330; fee++) {
      book.updateChannel(layer, AB, { feeBaseMsat: BigInt(fee) });
      const three = [1n, 2n, 3n].map((amount) => outcome(engine.getroutes(ask(amount, ['moving']))));
      expect(await Promise.all(three)).toEqual(Array(3).fill(`fee ${fee}`));
    }
  });

  it('the removal of a layer, and never an older layer of the same name', async () => {
    const { engine, book } = started({ workers: 2 });
    for (let round = 1; round <= 20; round++) {
      const layer = book.createLayer('again', false);
      book.updateChannel(
        layer,
        AB,
        round % 2 === 0 ? { feeBaseMsat: BigInt(round) } : { cltvExpiryDelta: 9 },
      );
      const both = [1n, 2n].map((amount) => outcome(engine.getroutes(ask(amount, ['again']))));
      expect(await Promise.all(both)).toEqual(Array(2).fill(round % 2 === 0 ? `fee ${round}` : 'fee 10'));
      book.removeLayer(layer);
      await expect(told(engine.getroutes(ask(1n, ['again'])))).rejects.toThrow('unknown layer');
    }
  });

  it('either the old or the new graph during publication, never a mixture', async () => {
    const { engine } = started({ workers: 2 });
    const answers: Promise<string>[] = [];
    for (let round = 0; round < 200; round++) {
      engine.publish(round % 2 === 0 ? OTHER_GRAPH : GRAPH);
      answers.push(outcome(engine.getroutes(ask(BigInt(round + 1)))));
      if (round % 20 === 0) await answers.at(-1);
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['fee 10', 'fee 3']));
    expect(await outcome(engine.getroutes(ask(1n)))).toBe('fee 10');
  });
});

describe('the chosen worker', () => {
  const worker = (name: string, busy: number, layers: string, lastTask: number) => ({
    name,
    running: { length: busy },
    layers,
    lastTask,
  });

  it.each([
    ['the least loaded', [worker('a', 2, 'x', 1), worker('b', 1, 'y', 2)], 'b'],
    ['of equals the one with the layers', [worker('a', 0, 'y', 1), worker('b', 0, 'x', 2)], 'b'],
    ['without such the one idle for longest', [worker('a', 0, 'y', 7), worker('b', 0, 'z', 3)], 'b'],
    ['with several such the one idle for longest', [worker('a', 1, 'x', 7), worker('b', 1, 'x', 3)], 'b'],
    ['with several such that are idle the warm one', [worker('a', 0, 'x', 7), worker('b', 0, 'x', 3)], 'a'],
  ])('is %s', (_, workers, chosen) => {
    expect(fittestWorker(workers, 'x').name).toBe(chosen);
    expect(fittestWorker(workers.toReversed(), 'x').name).toBe(chosen);
  });
});
