/** The summary of a run, as data and as the files `summary.json` and `summary.csv`. */
import type { Income } from '../operators/income.ts';
import type { PairedDifference, RouterFigures } from './figures.ts';
import type { PrivacyFigures } from './privacy-collector.ts';
import type { Estimate } from './statistics.ts';

/** The network after a router's payments. */
export interface NetworkFigures {
  /** Share of channels with one side below a twentieth of the capacity, before and after the payments. */
  readonly depletedBefore: number;
  readonly depletedAfter: number;
  /** Share of depleted channels at each snapshot. Empty if no snapshots were requested. */
  readonly depletion: readonly { readonly atUs: number; readonly share: number }[];
  /** Gini coefficient of the nodes' forwarding income. */
  readonly incomeGini: number;
  /** Simulated time of the last event, in microseconds. */
  readonly endedUs: number;
  readonly events: number;
}

/** One router's part of a summary. */
export interface RouterSummary extends RouterFigures {
  readonly network: NetworkFigures;
  /** Income and expenses of operators. Only with `network.operators`. */
  readonly income?: Income;
  /** What forwarding nodes can guess. Undefined if privacy was not measured. */
  readonly privacy?: PrivacyFigures;
}

/** The summary of a whole run. */
export interface Summary {
  readonly scenario: string;
  readonly seed: bigint;
  /** False when the run was interrupted. */
  readonly isFinished: boolean;
  readonly inputs: Readonly<Record<string, string>>;
  /** SHA-256 of each CSV file of results, in hex, by its path. */
  readonly files: Readonly<Record<string, string>>;
  readonly routers: readonly RouterSummary[];
  readonly pairs: readonly PairedDifference[];
  readonly warnings: readonly string[];
}

/**
 * The summary as JSON. Values that JSON cannot express are replaced: 64-bit integers by texts, NaN by null. Names are
 * written in lower case with `_`.
 */
export function summaryJson(summary: Summary): string {
  return `${JSON.stringify(plain(summary), undefined, 2)}\n`;
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? rounded(value) : null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const isFileTable = Object.keys(value).some((key) => key.includes('.'));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [isFileTable ? key : snakeCase(key), plain(each)]),
  );
}

/** Rounds to twelve digits, which hides the rounding errors of sums. */
const rounded = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(12)));

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const COLUMNS = ['success', 'successByAmount', 'attempts', 'feePpm'] as const;

/** One row for each router, with the ends of the intervals. */
export function summaryCsv({ routers }: Pick<Summary, 'routers'>, prefix = ''): string {
  const lead = prefix === '' ? '' : `${prefix},`;
  return routers
    .map((figures) => {
      const estimates = COLUMNS.flatMap((column) => ends(figures[column]));
      const { p50, p95, p99 } = figures.settleUs;
      const { possible, checked } = figures.possible;
      const odds = [figures.ofAttempts.brier, figures.ofAttempts.logLoss];
      const { privacy } = figures;
      const guessed = [privacy?.recipientGuessed ?? Number.NaN, privacy?.senderGuessed ?? Number.NaN];
      const locked = figures.lockedMsatSeconds;
      const numbers = [...estimates, p50, p95, p99, locked, possible, checked, ...odds, ...guessed];
      const cells = [figures.router, figures.payments, figures.complete, ...numbers.map(cell)];
      return `${lead}${cells.join(',')}\n`;
    })
    .join('');
}

/** The header of `summary.csv`. */
export const SUMMARY_COLUMNS = [
  'router',
  'payments',
  'complete',
  ...COLUMNS.flatMap((column) => [
    snakeCase(column),
    `${snakeCase(column)}_low`,
    `${snakeCase(column)}_high`,
  ]),
  'settle_p50_us',
  'settle_p95_us',
  'settle_p99_us',
  'locked_msat_seconds',
  'failed_though_possible',
  'failed_checked',
  'attempt_brier',
  'attempt_log_loss',
  'recipient_guessed',
  'sender_guessed',
].join(',');

const ends = ({ mean, low, high }: Estimate): number[] => [mean, low, high];
const cell = (value: number): string => (Number.isFinite(value) ? String(rounded(value)) : '');
