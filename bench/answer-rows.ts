/**
 * One line for each query of a run, as CSV or as JSON lines. Both have the same columns in the same order. Columns that
 * do not apply are empty in CSV and null in JSON.
 */

/** One query and its answer. */
export interface AnswerRow {
  /** `feas` (any two nodes), `big` (well connected; see pairs.ts), or `csv`. */
  readonly pairs: string;
  readonly source: string;
  readonly destination: string;
  /** Exact as a number, because amounts are below 2⁵³ msat. */
  readonly amount_msat: number;
  readonly maxparts: number;
  readonly status: 'route' | 'no route';
  /** Error code of `getroutes`, when there is no route. */
  readonly code: number | null;
  /** Fee of all parts together, without the source's own fees. */
  readonly fee_msat: number | null;
  /** Probability that all parts arrive, from 0 to 1. */
  readonly probability: number | null;
  readonly parts: number | null;
  /** Delay of the slowest part in blocks, including the final delay. */
  readonly delay: number | null;
  /** Processor time of all threads of the process, in microseconds. */
  readonly processor_us: number;
  /** Wall clock, in milliseconds. */
  readonly ms: number;
}

const COLUMNS = [
  'pairs',
  'source',
  'destination',
  'amount_msat',
  'maxparts',
  'status',
  'code',
  'fee_msat',
  'probability',
  'parts',
  'delay',
  'processor_us',
  'ms',
] as const satisfies readonly (keyof AnswerRow)[];

/** The writer of rows for each file name extension. */
export const ROW_FORMATS: Readonly<Record<string, (rows: readonly AnswerRow[]) => string>> = {
  '.csv': (rows) =>
    [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ''))]
      .map((values) => `${values.join(',')}\n`)
      .join(''),
  '.jsonl': (rows) => rows.map((row) => `${JSON.stringify(row, [...COLUMNS])}\n`).join(''),
};
