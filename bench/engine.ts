/**
 * The route engine: queries through the pool of workers, one after the other (latency) and many at once
 * (throughput), with one worker and with two.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RouteEngine } from '../src/engine/host/engine.ts';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import { FulguriteError } from '../src/model/errors.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { milliseconds } from './kernel.ts';
import { quantile, spreadOf, timedAsync } from './measure.ts';
import { pairsOf, queryFor } from './pairs.ts';

const AMOUNTS_SAT = [1_000, 100_000, 1_000_000];
const QUEUE_SIZE = 100_000;
const WARMUP = 100;
const ROUNDS = 3;
const PLAIN_LOOP = 'let x = 1; for (let i = 0; i < 1e8; i++) x = (x * 48271 + i) | 0; globalThis.x = x;';

/** Runs the benchmark area `engine`. */
export async function engineBench(context: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  const count = context.quick ? 100 : 1000;
  const engines = [1, 2].map(
    (workers) => new RouteEngine({ book: new LayerBook(), workers, queueSize: QUEUE_SIZE }),
  );
  try {
    const rows = [];
    for (const engine of engines) {
      engine.publish(graph);
      const warm = pairsOf(graph, 'big', 100_000, WARMUP).map((pair) => queryFor(pair, 100_000));
      await saturatedMs(engine, warm);
    }
    for (const amountSat of AMOUNTS_SAT) {
      const queries = pairsOf(graph, 'big', amountSat, count).map((pair) => queryFor(pair, amountSat));
      rows.push(...(await measureAmount(context, engines, queries, amountSat)));
    }
    context.report.table('engine', `getroutes through the pool, ${name}, big pairs`, rows);
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
  }
}

/** Alternates between the engines and a plain loop, so that other load on the machine slows all of them alike. */
async function measureAmount(
  { quick, report }: BenchContext,
  engines: readonly RouteEngine[],
  queries: readonly RouteQuery[],
  amountSat: number,
) {
  const latenciesMs: number[][] = [];
  for (const engine of engines) latenciesMs.push(await sequentialMs(engine, queries));
  const saturated: number[][] = engines.map(() => []);
  const gains: number[] = [];
  const loopGains: number[] = [];
  for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
    for (const [index, engine] of engines.entries()) {
      saturated[index]!.push(await saturatedMs(engine, queries));
    }
    gains.push(saturated[0]![round]! / saturated[1]![round]!);
    loopGains.push(await machineScaling());
  }
  const figure = (name: string, value: number, target?: string) =>
    report.figure('engine', { name, value, unit: 'times', ...(target !== undefined && { target }) });
  figure(`2 workers against 1, ${amountSat} sat, p50`, quantile(gains, 0.5), '>= 1.8');
  figure('a plain loop in 2 threads against 1, in the same run, p50', quantile(loopGains, 0.5));
  return engines.map((engine, index) => ({
    workers: engine.stats.workers,
    sat: amountSat,
    ...milliseconds(spreadOf(latenciesMs[index]!)),
    'saturated /s': (queries.length / quantile(saturated[index]!, 0.5)) * 1000,
  }));
}

async function sequentialMs(engine: RouteEngine, queries: readonly RouteQuery[]): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (const query of queries) latenciesMs.push((await timedAsync(() => answerOf(engine, query))).ms);
  return latenciesMs;
}

async function saturatedMs(engine: RouteEngine, queries: readonly RouteQuery[]): Promise<number> {
  return (await timedAsync(() => Promise.all(queries.map((query) => answerOf(engine, query))))).ms;
}

/**
 * The speed-up that the machine itself allows: how many times as many steps of a plain loop two threads take as one
 * thread. It is 2 on an idle machine of two cores or more, and less otherwise.
 */
async function machineScaling(): Promise<number> {
  const ms = async (threads: number) => {
    const { ms: elapsed } = await timedAsync(() =>
      Promise.all(
        Array.from({ length: threads }, async () => once(new Worker(PLAIN_LOOP, { eval: true }), 'exit')),
      ),
    );
    return elapsed;
  };
  const one = await ms(1);
  return (2 * one) / (await ms(2));
}

/** Whether there is a route. A query without a route counts as answered too. */
async function answerOf(engine: RouteEngine, query: RouteQuery): Promise<boolean> {
  try {
    await engine.getroutes(query);
    return true;
  } catch (error) {
    if (error instanceof FulguriteError && error.name.startsWith('route')) return false;
    if (error instanceof FulguriteError && error.name.endsWith('Capacity')) return false;
    throw error;
  }
}
