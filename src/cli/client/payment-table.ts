/**
 * A payment as a table: one row per attempt. A line below each failed attempt shows the failure and what was learned
 * from it. The amount is shown in both units, so that a wrong amount is easy to spot.
 *
 *     try  part      amount sat   amount msat  fee msat    odds  state         route
 *       1     0        1000.501       1000501        76   99.9%  failed 0.3s   508779x2x0/0 … 503614x1933x1/0
 *              WIRE_TEMPORARY_CHANNEL_FAILURE at node 1; 503614x1933x1/0 cannot carry 1000501msat
 *       2     1        1000.501       1000501        90   98.2%  pending 1.2s  508779x2x0/0 503614x7x1/0
 */
import type { JsonToken } from '../../rpc/json-token.ts';
import { membersOf } from '../../rpc/socket-client.ts';
import { satText } from './advice.ts';
import { printable } from './printable.ts';

/** An attempt as the table shows it. */
export interface AttemptView {
  readonly part: string;
  readonly amountSat: string;
  readonly amountMsat: string;
  readonly feeMsat: string;
  readonly odds: string;
  /** `arrived`: the payment has arrived, but the service has not reported the attempt as settled yet. */
  readonly state: 'pending' | 'arrived' | 'success' | 'failed';
  /**
   * UNIX time in milliseconds at which this client first saw the attempt. `tookMs`: the attempt's duration, if it has
   * finished.
   */
  readonly sinceMs: number;
  readonly tookMs: number | undefined;
  /** Channel directions in route order. */
  readonly route: readonly string[];
  /** The failure and what was learned from it. Empty if the attempt has not failed. */
  readonly lesson: string;
}

/**
 * Reads the `attempt` of a notification. Undefined when the notification has none. `before` is the previous state of
 * the attempt.
 */
export function attemptView(token: JsonToken, nowMs: number, before?: AttemptView): AttemptView | undefined {
  const { status, partid, amount_msat, amount_sent_msat, ...more } = membersOf(token);
  const { probability_ppm, created_at, completed_at, route, failure, learned } = more;
  const state = status?.text;
  if (state !== 'pending' && state !== 'success' && state !== 'failed') return undefined;
  const amount = wholeNumber(amount_msat);
  const fee = wholeNumber(amount_sent_msat) - amount;
  const took = Number(completed_at?.text) - Number(created_at?.text);
  return {
    part: clean(partid?.text ?? '?'),
    amountSat: satText(amount),
    amountMsat: `${amount}`,
    feeMsat: `${fee}`,
    // Rounded down, so that 100 % means certainty.
    odds: `${(Math.floor(Number(wholeNumber(probability_ppm)) / 1000) / 10).toFixed(1)}%`,
    state,
    sinceMs: before?.sinceMs ?? nowMs,
    tookMs: Number.isFinite(took) ? took * 1000 : undefined,
    route: elementsOf(route).map((hop) => clean(membersOf(hop).short_channel_id_dir?.text ?? '?')),
    lesson: state === 'failed' ? lessonOf(failure, elementsOf(learned)) : '',
  };
}

function lessonOf(failure: JsonToken | undefined, learned: readonly JsonToken[]): string {
  const { failcodename, erring_index } = failure?.kind === 'object' ? membersOf(failure) : {};
  const where = erring_index === undefined ? '' : ` at node ${erring_index.text}`;
  return clean(
    [`${failcodename?.text ?? 'unreadable failure'}${where}`, ...learned.map(({ text }) => text)].join('; '),
  );
}

const HEADING = {
  try: 'try',
  part: 'part',
  sat: 'amount sat',
  amount: 'amount msat',
  fee: 'fee msat',
  odds: 'odds',
};
const STATE_WIDTH = 14;
/** Columns by which the line below a failed attempt is indented. */
const LESSON_INDENT = 14;

/** The table as lines of at most `width` characters, without control characters. */
export function tableLines(attempts: readonly AttemptView[], nowMs: number, width: number): string[] {
  const head = `${cells(HEADING)}  ${'state'.padEnd(STATE_WIDTH)}`;
  const lines = [`${head}route`];
  for (const [index, attempt] of attempts.entries()) {
    const { part, amountSat: sat, amountMsat: amount, feeMsat: fee, odds } = attempt;
    const { state, sinceMs, tookMs, route, lesson } = attempt;
    const seconds = ((tookMs ?? Math.max(0, nowMs - sinceMs)) / 1000).toFixed(1);
    const name = state === 'success' ? 'settled' : state;
    const row = `${cells({ try: `${index + 1}`, part, sat, amount, fee, odds })}  ${`${name} ${seconds}s`.padEnd(STATE_WIDTH)}`;
    lines.push(row + shortened(route, width - row.length));
    if (lesson !== '') lines.push(' '.repeat(LESSON_INDENT) + lesson);
  }
  return lines.map((line) => clipped(line, width));
}

function cells({ try: number, part, sat, amount, fee, odds }: typeof HEADING): string {
  const columns = [number.padStart(3), part.padStart(4), sat.padStart(14), amount.padStart(12)];
  return [...columns, fee.padStart(8), odds.padStart(6)].join('  ');
}

/** The route, cut to the hops at both ends that fit. The first hop has priority over the last. */
function shortened(route: readonly string[], width: number): string {
  let text = route.join(' ');
  for (let left = route.length - 1; text.length > width && left >= 1; left--) {
    const fromEnd = Math.floor(left / 2);
    text = [...route.slice(0, left - fromEnd), '…', ...route.slice(route.length - fromEnd)].join(' ');
  }
  return text;
}

const clipped = (line: string, width: number): string =>
  line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;

/**
 * Makes text that others chose safe: control characters become `\uXXXX`, and characters that may be wider than one
 * column become `?`.
 */
const clean = (text: string): string => printable(text).replace(/[^\x20-\x7e]/gu, '?');

const elementsOf = (token: JsonToken | undefined): readonly JsonToken[] =>
  token?.kind === 'array' ? token.elements() : [];

const wholeNumber = (token: JsonToken | undefined): bigint =>
  /^\d{1,20}$/.test(token?.text ?? '') ? BigInt(token!.text) : 0n;
