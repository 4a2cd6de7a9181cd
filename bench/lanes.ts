/**
 * What a flood of queries costs a payment: the time of a keysend while more than 10,000 `getroutes` of many connections
 * wait for a worker, compared with its time on the same daemon without them.
 *
 * Each pair is the same keysend twice, with one seed: to the same recipient, by the same route. So only the flood
 * differs. The two payments of a pair follow each other within seconds, and every second round begins with the flood. A
 * pair counts if both payments were complete with the same number of attempts.
 *
 * `whole` is the time until the answer, which includes the latency of the simulated network. `until sent` is the time
 * until the first HTLC is planned, which is our own work. Times mean little on a busy machine. So the report also
 * counts the queries that are answered meanwhile: the payment waited for their searches.
 *
 * The flood is a closed loop: each connection has as many open queries as the daemon allows, and sends another one
 * after each answer. So the number of waiting queries is known and constant.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../src/rpc/limits.ts';
import type { BenchContext } from './context.ts';
import { type BenchDaemon, getroutesRequest, requestText, startDaemonProcess } from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { recipients } from './keysend.ts';
import { quantile, timedAsync } from './measure.ts';
import { pairsOf, queryFor } from './pairs.ts';

const PAYMENT_SAT = 1_000;
const QUERY_SAT = 100_000;
/** Number of open queries of each connection: the maximum that the daemon processes at once. */
const WINDOW = DEFAULT_LIMITS.maxInFlight;
const CONNECTIONS = 48;
const MIN_WAITING = 10_000;
/** Number of answers that each connection must have received before the flood counts as full. */
const ANSWERS_BEFORE = 4;
const DISTINCT_QUERIES = 4_000;

/** Runs the benchmark area `lanes`. */
export async function lanesBench(context: BenchContext): Promise<void> {
  const { graph, name, source } = mainGraph();
  const daemon = await startDaemonProcess(source, ['--seed', '1', '--askrene-timeout', '600']);
  try {
    await daemon.client.call(requestText('notifications', '{"enable":true}'));
    const queries = pairsOf(graph, 'feas', QUERY_SAT, DISTINCT_QUERIES).map((pair) =>
      getroutesRequest(queryFor(pair, QUERY_SAT)),
    );
    const keysends = await payable(daemon, context.quick ? 8 : 16);
    const pairs: Pair[] = [];
    let fewestWaiting = Number.POSITIVE_INFINITY;
    for (let round = 0; round < (context.quick ? 1 : 6); round++) {
      const { before, flooded, after, waiting } = await oneRound(daemon, queries, keysends, round);
      fewestWaiting = Math.min(fewestWaiting, waiting);
      flooded.forEach((one, index) => {
        const idle = (round % 2 === 0 ? before : after)[index]!;
        if (idle.attempts === one.attempts) pairs.push({ idle, flooded: one });
      });
    }
    report(
      context,
      pairs,
      `${name}, ${keysends.length} recipients, at least ${fewestWaiting} queries under way`,
    );
  } finally {
    await daemon.stop();
  }
}

/** The times of one keysend, and its number of attempts if it completed, else 0. */
interface Timing {
  readonly wholeMs: number;
  readonly untilSentMs: number;
  readonly attempts: number;
  /** Number of queries of the flood that were answered in this time. */
  readonly wholeQueries: number;
  readonly untilSentQueries: number;
}

interface Pair {
  readonly idle: Timing;
  readonly flooded: Timing;
}

/** Keysends that arrive at their first attempt, because each was paid before and its lessons are known. */
async function payable(daemon: BenchDaemon, count: number): Promise<string[]> {
  const found: string[] = [];
  const { graph } = mainGraph();
  for (const [index, destination] of recipients(graph, PAYMENT_SAT, 20 * count).entries()) {
    const request = requestText(
      'keysend',
      `{"destination":"${destination}","amount_msat":${PAYMENT_SAT * 1000},"seed":"${index}"}`,
    );
    await timedKeysend(daemon, request);
    const { attempts } = await timedKeysend(daemon, request);
    if (attempts === 1) found.push(request);
    if (found.length === count) return found;
  }
  throw new Error(`only ${found.length} recipients can be paid at the first attempt`);
}

async function timedKeysend(daemon: BenchDaemon, request: string, flood?: Flood): Promise<Timing> {
  const [started, before] = [performance.now(), flood?.answers ?? 0];
  const queries = () => (flood?.answers ?? 0) - before;
  let sent = { untilSentMs: Number.NaN, untilSentQueries: 0 };
  const { result, ms } = await timedAsync(() =>
    daemon.client.call(request, () => {
      if (!Number.isNaN(sent.untilSentMs)) return;
      sent = { untilSentMs: performance.now() - started, untilSentQueries: queries() };
    }),
  );
  const { parts = 0 } = (JSON.parse(result) as { result?: { parts: number } }).result ?? {};
  return { wholeMs: ms, ...sent, wholeQueries: queries(), attempts: parts };
}

async function payAll(daemon: BenchDaemon, keysends: readonly string[], flood?: Flood): Promise<Timing[]> {
  const timings: Timing[] = [];
  for (const request of keysends) timings.push(await timedKeysend(daemon, request, flood));
  return timings;
}

async function oneRound(
  daemon: BenchDaemon,
  queries: readonly string[],
  keysends: readonly string[],
  round: number,
) {
  const before = round % 2 === 0 ? await payAll(daemon, keysends) : [];
  const flood = await Flood.begin(daemon.path, queries, round);
  await flood.isFull();
  const flooded = await payAll(daemon, keysends, flood);
  const { underWay: waiting } = flood;
  flood.end();
  // By the time this query is answered, the remaining queries of the flood have been dropped.
  await daemon.client.call(queries[0]!);
  const after = round % 2 === 0 ? [] : await payAll(daemon, keysends);
  if (waiting < MIN_WAITING) throw new Error(`only ${waiting} queries are under way`);
  return { before, flooded, after, waiting };
}

/** Connections, each of which keeps a constant number of concurrent queries until the end. */
class Flood {
  /** Number of answers received, by connection. */
  readonly #answered: number[] = [];
  readonly #sockets: Socket[];
  #asked = 0;

  private constructor(sockets: Socket[]) {
    this.#sockets = sockets;
  }

  static async begin(path: string, queries: readonly string[], first: number): Promise<Flood> {
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(path));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const flood = new Flood(sockets);
    for (const [index, socket] of sockets.entries()) flood.#follow(socket, index, queries, first);
    return flood;
  }

  #follow(socket: Socket, index: number, queries: readonly string[], first: number): void {
    this.#answered[index] = 0;
    const next = () => queries[(first * 1009 + this.#asked++) % queries.length]!;
    // Each answer ends with two newlines, and contains no others.
    let newlines = 0;
    socket.on('data', (chunk) => {
      for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) newlines++;
      const answers = Math.floor(newlines / 2);
      newlines %= 2;
      this.#answered[index]! += answers;
      socket.write(Array.from({ length: answers }, next).join(''));
    });
    socket.write(Array.from({ length: WINDOW }, next).join(''));
  }

  /** Resolves when all connections have got some answers, so that all have filled their windows. */
  async isFull(): Promise<void> {
    while (this.#answered.some((answers) => answers < ANSWERS_BEFORE)) {
      await setTimeout(5);
    }
  }

  get answers(): number {
    return this.#answered.reduce((sum, answers) => sum + answers, 0);
  }

  /** Number of queries without an answer so far. */
  get underWay(): number {
    return this.#asked - this.answers;
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function report(context: BenchContext, pairs: readonly Pair[], title: string): void {
  const rows = (['whole', 'untilSent'] as const).map((what) => {
    const idle = pairs.map((pair) => pair.idle[`${what}Ms`]);
    const flooded = pairs.map((pair) => pair.flooded[`${what}Ms`]);
    const ratios = flooded.map((ms, index) => ms / idle[index]!);
    const queries = pairs.map((pair) => pair.flooded[`${what}Queries`]);
    return {
      time: what === 'whole' ? 'whole' : 'until sent',
      pairs: pairs.length,
      'idle p50 ms': quantile(idle, 0.5),
      'idle p95': quantile(idle, 0.95),
      'flooded p50 ms': quantile(flooded, 0.5),
      'flooded p95': quantile(flooded, 0.95),
      'ratio p50': quantile(ratios, 0.5),
      'ratio p95': quantile(ratios, 0.95),
      'queries p50': quantile(queries, 0.5),
      'queries p95': quantile(queries, 0.95),
    };
  });
  context.report.table('lanes', title, rows);
  context.report.figure('lanes', {
    name: 'keysend with 10,000 queries queued, ratio to its idle time, p50',
    value: rows[0]!['ratio p50'],
    unit: '',
    target: '<= 2',
  });
}
