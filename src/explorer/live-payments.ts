/**
 * The last payments, as a list that follows the events. At hundreds of payments a second a page cannot show each: rows
 * are redrawn at most a few times a second, and what came between is counted.
 */

import type { Amount, ListedPayment, PaymentTold } from './event-types.ts';
import type { Events } from './events.ts';
import type { Rpc } from './rpc.ts';

/** Payments that are shown. */
export const SHOWN_PAYMENTS = 50;
/** Milliseconds between two redraws. */
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
    const last = await lastIndex((start) => this.#page(start, 1));
    const pays = last === 0 ? [] : await this.#page(Math.max(1, last - SHOWN_PAYMENTS + 1), SHOWN_PAYMENTS);
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
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#left.aborted) this.#changed();
    }, REDRAW_MS);
  }
}

/**
 * The greatest index of a list that can only be read forward from an index: by doubling, then halving. @param from
 * answers the first entry at or after an index, or nothing
 */
export async function lastIndex(from: (start: number) => Promise<readonly ListedPayment[]>): Promise<number> {
  let known = 0;
  let step = 1;
  for (;;) {
    const [found] = await from(known + step);
    if (found === undefined) break;
    known = Number(found.created_index);
    step *= 2;
  }
  // Nothing is at or after `known + step`.
  let end = known + step;
  while (end - known > 1) {
    const middle = known + Math.floor((end - known) / 2);
    const [found] = await from(middle);
    if (found === undefined) end = middle;
    else known = Number(found.created_index);
  }
  return known;
}
