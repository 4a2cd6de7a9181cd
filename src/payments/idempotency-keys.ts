/**
 * Which payment an idempotency key stands for.
 *
 * The store is asked, and its answer takes a while: until then the key is held here, so that of equal requests that
 * arrive at once only the first goes on, and the others wait for what becomes of it.
 *
 *     free ──▶ claimed: the store is asked ──▶ found: the earlier payment answers, and the key is free here
 *                                          └─▶ not found: this payment holds the key until the store has its row
 */
import type { LivePayment } from './live-payment.ts';
import type { Payment } from './payment.ts';

/** What a key stands for: a payment, and how it goes on when it was begun by this process. */
export interface KeyHolder {
  readonly payment: Payment;
  readonly live?: LivePayment;
}

export class IdempotencyKeys {
  readonly #find: (key: string) => Promise<Payment | undefined>;
  readonly #holders = new Map<string, Promise<KeyHolder>>();
  readonly #owners = new Map<string, LivePayment>();
  #pending = 0;

  /** @param find asks the store; finds every payment whose key was released here. */
  constructor(find: (key: string) => Promise<Payment | undefined>) {
    this.#find = find;
  }

  /** Claims of which the store has not told yet whether they are new. */
  get pending(): number {
    return this.#pending;
  }

  /** What the key stands for; undefined when nobody holds it here. */
  holderOf(key: string): Promise<KeyHolder> | undefined {
    return this.#holders.get(key);
  }

  /** A payment of an earlier process is under way again: it holds its key until `release`. */
  hold(key: string, live: LivePayment): void {
    this.#holders.set(key, Promise.resolve({ payment: live.payment, live }));
    this.#owners.set(key, live);
  }

  /**
   * Takes a key that nobody holds here, at once. The payment that `begin` makes keeps it until `release`.
   * @param begin called when the store knows no payment of this key.
   * @returns what the key stands for from now on. Rejects as the store or `begin` does; the key is free then.
   */
  claim(key: string, begin: () => LivePayment): Promise<KeyHolder> {
    const claim = this.#resolve(key, begin);
    this.#holders.set(key, claim);
    return claim;
  }

  /** The store has the row of this payment by now, and knows the key. */
  release(key: string, live: LivePayment): void {
    if (this.#owners.get(key) !== live) return;
    this.#owners.delete(key);
    this.#holders.delete(key);
  }

  async #resolve(key: string, begin: () => LivePayment): Promise<KeyHolder> {
    this.#pending++;
    try {
      const payment = await this.#find(key);
      if (payment !== undefined) return { payment };
      const live = begin();
      this.#owners.set(key, live);
      return { payment: live.payment, live };
    } finally {
      this.#pending--;
      if (!this.#owners.has(key)) this.#holders.delete(key);
    }
  }
}
