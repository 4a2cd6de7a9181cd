/**
 * A remote solver that may send anything. It falsifies the correct answer, forges refusals, or sends values
 * of any shape. In every case, the caller gets an answer that an independent check accepts, or the refusal
 * that our own kernel returns. No payment fails because of the solver, and the engine survives.
 *
 * FULGURITE_TEST_RUNS multiplies the number of replies and their time limit; 50 makes 100,000 replies.
 */
import { expect, test } from 'vitest';
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import type { RemoteSearch, RemoteSolvers } from '../../../src/engine/host/remote-solvers.ts';
import type { RouteReply } from '../../../src/engine/question/messages.ts';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import { readReply } from '../../../src/engine/question/reply-shape.ts';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { Draws } from '../../../src/model/draws.ts';
import { msat } from '../../../src/model/msat.ts';
import { directionsOf } from '../../reference/graph-directions.ts';
import { referee } from '../../reference/referee.ts';
import { inProcessSolvers } from '../host/in-process-solvers.ts';

const TIMES = Number(process.env.FULGURITE_TEST_RUNS ?? 1);
const NODES = 60;
const RUNS = 2_000 * TIMES;
/** Time limit in milliseconds for 2,000 replies, more than enough on a busy machine. */
const MS_FOR_EACH_TIME = 600_000;
const graph = generateSyntheticGraph({ nodeCount: NODES, seed: 4 });
const draws = new Draws(Number(process.env.FULGURITE_TEST_SEED ?? 11));

/** The reply that the solver sends instead of the correct one. */
type Forge = (reply: RouteReply, run: number) => unknown;

const NONSENSE: readonly unknown[] = [
  {},
  null,
  7,
  'x',
  [],
  [[]],
  { answer: {} },
  { answer: null },
  { answer: { routes: [] } },
  { noRoute: {} },
  { noRoute: { binding: {} } },
  { noRoute: { binding: { kind: 'direction', fault: { kind: 'constraint' } } } },
  { answer: { probabilityPpm: 1, routes: [{ path: [] }] } },
  { answer: { probabilityPpm: 1, routes: [{ path: [{}] }] } },
  { fault: {} },
  { stale: 'yes' },
  { answer: { probabilityPpm: Number.NaN, routes: [] } },
  { __proto__: { answer: 1 } },
];

/** For every number and text inside a value, a function that changes it. */
function* leaves(
  value: unknown,
  at: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  if (typeof value !== 'object' || value === null) yield at;
  else for (const [key, each] of Object.entries(value)) yield* leaves(each, [...at, key]);
}

function changed(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  change: (leaf: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = changed(copy[key], rest, change);
  return copy;
}

function otherLeaf(leaf: unknown, draw: number): unknown {
  if (typeof leaf === 'bigint') {
    return [
      leaf + 1n,
      leaf - 1n,
      leaf * 322n,
      0n,
      -leaf,
      leaf + 9_660_001_420n,
      2n ** 63n,
      Number(leaf),
      String(leaf),
    ][Math.floor(draw * 9)];
  }
  if (typeof leaf === 'number')
    return [leaf + 1, leaf - 1, 0, leaf * 100, -1, 0.5, Number.NaN, 5n][Math.floor(draw * 8)];
  if (typeof leaf === 'string')
    return ['', `${leaf}0`, graph.nodeId(Math.floor(draw * NODES)), 7][Math.floor(draw * 4)];
  return undefined;
}

const forges: readonly Forge[] = [
  (_, run) => NONSENSE[run % NONSENSE.length],
  () => ({ noRoute: { binding: { kind: 'unconnected' } } }),
  (reply, run) => {
    const all = [...leaves(reply)];
    const times = 1 + Math.floor(draws.uniform(5, run) * 3);
    let forged: unknown = reply;
    for (let time = 0; time < times; time++) {
      const place = all[Math.floor(draws.uniform(6, run, time) * all.length)] ?? [];
      forged = changed(forged, place, (leaf) => otherLeaf(leaf, draws.uniform(7, run, time)));
    }
    return forged;
  },
  (reply) => {
    if (!('answer' in reply)) return reply;
    const { routes } = reply.answer;
    return { answer: { ...reply.answer, routes: [...routes, routes[0]] } };
  },
  (reply) => {
    if (!('answer' in reply)) return reply;
    const [first, ...others] = reply.answer.routes;
    return { answer: { ...reply.answer, routes: [{ ...first!, path: first!.path.slice(1) }, ...others] } };
  },
  (reply) => {
    // The first hop carries too much; everything else is correct.
    if (!('answer' in reply)) return reply;
    const [first, ...others] = reply.answer.routes;
    const [hop, ...rest] = first!.path;
    const path = [{ ...hop!, amountInMsat: hop!.amountInMsat * 322n }, ...rest];
    return { answer: { ...reply.answer, routes: [{ ...first!, path }, ...others] } };
  },
];

test('no false reply of a hostile solver is believed', { timeout: MS_FOR_EACH_TIME * TIMES }, async () => {
  const honest = new RouteEngine({ book: new LayerBook(), solvers: inProcessSolvers() });
  let run = 0;
  let believed = 0;
  let right: RouteReply = { stale: true };
  const hostile: RemoteSolvers = {
    hasRoom: () => true,
    publish: () => undefined,
    close: async () => undefined,
    async ask(search: RemoteSearch): Promise<RouteReply> {
      const read = readReply(forges[run % forges.length]!(right, run));
      if (read === undefined || search.judge(read) !== 'good') return { stale: true };
      if ('answer' in read) believed++;
      return read;
    },
  };
  const engine = new RouteEngine({ book: new LayerBook(), solvers: inProcessSolvers(), fleet: hostile });
  for (const each of [honest, engine]) each.publish(graph);
  const lookup = directionsOf(graph);
  let answers = 0;
  for (; run < RUNS; run++) {
    const query = randomQuery(run);
    const home = await honest.getroutes(query).catch((error: unknown) => error);
    right = home instanceof NoRouteError ? { noRoute: home.noRoute } : { answer: home as RouteAnswer };
    const told = await engine.getroutes(query, { lane: 'payment' }).catch((error: unknown) => error);
    if (home instanceof NoRouteError) {
      expect(told).toBeInstanceOf(NoRouteError);
      continue;
    }
    expect(told).not.toBeInstanceOf(Error);
    expect(referee(lookup, query, told as RouteAnswer)).toEqual([]);
    answers++;
  }
  expect(answers).toBeGreaterThan(RUNS / 2);
  // Some changes have no effect, such as changed odds, which are recomputed.
  expect(believed).toBeLessThan(RUNS / 5);
  await Promise.all([engine.close(), honest.close()]);
});

function randomQuery(run: number): RouteQuery {
  const source = Math.floor(draws.uniform(1, run) * graph.nodeCount);
  const destination =
    (source + 1 + Math.floor(draws.uniform(2, run) * (graph.nodeCount - 1))) % graph.nodeCount;
  const amount = 1_000n * 10n ** BigInt(Math.floor(draws.uniform(3, run) * 6)) + BigInt(run);
  return {
    source: graph.nodeId(source),
    destination: graph.nodeId(destination),
    amountMsat: msat(amount),
    layers: [],
    maxfeeMsat: msat(amount / 20n + 10_000n),
    finalCltv: 18,
    maxdelay: 2016,
    maxparts: 1 + Math.floor(draws.uniform(4, run) * 8) + 1,
  };
}
