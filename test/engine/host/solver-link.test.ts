/**
 * The engine over links to solvers outside the process. The solver here answers when the test tells it to. A
 * solver knows only what it receives over the link, and the engine knows only the replies.
 */
import { expect, it } from 'vitest';
import type { RouteEngine } from '../../../src/engine/host/engine.ts';
import type { SolverLink, Solvers } from '../../../src/engine/host/solver-link.ts';
import { decodeRequest, encode, type RouteReply } from '../../../src/engine/question/messages.ts';
import type { RouteQuery } from '../../../src/engine/question/route.ts';
import type { RouteRequest } from '../../../src/engine/question/route-request.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { parseShortChannelId } from '../../../src/model/short-channel-id.ts';
import { told } from '../../in-words.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { enginesPerTest } from './patient-engines.ts';

const { graph } = tinyGraph(['A-B 1x1x1 fee=10+0']);
/** The correct answer for the amount. The engine recomputes answers to payments, and refuses wrong ones. */
function answerTo({ query: { amountMsat } }: RouteRequest): RouteReply {
  const hop = {
    shortChannelIdDir: {
      shortChannelId: parseShortChannelId('1x1x1')!,
      direction: nodeNamed('A') < nodeNamed('B') ? 0 : 1,
    },
    nodeIdIn: nodeNamed('A'),
    nodeIdOut: nodeNamed('B'),
    amountInMsat: msat(amountMsat + 10n),
    amountOutMsat: amountMsat,
    cltvIn: 24,
    cltvOut: 18,
  } as const;
  const route = { probabilityPpm: 1_000_000, amountMsat, finalCltv: 18, path: [hop] };
  return { answer: { probabilityPpm: 1_000_000, routes: [route] } };
}
const OUTDATED: RouteReply = { outdated: true };

class Far implements SolverLink {
  readonly depth: number;
  readonly requests: RouteRequest[] = [];
  readonly cancelled: number[] = [];
  resets = 0;
  /** Chooses the answer to a request. If it returns undefined, the solver never answers. */
  answer: (request: RouteRequest) => RouteReply | undefined = answerTo;
  /** Rejects the requests that the solver holds. */
  #lose: (error: Error) => void = () => undefined;

  constructor(depth = 1) {
    this.depth = depth;
  }

  async send(task: number, bytes: Uint8Array): Promise<Uint8Array> {
    const request = decodeRequest(bytes);
    expect(request.task).toBe(task);
    this.requests.push(request);
    const reply = this.answer(request);
    if (reply !== undefined) return encode(reply);
    return new Promise((_, reject) => {
      this.#lose = reject;
    });
  }

  cancel(task: number): void {
    this.cancelled.push(task);
  }

  reset(): void {
    this.resets++;
    this.#lose(new Error('reset'));
  }
}

const openEngine = enginesPerTest();

function over(...links: Far[]): { engine: RouteEngine; book: LayerBook } {
  let version = 40;
  const solvers: Solvers = {
    links,
    memoryBytes: 0,
    publish: () => ++version,
    close: async () => undefined,
  };
  const book = new LayerBook();
  return { engine: openEngine(graph, { book, solvers }), book };
}

const query: RouteQuery = {
  source: nodeNamed('A'),
  destination: nodeNamed('B'),
  amountMsat: msat(1n),
  layers: [],
  maxfeeMsat: msat(1_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 10,
};

it('the link reports the version of the graph that an answer refers to', async () => {
  const far = new Far();
  const { engine } = over(far);
  await engine.getroutes(query);
  engine.publish(graph);
  await engine.getroutes(query);
  expect(far.requests.map((request) => request.graph)).toEqual([41, 42]);
});

/** A query under a layer that the test creates. */
const named: RouteQuery = { ...query, layers: ['l'] };

it('a solver receives each layer change once, and one that replaces a lost solver receives all of them', async () => {
  const far = new Far();
  const { engine, book } = over(far);
  book.createLayer('l', false);
  book.disableNode(book.layer('l')!, nodeNamed('B'));
  await engine.getroutes(named);
  await engine.getroutes(named);
  far.answer = () => {
    throw new Error('the connection broke');
  };
  await expect(told(engine.getroutes(named))).rejects.toMatchObject({
    code: -4,
    message: 'the worker died: the connection broke',
  });
  far.answer = answerTo;
  await engine.getroutes(named);
  const lacked = far.requests.map(({ layers }) => [layers.from, layers.chunks.length]);
  expect(lacked).toEqual([
    [-1, 1],
    [0, 0],
    [0, 0],
    [-1, 1],
  ]);
});

it('every solver is warmed up with queries without layers, only before the first query', async () => {
  const links = [new Far(2), new Far(2)];
  for (const far of links) far.answer = (request) => (request.task > 0 ? answerTo(request) : OUTDATED);
  const { engine, book } = over(...links);
  book.disableNode(book.createLayer('l', false), nodeNamed('B'));
  engine.warmUp(graph);
  const sent = links.map(({ requests }) =>
    requests.map(({ layers, graph: version }) => [layers.to, version]),
  );
  expect(sent).toEqual([[[-1, 41]], [[-1, 41]]]);
  await engine.getroutes(named);
  engine.warmUp(graph);
  expect(links.map(({ requests }) => requests.length)).toEqual([2, 1]);
  const { from, chunks } = links[0]!.requests[1]!.layers;
  expect([from, chunks.length]).toEqual([-1, 1]);
});

it('a request is repeated if the solver lacks the graph, but not forever', async () => {
  const far = new Far();
  const { engine } = over(far);
  far.answer = (request) => (far.requests.length < 3 ? OUTDATED : answerTo(request));
  await engine.getroutes(query);
  expect(far.requests).toHaveLength(3);
  far.answer = () => OUTDATED;
  await expect(told(engine.getroutes(query))).rejects.toMatchObject({
    code: -4,
    message: 'no solver has loaded the current graph yet',
  });
  expect(far.requests).toHaveLength(3 + 8);
});

it('late requests are cancelled over the link; a solver that ignores this is reset, and serves the next one', async () => {
  const far = new Far();
  const { engine } = over(far);
  far.answer = (request) => (request.query.amountMsat === 1n ? undefined : answerTo(request));
  const late = engine.getroutes(query, { deadlineMs: 1 });
  const next = engine.getroutes({ ...query, amountMsat: msat(2n) }, { deadlineMs: 60_000 });
  await expect(late).rejects.toMatchObject({ code: 210 });
  expect([far.cancelled, far.resets]).toEqual([[far.requests[0]!.task], 1]);
  await next;
});

/**
 * Two thousand queries of a disconnected client wait. Then a payment and a query of a second client arrive, and are
 * the next to run.
 */
it('no search runs for a disconnected client', async () => {
  const far = new Far();
  const { engine } = over(far);
  const client = { isClosed: false };
  const gone = { lane: 'query', client } as const;
  const waiting = Array.from({ length: 2_000 }, () => engine.getroutes(query, gone));
  const outcomes = Promise.allSettled(waiting);
  client.isClosed = true;
  const before = far.requests.length;
  await engine.getroutes(query, { lane: 'payment', client: {} });
  await engine.getroutes(query, { lane: 'query', client: {} });
  // The solver answers the queries that it held when the client disconnected. Waiting queries are never sent.
  expect(far.requests.length - before).toBe(2);
  const failed = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(failed).toHaveLength(2_000 - before);
});

/** A payment's HTLCs are in flight whether or not a client waits for the answer. */
it('the search for a payment runs even if its client disconnects while it waits', async () => {
  const far = new Far();
  const { engine } = over(far);
  const atHand = engine.getroutes(query);
  await engine.getroutes({ ...query, amountMsat: msat(7n) }, { lane: 'payment', client: { isClosed: true } });
  await atHand;
  expect(far.requests.map((request) => request.query.amountMsat)).toEqual([1n, 7n]);
});

/** The duration of a query is known only when it ends. */
it('a payment goes to the first solver that holds no query, and does not wait behind one', async () => {
  const [slow, quick] = [new Far(2), new Far(2)];
  const { engine } = over(slow, quick);
  const asking = (amount: bigint) => ({ ...query, amountMsat: msat(amount) });
  await engine.getroutes(asking(6n), { lane: 'payment' });
  slow.answer = () => undefined;
  engine.getroutes(asking(1n)).catch(() => undefined);
  const queries = [2n, 3n, 4n].map((amount) => engine.getroutes(asking(amount)));
  await engine.getroutes(asking(7n), { lane: 'payment' });
  await Promise.all(queries);
  expect(slow.requests.map((request) => request.query.amountMsat)).toEqual([6n, 1n]);
  expect(quick.requests.map((request) => request.query.amountMsat)).toEqual([2n, 3n, 7n, 4n]);
});

/** Regardless of how many queries wait, a payment's search waits only for the one that runs. */
it('a payment is searched directly after the query in progress', async () => {
  const far = new Far();
  const { engine } = over(far);
  const queries = Array.from({ length: 2_000 }, () => engine.getroutes(query, { lane: 'query', client: {} }));
  const before = far.requests.length;
  await engine.getroutes({ ...query, amountMsat: msat(7n) }, { lane: 'payment', client: {} });
  const amounts = far.requests.map((request) => request.query.amountMsat);
  expect(amounts.indexOf(msat(7n)) - before).toBe(0);
  expect(before).toBe(1);
  await Promise.all(queries);
});
