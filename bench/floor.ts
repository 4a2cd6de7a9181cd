/**
 * A fixed piece of work, used to compare figures of different machines, and of one machine at different times.
 *
 * It is 4,000,000 steps, each of which multiplies, and reads and writes a word of 1 MiB at a place that depends on the
 * step before. So its time depends on the same things as that of searches: processor speed, cache sizes, and other load
 * on both. It allocates nothing, and is compiled before it is timed.
 */
import { quantile, timed } from './measure.ts';

const WORDS = 1 << 18;
const STEPS = 4_000_000;
const RUNS = 5;

const table = new Int32Array(WORDS);
let isWarm = false;

function work(): number {
  let x = 1;
  for (let step = 0; step < STEPS; step++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223 + table[(x >>> 8) & (WORDS - 1)]!) | 0;
    table[step & (WORDS - 1)] = x;
  }
  return x;
}

/** Milliseconds that the work takes now: medians of five runs. */
export interface Floor {
  /** Wall clock. Latencies and rates are compared with it. */
  readonly wallMs: number;
  /**
   * Processor time. Measured processor times are compared with it. On a busy machine it is much shorter than the wall
   * clock.
   */
  readonly processorMs: number;
}

/** Measures how long the work takes. */
export function measureFloor(): Floor {
  if (!isWarm) for (let run = 0; run < RUNS; run++) work();
  isWarm = true;
  const runs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    const { ms } = timed(work);
    const { user, system } = process.cpuUsage(before);
    return { ms, processorMs: (user + system) / 1000 };
  });
  const median = (of: (run: (typeof runs)[number]) => number) => quantile(runs.map(of), 0.5);
  return { wallMs: median(({ ms }) => ms), processorMs: median(({ processorMs }) => processorMs) };
}
