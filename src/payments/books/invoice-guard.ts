/**
 * Ensures that an invoice is paid only once, and that our single-use invoice requests are answered with only one
 * payment. All that a payer gets for an invoice is the preimage, so a second payment would be wasted. Among payments
 * with the same payment hash, at most one is in progress or complete. The same is true of payments for the same
 * single-use request, even if their payment hashes differ. After a payment has failed, a new one may start.
 *
 *     key ──▶ free, or failed ──▶ this payment's, until the store has its row
 *         └─▶ in progress or complete ──▶ `InvoiceTaken`, with that payment
 *
 * Besides the payments in the store, this guard sees only those of its own process. That suffices for an SQLite file,
 * whose data directory is used by only one process. Daemons that share a database may query it at the same time; there,
 * a unique index refuses the second payment when its first attempts are written, before they leave (`PaidElsewhere`).
 */
import { toHex } from '../../bolt/bytes.ts';
import type { PaidOnce } from '../../store/payment-leases.ts';
import type { Payment } from '../payment.ts';
import type { LivePayment } from '../send/live-payment.ts';
import { type BeginPayment, IdempotencyKeys } from './idempotency-keys.ts';
import type { EarlierPayments } from './journal.ts';

/** Thrown when an earlier payment is paying or has paid this invoice, or a different invoice for the same request. */
export class InvoiceTaken extends Error {
  readonly payment: Payment;
  readonly by: PaidOnce;

  constructor(payment: Payment, by: PaidOnce) {
    super(`payment ${payment.createdIndex}`);
    this.payment = payment;
    this.by = by;
  }
}

/** Starts a payment whose parts are numbered from `firstPartId`. */
export type BeginNumbered = (firstPartId: number) => ReturnType<BeginPayment>;

/** Guards the invoices being paid, by payment hash or by request. */
export class InvoiceGuard {
  readonly #by: PaidOnce;
  readonly #ask: (key: Uint8Array) => Promise<EarlierPayments>;
  /** The payment for each key. Looks up nothing in the store, because `begin` does. */
  readonly #holders = new IdempotencyKeys(async () => undefined);

  /** @param ask queries the store for earlier payments. It must find every payment that was released here. */
  constructor(by: PaidOnce, ask: (key: Uint8Array) => Promise<EarlierPayments>) {
    this.#by = by;
    this.#ask = ask;
  }

  /** Starts a payment for this key. @throws InvoiceTaken; any error of `begin`, after which the key is free again */
  async begin(keyBytes: Uint8Array, begin: BeginNumbered): Promise<LivePayment> {
    const key = toHex(keyBytes);
    for (;;) {
      const earlier = this.#holders.holderOf(key);
      if (earlier === undefined) break;
      // An earlier payment that fails to start does not block this one.
      const holder = await earlier.catch(() => undefined);
      if (holder === undefined) continue;
      if (holder.payment.status !== 'failed') throw new InvoiceTaken(holder.payment, this.#by);
      this.#holders.release(key, holder.live!);
    }
    const { live } = await this.#holders.claim(key, async () => {
      const { standing, lastPartId } = await this.#ask(keyBytes);
      if (standing !== undefined) throw new InvoiceTaken(standing, this.#by);
      return begin(lastPartId + 1);
    });
    return live!;
  }

  /** Releases a key. Call it once the payment is in the store, where the key can then be found. */
  release(key: Uint8Array, live: LivePayment): void {
    this.#holders.release(toHex(key), live);
  }
}
