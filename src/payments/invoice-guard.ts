/**
 * An invoice is paid once: whoever holds its preimage has the money, and nothing would be bought a second time. Of the
 * payments of one payment hash at most one is under way or complete; one that failed may be followed by another.
 *
 *     hash ──▶ nobody's, or failed ──▶ this payment's, until the store has its row
 *          └─▶ under way or complete ──▶ `InvoiceTaken`, with that payment
 */
import { toHex } from '../bolt/bytes.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import type { PaymentsOfHash } from './journal.ts';
import type { LivePayment } from './live-payment.ts';
import type { Payment } from './payment.ts';

/** The invoice is being paid, or was paid, by that payment. */
export class InvoiceTaken extends Error {
  readonly payment: Payment;

  constructor(payment: Payment) {
    super(`payment ${payment.createdIndex}`);
    this.payment = payment;
  }
}

/** Begins a payment whose parts are numbered from here on. */
export type BeginNumbered = (firstPartId: number) => LivePayment;

/** Watches over the invoices that are paid. */
export class InvoiceGuard {
  readonly #ask: (paymentHash: Uint8Array) => Promise<PaymentsOfHash>;
  /** Which payment a payment hash stands for; the store is asked by `begin`, which knows the hash itself. */
  readonly #hashes = new IdempotencyKeys(async () => undefined);

  /** @param ask the store; it knows every payment that was released here. */
  constructor(ask: (paymentHash: Uint8Array) => Promise<PaymentsOfHash>) {
    this.#ask = ask;
  }

  /** @throws InvoiceTaken; and what `begin` throws, when the invoice is free again. */
  async begin(paymentHash: Uint8Array, begin: BeginNumbered): Promise<LivePayment> {
    const key = toHex(paymentHash);
    for (;;) {
      const earlier = this.#hashes.holderOf(key);
      if (earlier === undefined) break;
      // Whoever came first may fail to begin; then it is as if nobody had come.
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

  /** The store has the row of this payment by now, and knows the hash. */
  release(live: LivePayment): void {
    this.#hashes.release(toHex(live.payment.paymentHash), live);
  }
}
