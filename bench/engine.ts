/**
 * The route engine: queries through the worker pool, one after the other (latency) and many at once
 * (throughput), with one worker and with two.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RouteEngine } from '../src/engine/engine.ts';
import type { RouteQuery } from '../src/engine/route.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import { FulguriteError } from '../src/model/errors.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { milliseconds } from './kernel.ts';
import { meanOf, spreadOf, timedAsync } from './measure.ts';
import { pairsOf, queryFor } from './pairs.ts';

const AMOUNTS_SAT = [1_000, 100_000, 1_000_000];
const QUEUE_SIZE = 100_000;
const WARMUP = 200;
const PLAIN_LOOP = 'let x = 1; for (let i = 0; i < 4e8; i++) x = (x * 48271 + i) | 0; globalThis.x = x;';

export async function engineBench(context: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  const count = context.quick ? 200 : 2000;
  const queries = AMOUNTS_SAT.map((amountSat) =>
    pairsOf(graph, 'big', amountSat, count).map((pair) => queryFor(pair, amountSat)),
  );
  const control = [await machineScaling()];
  const rows = [];
  const throughput: number[][] = [];
  for (const workers of [1, 2]) {
    const engine = new RouteEngine({ book: new LayerBook(), workers, queueSize: QUEUE_SIZE });
    try {
      engine.publish(graph);
      await Promise.all(queries[1]!.slice(0, WARMUP).map((query) => answerOf(engine, query)));
      const perSecond: number[] = [];
      for (const [index, amountSat] of AMOUNTS_SAT.entries()) {
        const row = await measureAmount(engine, queries[index]!, amountSat, workers);
        rows.push(row);
        perSecond.push(row['saturated /s']);
      }
      throughput.push(perSecond);
    } finally {
      await engine.close();
    }
  }
  context.report.table('engine', `getroutes through the pool, ${name}, big pairs`, rows);
  control.push(await machineScaling());
  context.report.figure('engine', {
    name: 'a plain loop in 2 threads against 1',
    value: meanOf(control),
    unit: 'times',
  });
  AMOUNTS_SAT.forEach((amountSat, index) => {
    context.report.figure('engine', {
      name: `2 workers against 1, ${amountSat} sat`,
      value: throughput[1]![index]! / throughput[0]![index]!,
      unit: 'times',
      target: '>= 1.8',
    });
  });
}

async function measureAmount(
  engine: RouteEngine,
  queries: readonly RouteQuery[],
  amountSat: number,
  workers: number,
) {
  const latenciesMs: number[] = [];
  for (const query of queries.slice(0, queries.length / 2)) {
    latenciesMs.push((await timedAsync(() => answerOf(engine, query))).ms);
  }
  const saturated = await timedAsync(() => Promise.all(queries.map((query) => answerOf(engine, query))));
  return {
    workers,
    sat: amountSat,
    ...milliseconds(spreadOf(latenciesMs)),
    'saturated /s': (queries.length / saturated.ms) * 1000,
  };
}

/**
 * What the machine itself gives: how much more of a plain loop two threads do than one. 2 when nobody else
 * works on it, less when somebody does.
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

/** Whether there is a route; that there is none is an answer too. */
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
