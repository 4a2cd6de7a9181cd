/**
 * Searches on solvers behind a NATS server of this machine, compared with the same searches in threads of this process:
 * searches per second with 1, 2 and 4 solvers, the round-trip cost of one search, and the processor time of each side.
 * These figures yield what a fleet needs for 1,000 and 10,000 payments a second (`npm run docs:fleet` puts it into the
 * manual). At the end it measures how large a simulated network one process can hold.
 *
 * Everything shares the processors of one machine. So more solvers than processors only show that nothing breaks. The
 * figure that counts is the ratio between a number of processes and the same number of threads.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RouteEngine } from '../src/engine/host/engine.ts';
import { NoRouteError } from '../src/engine/question/no-route.ts';
import type { Question } from '../src/engine/question/question.ts';
import { ANY_REMEDY } from '../src/engine/question/remedy-rules.ts';
import { connectBus, type NatsConnection } from '../src/fleet/bus.ts';
import { BusSolvers } from '../src/fleet/bus-solvers.ts';
import { FleetName } from '../src/fleet/fleet-name.ts';
import { noSharedLayers } from '../src/fleet/shared-layers.ts';
import { SolverCalls } from '../src/fleet/solver-calls.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import { machineMs } from '../src/model/clock.ts';
import type { BenchContext } from './context.ts';
import { capacityPlot, capacityRows, mixedCosts } from './fleet-capacity.ts';
import { mainGraph } from './graphs.ts';
import { quantile, timedAsync } from './measure.ts';
import { simulatedSize } from './network.ts';
import { pairsOf, queryFor } from './pairs.ts';

const SOLVERS = [1, 2, 4];
/**
 * Number of searches that each solver runs before the measurement. During the first 4,000, much of the processor time
 * goes into compiling code, more in solver processes than in threads of a process that already runs searches.
 */
const WARMUP = 5_000;
/** Size of an echoed message in bytes, about that of a request or of an answer with one part. */
const ECHO_BYTES = 400;
/** Concurrent searches per solver. */
const WIDTH = 16;
/**
 * Concurrent searches of a solver with a longer queue. Of fewer searches, so many may be on their way to or from the
 * solver that its thread has to wait.
 */
const DEEP_WIDTH = 48;
const DEADLINE_MS = 600_000;
const ROUNDS = 3;
/** Number of nodes of each simulated network: the default, the main network's, and ten times as many. */
const SIZES = [3_000, 17_000, 170_000];
/** The two kinds of searches, by their amounts in sat: mostly one part, mostly several. */
const AMOUNTS_SAT = [1_000, 1_000_000];

/** Runs the benchmark area `fleet`. */
export async function fleetBench(context: BenchContext): Promise<void> {
  const server = await startServer();
  if (server === undefined) {
    context.report.note('fleet', 'nats-server is not installed: nothing was measured');
    return;
  }
  const bus = await connectBus(server.url, 'bench');
  try {
    await measure(context, server.url, bus);
    await simulateSizes(context);
  } finally {
    await bus.close();
    server.process.kill('SIGKILL');
  }
}

interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

async function startServer(): Promise<Server | undefined> {
  const path = `${process.env.PATH}:/usr/sbin`;
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1'], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve) => {
    let said = '';
    child.on('error', () => resolve(undefined));
    child.stderr.on('data', (bytes) => {
      said = `${said}${bytes}`.slice(0, 10_000);
      const port = /connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve({ url: `nats://127.0.0.1:${port}`, process: child });
    });
  });
}

/** Searches, locally or remotely. */
type Search = (query: Question) => Promise<void>;

/** Several solver processes. */
class Fleet {
  readonly #solvers: BusSolvers;
  readonly #children: readonly ChildProcess[];
  readonly #calls: SolverCalls;
  readonly #names: readonly string[];

  private constructor(solvers: BusSolvers, children: readonly ChildProcess[], calls: SolverCalls) {
    this.#solvers = solvers;
    this.#children = children;
    this.#calls = calls;
    this.#names = solvers.known().map(({ load }) => load.id);
  }

  static async of(count: number, url: string, bus: NatsConnection): Promise<Fleet> {
    const program = fileURLToPath(new URL('./fleet-solver.js', import.meta.url));
    const children = Array.from({ length: count }, (_, index) => fork(program, [`s${count}${index}`, url]));
    await Promise.all(children.map((child) => once(child, 'message')));
    const book = new LayerBook();
    const fleet = new BusSolvers({
      bus,
      fleet: new FleetName('bench', 'bench'),
      id: 'bench',
      shared: noSharedLayers(book),
    });
    fleet.publish(mainGraph().graph);
    while (fleet.known().length < count) await sleep(20);
    return new Fleet(fleet, children, new SolverCalls(bus));
  }

  /** Repeats a search until a solver has room and answers. */
  readonly search: Search = async (query) => {
    for (;;) {
      const search = { query, lane: 'query' as const, deadline: machineMs() + DEADLINE_MS };
      const reply = await this.#solvers.ask({ ...search, judge: () => 'good' });
      if ('answer' in reply || 'noRoute' in reply) return;
      await sleep(5);
    }
  };

  /** Lets a solver echo a message. */
  async echo(): Promise<void> {
    const name = this.#names[0]!;
    const message = new Uint8Array(ECHO_BYTES);
    const answer = await this.#calls.ask(name, `bench.echo.${name}`, message, Number.POSITIVE_INFINITY);
    if (answer === undefined) throw new Error('no echo');
  }

  /** Processor time of all solvers so far, in microseconds. */
  async cpuUs(): Promise<number> {
    const told = await Promise.all(
      this.#children.map(async (child) => {
        const answer = once(child, 'message') as Promise<[{ cpuUs: number }]>;
        child.send('cpu');
        return (await answer)[0].cpuUs;
      }),
    );
    return told.reduce((sum, each) => sum + each, 0);
  }

  async close(): Promise<void> {
    this.#calls.close();
    await this.#solvers.close();
    for (const child of this.#children) child.disconnect();
    await Promise.all(this.#children.map((child) => once(child, 'exit')));
  }
}

async function measure(context: BenchContext, url: string, bus: NatsConnection): Promise<void> {
  const { graph, name } = mainGraph();
  const { report, quick } = context;
  const count = quick ? 200 : 1000;
  const rows = [];
  const deepRows = [];
  const costs: { readonly solverMs: number; readonly daemonMs: number }[] = [];
  for (const amountSat of AMOUNTS_SAT) {
    const queries = pairsOf(graph, 'big', amountSat, count).map((pair) => wire(queryFor(pair, amountSat)));
    for (const solvers of SOLVERS) {
      const threads = new RouteEngine({ book: new LayerBook(), workers: solvers });
      threads.publish(graph);
      const atHome = searchIn(threads);
      const fleet = await Fleet.of(solvers, url, bus);
      try {
        const warm = Array.from({ length: WARMUP * solvers }, (_, n) => queries[n % queries.length]!);
        await saturatedMs(atHome, warm, solvers);
        await saturatedMs(fleet.search, warm, solvers);
        const comparison = { fleet, atHome, queries, solvers, rounds: quick ? 1 : ROUNDS };
        const usual = await compared(comparison, WIDTH);
        rows.push({ sat: amountSat, solvers, ...usual });
        if (solvers === 1) {
          costs.push({ solverMs: usual['solver processor ms'], daemonMs: usual['daemon processor ms'] });
          await latency(context, atHome, fleet, queries.slice(0, quick ? 200 : 500), amountSat);
          deepRows.push({ sat: amountSat, solvers, ...(await compared(comparison, DEEP_WIDTH)) });
        }
      } finally {
        await Promise.all([threads.close(), fleet.close()]);
      }
    }
  }
  report.table('fleet', `searches in threads and in solver processes, ${name}, big pairs`, [
    ...rows,
    ...deepRows,
  ]);
  const [one, several] = costs as [(typeof costs)[number], (typeof costs)[number]];
  const capacity = capacityRows(mixedCosts(one, several));
  report.table('fleet', 'what a fleet needs, from these figures (bench/fleet-capacity.ts)', capacity);
  writeFileSync(join(context.directory, 'fleet-capacity.svg'), capacityPlot(capacity));
}

interface Comparison {
  readonly fleet: Fleet;
  readonly atHome: Search;
  readonly queries: readonly Question[];
  readonly solvers: number;
  readonly rounds: number;
}

/** Runs the searches in threads and in solver processes, in turns, with `width` of them in progress per solver. */
async function compared({ fleet, atHome, queries, solvers, rounds }: Comparison, width: number) {
  const ratios: number[] = [];
  const rates: [number[], number[]] = [[], []];
  const theirsBefore = await fleet.cpuUs();
  let ownUs = 0;
  for (let round = 0; round < rounds; round++) {
    const here = await saturatedMs(atHome, queries, solvers, width);
    const ownBefore = ownCpuUs();
    const there = await saturatedMs(fleet.search, queries, solvers, width);
    ownUs += ownCpuUs() - ownBefore;
    ratios.push(here / there);
    rates[0].push((queries.length / here) * 1000);
    rates[1].push((queries.length / there) * 1000);
  }
  const searches = queries.length * rounds;
  return {
    'at once': width,
    'threads /s': quantile(rates[0], 0.5),
    'processes /s': quantile(rates[1], 0.5),
    'processes : threads': quantile(ratios, 0.5),
    'solver processor ms': ((await fleet.cpuUs()) - theirsBefore) / searches / 1000,
    'daemon processor ms': ownUs / searches / 1000,
  };
}

/** Measures how large a simulated network one process can hold, and how many HTLCs it carries. */
async function simulateSizes({ report, quick }: BenchContext): Promise<void> {
  const rows = [];
  for (const nodes of quick ? SIZES.slice(0, 1) : SIZES) rows.push(await simulatedSize(nodes));
  report.table('fleet', 'simulated networks, by size; onions are real', rows);
}

/**
 * Measures the round-trip cost of a solver: one search after the other, each locally and remotely. For comparison, a
 * message of the same size that the same process only echoes: the cost of two processes and a server between them on
 * this machine.
 */
async function latency(
  { report }: BenchContext,
  here: Search,
  fleet: Fleet,
  queries: readonly Question[],
  amountSat: number,
): Promise<void> {
  const differences: number[] = [];
  const floors: number[] = [];
  for (let n = 0; n < WARMUP; n++) await fleet.echo();
  for (const query of queries) {
    const atHome = await timedAsync(() => here(query));
    const elsewhere = await timedAsync(() => fleet.search(query));
    floors.push((await timedAsync(() => fleet.echo())).ms);
    differences.push(elsewhere.ms - atHome.ms);
  }
  const [way, floor] = [quantile(differences, 0.5), quantile(floors, 0.5)];
  const name = `round trip to a solver, ${amountSat} sat, p50`;
  report.figure('fleet', { name, value: way, unit: 'ms', target: '<= 0.5' });
  const bare = `round trip of a bare message of ${ECHO_BYTES} bytes, measured with ${amountSat} sat, p50`;
  report.figure('fleet', { name: bare, value: floor, unit: 'ms' });
}

/** Runs all searches, with `width` of them in progress per solver. Returns the milliseconds. */
async function saturatedMs(
  search: Search,
  queries: readonly Question[],
  solvers: number,
  width = WIDTH,
): Promise<number> {
  let next = 0;
  const asker = async (): Promise<void> => {
    for (let query = queries[next++]; query !== undefined; query = queries[next++]) await search(query);
  };
  return (await timedAsync(() => Promise.all(Array.from({ length: width * solvers }, asker)))).ms;
}

/** A query without a route counts as answered too. */
const searchIn =
  (engine: RouteEngine): Search =>
  async (query) => {
    await engine.search(query, { deadline: machineMs() + DEADLINE_MS }).catch((error: unknown) => {
      if (!(error instanceof NoRouteError)) throw error;
    });
  };

/** The query in the form in which it is sent to a solver. */
function wire({ layers: _, ...query }: ReturnType<typeof queryFor>): Question {
  const none = { layerIds: [], layerNames: [], includeFees: false };
  return { ...query, ...none, maxhops: 20, remedies: ANY_REMEDY };
}

/** Processor time of all threads of this process so far, in microseconds. */
function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
