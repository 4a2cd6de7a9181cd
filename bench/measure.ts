/**
 * Measures how long pieces of work take, and computes statistics of many times.
 *
 * Latencies are milliseconds of wall clock. Percentiles are of the values themselves (nearest rank), and
 * never of means of batches. Work that is too short for one reading is repeated by tinybench.
 */
import { setImmediate } from 'node:timers/promises';
import { Bench } from 'tinybench';

/** Statistics of a set of values; NaN for an empty set. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The value that the given share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The mean. NaN for an empty set. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The spread of a set of values. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    count: values.length,
    mean: meanOf(values),
    p50: quantile(values, 0.5),
    p95: quantile(values, 0.95),
    p99: quantile(values, 0.99),
    max: quantile(values, 1),
  };
}

/** Milliseconds that `work` takes, and what it returns. */
export function timed<T>(work: () => T): { result: T; ms: number } {
  const started = performance.now();
  const result = work();
  return { result, ms: performance.now() - started };
}

/** As `timed`, for work that returns a promise. */
export async function timedAsync<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
}

/**
 * Repeats `work` for this long, after warming up for a fifth of it. Latencies are milliseconds per
 * repetition.
 */
export async function repeated(work: () => unknown, timeMs: number): Promise<Spread> {
  const bench = new Bench({
    time: timeMs,
    iterations: 3,
    warmupTime: timeMs / 5,
    warmupIterations: 1,
    retainSamples: true,
  });
  const task = bench.add('work', work as () => void).getTask('work')!;
  await bench.run();
  const { result } = task;
  if (!('latency' in result) || result.latency.samples === undefined) {
    throw new Error(`a benchmark failed: ${'error' in result ? result.error.message : result.state}`);
  }
  return spreadOf(result.latency.samples);
}

/**
 * Bytes that JavaScript objects and buffers take (`node --expose-gc`). Buffers are freed a while after the
 * objects to which they belong. So collection runs twice, with a pause in between.
 */
export async function heldBytes(): Promise<number> {
  for (let collection = 0; collection < 2; collection++) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
