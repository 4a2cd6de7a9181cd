/**
 * Maps idempotency keys to payments. A request that repeats the key of a payment pays nothing, and gets the outcome of
 * that payment, unless the key may be reused (`isKeyFree`).
 *
 * Looking up a key in the store takes a while, during which the key is held here. If several requests with the same key
 * arrive at once, only the first proceeds, and the others wait for its result.
 *
 *     free ──▶ claimed: the store is queried ──▶ found: the earlier payment is the result, and the key is free here
 *                                            └─▶ not found: this payment holds the key until the store has its row
 */

import type { Attempt, Payment, PaymentTerms } from '../payment.ts';
import type { LivePayment } from '../send/live-payment.ts';

/** The payment that holds a key. `live` is set if this process runs the payment. */
export interface KeyHolder {
  readonly payment: Payment;
  readonly live?: LivePayment;
}

/** Starts a payment, which may take a while if an invoice must be fetched first. */
export type BeginPayment = () => LivePayment | Promise<LivePayment>;

/** Keys that are being looked up, and keys of payments that are not in the store yet. */
export class IdempotencyKeys {
  readonly #find: (key: string) => Promise<Payment | undefined>;
  readonly #holders = new Map<string, Promise<KeyHolder>>();
  readonly #owners = new Map<string, LivePayment>();
  #pending = 0;

  /**
   * @param find queries the store for the payment with a key. It must find every payment whose key was released here.
   */
  constructor(find: (key: string) => Promise<Payment | undefined>) {
    this.#find = find;
  }

  /** Number of claims in progress. */
  get pending(): number {
    return this.#pending;
  }

  /** The payment that holds the key. Undefined if the key is free here; then `claim` must query the store. */
  holderOf(key: string): Promise<KeyHolder> | undefined {
    return this.#holders.get(key);
  }

  /** Assigns a key to a resumed payment, which then holds the key until `release`. */
  hold(key: string, live: LivePayment): void {
    this.#holders.set(key, Promise.resolve({ payment: live.payment, live }));
    this.#owners.set(key, live);
  }

  /**
   * Takes a free key immediately. The payment started by `begin` holds the key until `release`.
   * @param begin called when the store has no payment with this key.
   * @returns the payment that has the key from now on. If the store or `begin` fails, this rejects with the same error,
   *   and the key is free again.
   */
  claim(key: string, begin: BeginPayment): Promise<KeyHolder> {
    const claim = this.#resolve(key, begin);
    this.#holders.set(key, claim);
    return claim;
  }

  /** Releases a key. Call it once the payment is in the store, where the key can then be found. */
  release(key: string, live: LivePayment): void {
    if (this.#owners.get(key) !== live) return;
    this.#owners.delete(key);
    this.#holders.delete(key);
  }

  async #resolve(key: string, begin: BeginPayment): Promise<KeyHolder> {
    this.#pending++;
    try {
      const payment = await this.#find(key);
      if (payment !== undefined) return { payment };
      const live = await begin();
      this.#owners.set(key, live);
      return { payment: live.payment, live };
    } finally {
      this.#pending--;
      if (!this.#owners.has(key)) this.#holders.delete(key);
    }
  }
}

const SCOPED = /^rune \d+ (.*)$/s;

/** The request, with its idempotency key prefixed with the caller's scope. */
export function withKeyOf<T extends PaymentTerms>(request: T, scope: string | undefined): T {
  const { idempotencyKey: key } = request;
  return scope === undefined || key === undefined
    ? request
    : { ...request, idempotencyKey: `${scope} ${key}` };
}

/** The key as the caller gave it, without the scope. Undefined for a key given over the socket, which has no scope. */
export const keyWithoutScope = (key: string): string | undefined => SCOPED.exec(key)?.[1];

/**
 * Whether the key of a payment may be reused. It may if the payment failed before any HTLC left, and a store error was
 * the reason, or the payment was for a static invoice.
 */
export function isKeyFree({ status, failure, attempts, request }: Payment): boolean {
  if (status !== 'failed' || failure === undefined || 'error' in failure) return false;
  if (request.invoice?.held !== undefined && attempts.length === 0) return true;
  const { noPlan } = failure;
  return noPlan?.kind === 'refused' && noPlan.error === 'storeFailed' && attempts.every(hasNotLeft);
}

/** Whether an attempt certainly never left, because the store refused its row first. */
export const hasNotLeft = ({ status, failure }: Attempt): boolean =>
  status === 'failed' && failure?.notSent?.kind === 'refused';
