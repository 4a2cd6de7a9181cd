/**
 * The most recent payments, as a list that follows the events. A page cannot show hundreds of payments per second, so
 * the list is redrawn at most four times a second.
 */

import type { Amount, PaymentEventData } from '../event-types.ts';
import type { Events } from '../events.ts';
import type { MethodResult, Rpc } from '../rpc.ts';
import { obstacleSentence } from '../why/failure-sentences.ts';

type ListedPayment = MethodResult<'listpayments'>['payments'][number];

/** Number of payments shown. */
export const SHOWN_PAYMENTS = 50;
/** Minimum milliseconds between redraws. After a longer pause, an event is drawn at once. */
const REDRAW_MS = 250;

/** A payment as shown in the list. Times are UNIX seconds. */
export interface ShownPayment {
  readonly index: number;
  readonly hash: string;
  readonly status: string;
  readonly destination: string | undefined;
  readonly amountMsat: Amount | undefined;
  readonly sentMsat: Amount | undefined;
  readonly label: string | undefined;
  /** Why the payment failed. */
  readonly reason: string | undefined;
  readonly createdAt: number;
  readonly completedAt: number | undefined;
}

const listed = (one: ListedPayment): ShownPayment => ({
  index: Number(one.number),
  hash: one.payment_hash,
  status: one.status,
  destination: one.destination,
  amountMsat: one.amount_msat,
  sentMsat: one.amount_sent_msat,
  label: one.label,
  reason: one.failure?.message,
  createdAt: Number(one.created_at),
  completedAt: one.completed_at === undefined ? undefined : Number(one.completed_at),
});

const told = ({ payment, status, ...end }: PaymentEventData): ShownPayment => ({
  index: payment.created_index,
  hash: payment.payment_hash,
  status,
  destination: payment.destination,
  amountMsat: payment.amount_msat,
  sentMsat: end.amount_sent_msat,
  label: payment.label,
  reason: obstacleSentence(end.failure),
  createdAt: payment.created_at,
  completedAt: end.completed_at,
});

/**
 * The payments that started most recently, newest first. An event about a payment that is too old for the list has no
 * effect. A finished payment stays finished, in whatever order events arrive.
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

/** Keeps the list of payments up to date with the node's events. */
export class LivePayments {
  readonly #rpc: Rpc;
  readonly #left: AbortSignal;
  readonly #last = new LastPayments();
  readonly #changed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAtMs = 0;
  isLoaded = false;

  /** @param changed called when the list must be redrawn */
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

  /** Reads the latest payments from the journal. @throws CallRefused, NoAnswer */
  async load(): Promise<void> {
    const options = { signal: this.#left };
    const { payments } = await this.#rpc.call('listpayments', { limit: SHOWN_PAYMENTS }, options);
    for (const payment of payments) this.#last.add(listed(payment));
    this.isLoaded = true;
    this.#changed();
  }

  #heard(event: PaymentEventData): void {
    this.#last.add(told(event));
    const restMs = this.#drawnAtMs + REDRAW_MS - performance.now();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#drawnAtMs = performance.now();
      if (!this.#left.aborted) this.#changed();
    }, restMs);
  }
}
