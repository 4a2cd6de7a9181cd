/**
 * Makes sure that an invoice is paid only once. Whoever has its preimage has the money, so a second payment
 * would buy nothing. Of the payments with one payment hash, at most one is under way or complete. After one
 * that failed, another may follow.
 *
 *     hash ──▶ nobody's, or failed ──▶ this payment's, until the store has its row
 *          └─▶ under way or complete ──▶ `InvoiceTaken`, with that payment
 */
import { toHex } from '../bolt/bytes.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import type { PaymentsOfHash } from './journal.ts';
import type { LivePayment } from './live-payment.ts';
import type { Payment } from './payment.ts';

/** Thrown when the invoice is being paid, or was paid, by that payment. */
export class InvoiceTaken extends Error {
  readonly payment: Payment;

  constructor(payment: Payment) {
    super(`payment ${payment.createdIndex}`);
    this.payment = payment;
  }
}

/** Begins a payment whose parts are numbered from this number on. */
export type BeginNumbered = (firstPartId: number) => LivePayment;

/** Watches over the invoices that are being paid. */
export class InvoiceGuard {
  readonly #ask: (paymentHash: Uint8Array) => Promise<PaymentsOfHash>;
  /**
   * The payment that each payment hash stands for. It need not ask the store, because `begin` asks it for the
   * hash.
   */
  readonly #hashes = new IdempotencyKeys(async () => undefined);

  /** @param ask asks the store. It knows every payment that was released here. */
  constructor(ask: (paymentHash: Uint8Array) => Promise<PaymentsOfHash>) {
    this.#ask = ask;
  }

  /**
   * Begins a payment of this hash. @throws InvoiceTaken; and what `begin` throws, after which the invoice is
   * free again.
   */
  async begin(paymentHash: Uint8Array, begin: BeginNumbered): Promise<LivePayment> {
    const key = toHex(paymentHash);
    for (;;) {
      const earlier = this.#hashes.holderOf(key);
      if (earlier === undefined) break;
      // The first one may fail to begin. Then it is as if it had not come.
      const holder = await earlier.catch(() => undefined);
      if (holder === undefined) continue;
      if (holder.payment.status !== 'failed') throw new InvoiceTaken(holder.payment);
      this.#hashes.release(key, holder.live!);
    }
    const { live } = await this.#hashes.claim(key, async () => {
      const { standing, lastPartId } = await this.#ask(paymentHash);
      if (standing !== undefined) throw new InvoiceTaken(standing);
      return begin(lastPartId + 1);
    });
    return live!;
  }

  /** Lets a hash go when the store has the row of its payment, and so knows the hash itself. */
  release(live: LivePayment): void {
    this.#hashes.release(toHex(live.payment.paymentHash), live);
  }
}
