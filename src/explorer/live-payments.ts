/**
 * The last payments, as a list that follows the events. At hundreds of payments a second a page cannot show each: rows
 * are redrawn at most a few times a second, and what came between is counted.
 */

import type { Amount, ListedPayment, PaymentTold } from './event-types.ts';
import type { Events } from './events.ts';
import type { Rpc } from './rpc.ts';

/** Payments that are shown. */
export const SHOWN_PAYMENTS = 50;
/**
 * So many payments more are read rather than asking where the list ends once more: a busy node answers each question
 * about its payments only after it has written all news to disk.
 */
const NEAR_ENOUGH = 512;
/** Least milliseconds between two redraws. News after a rest are drawn at once. */
const REDRAW_MS = 250;

/** One payment, as far as a list shows it. Times are UNIX seconds. */
export interface ShownPayment {
  readonly index: number;
  readonly hash: string;
  readonly status: string;
  readonly destination: string | undefined;
  readonly amountMsat: Amount | undefined;
  readonly sentMsat: Amount | undefined;
  readonly label: string | undefined;
  readonly createdAt: number;
  readonly completedAt: number | undefined;
}

const listed = (one: ListedPayment): ShownPayment => ({
  index: Number(one.created_index ?? 0),
  hash: one.payment_hash,
  status: one.status,
  destination: one.destination,
  amountMsat: one.amount_msat,
  sentMsat: one.amount_sent_msat,
  label: one.label,
  createdAt: Number(one.created_at),
  completedAt: one.completed_at === undefined ? undefined : Number(one.completed_at),
});

const told = ({ payment, status, ...end }: PaymentTold): ShownPayment => ({
  index: payment.created_index,
  hash: payment.payment_hash,
  status,
  destination: payment.destination,
  amountMsat: payment.amount_msat,
  sentMsat: end.amount_sent_msat,
  label: payment.label,
  createdAt: payment.created_at,
  completedAt: end.completed_at,
});

/**
 * The last payments in the order in which they began, the newest first. An event about one that is too old for the list
 * changes nothing. A payment that has ended stays ended, in whatever order news about it come.
 */
export class LastPayments {
  readonly #byIndex = new Map<number, ShownPayment>();

  add(payment: ShownPayment): void {
    const known = this.#byIndex.get(payment.index);
    if (known?.completedAt !== undefined && payment.completedAt === undefined) return;
    this.#byIndex.set(payment.index, payment);
    if (this.#byIndex.size <= SHOWN_PAYMENTS) return;
    let oldest = payment.index;
    for (const index of this.#byIndex.keys()) if (index < oldest) oldest = index;
    this.#byIndex.delete(oldest);
  }

  clear(): void {
    this.#byIndex.clear();
  }

  get list(): ShownPayment[] {
    return [...this.#byIndex.values()].sort((a, b) => b.index - a.index);
  }
}

/** Follows the payments of a node. */
export class LivePayments {
  readonly #rpc: Rpc;
  readonly #left: AbortSignal;
  readonly #last = new LastPayments();
  readonly #changed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAtMs = 0;
  isLoaded = false;

  /** @param changed called when the list is to be drawn anew */
  constructor(rpc: Rpc, events: Events, left: AbortSignal, changed: () => void) {
    this.#rpc = rpc;
    this.#left = left;
    this.#changed = changed;
    events.on('payment', (event) => this.#heard(event), left);
    events.on('reset', () => void this.load(), left);
  }

  get list(): ShownPayment[] {
    return this.#last.list;
  }

  /** Reads the last payments of the journal. @throws CallRefused, NoAnswer */
  async load(): Promise<void> {
    const heard = this.list[0]?.index ?? 0;
    const last = await lastIndex((start) => this.#page(start, 1), heard, NEAR_ENOUGH);
    const start = Math.max(1, last - SHOWN_PAYMENTS + 1);
    const pays = await this.#page(start, SHOWN_PAYMENTS + NEAR_ENOUGH);
    for (const payment of pays) this.#last.add(listed(payment));
    this.isLoaded = true;
    this.#changed();
  }

  async #page(start: number, limit: number): Promise<readonly ListedPayment[]> {
    const params = { index: 'created', start, limit } as const;
    return (await this.#rpc.call('listpays', params, { signal: this.#left })).pays;
  }

  #heard(event: PaymentTold): void {
    this.#last.add(told(event));
    const restMs = this.#drawnAtMs + REDRAW_MS - performance.now();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#drawnAtMs = performance.now();
      if (!this.#left.aborted) this.#changed();
    }, restMs);
  }
}

/**
 * The greatest index of a list that can only be read forward from an index: by doubling, then halving. @param from
 * answers the first entry at or after an index, or nothing
 * @param known an index that is in the list, or 0
 * @param near how far below the greatest index the answer may lie, less 1
 */
export async function lastIndex(
  from: (start: number) => Promise<readonly ListedPayment[]>,
  known = 0,
  near = 1,
): Promise<number> {
  let last = known;
  let step = near;
  for (;;) {
    const [found] = await from(last + step);
    if (found === undefined) break;
    last = Number(found.created_index);
    step *= 2;
  }
  // Nothing is at or after `last + step`.
  let end = last + step;
  while (end - last > near) {
    const middle = last + Math.floor((end - last) / 2);
    const [found] = await from(middle);
    if (found === undefined) end = middle;
    else last = Number(found.created_index);
  }
  return last;
}
