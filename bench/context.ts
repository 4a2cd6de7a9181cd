/** What every area of the benchmarks receives. */
import type { Plots } from './plot.ts';
import type { Report } from './report.ts';

/** The circumstances of one run. */
export interface BenchContext {
  /** Whether to run fewer repetitions, so that all areas together take less than a minute. */
  readonly quick: boolean;
  readonly report: Report;
  readonly plots: Plots;
  /** Directory for results. */
  readonly directory: string;
}

/** One area of the benchmarks, which can be run by its name. */
export type Area = (context: BenchContext) => Promise<void> | void;
