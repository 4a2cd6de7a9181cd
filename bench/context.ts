/** What every area of the benchmarks is given. */
import type { Plots } from './plot.ts';
import type { Report } from './report.ts';

export interface BenchContext {
  /** Fewer repetitions: all areas together in less than a minute. */
  readonly quick: boolean;
  readonly report: Report;
  readonly plots: Plots;
  /** Where results go. */
  readonly directory: string;
}

export type Area = (context: BenchContext) => Promise<void> | void;
