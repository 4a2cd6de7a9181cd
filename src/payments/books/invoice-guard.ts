/**
 * Makes sure that an invoice is paid only once, and that a single-use request of ours for an invoice is answered with
 * only one payment. The preimage is all that a payer gets for an invoice, so a second payment would buy nothing. Among
 * payments with the same payment hash, at most one is in progress or complete. The same holds among payments for the
 * same single-use request, even with another hash. After a payment has failed, another may begin.
 *
 *     key ──▶ free, or failed ──▶ this payment's, until the store has its row
 *         └─▶ in progress or complete ──▶ `InvoiceTaken`, with that payment
 *
 * One process is guarded here, and a data directory with its SQLite file has only one. Where several daemons share a
 * database, two of them may ask it at the same moment. There a unique index refuses the second payment when its first
 * attempts are written, before they leave (`PaidElsewhere`).
 */
import { toHex } from '../../bolt/bytes.ts';
import type { PaidOnce } from '../../store/payment-leases.ts';
import type { Payment } from '../payment.ts';
import type { LivePayment } from '../send/live-payment.ts';
import { type BeginPayment, IdempotencyKeys } from './idempotency-keys.ts';
import type { EarlierPayments } from './journal.ts';

/** Thrown when an earlier payment pays or has paid this invoice, or another invoice for the same request. */
export class InvoiceTaken extends Error {
  readonly payment: Payment;
  readonly by: PaidOnce;

  constructor(payment: Payment, by: PaidOnce) {
    super(`payment ${payment.createdIndex}`);
    this.payment = payment;
    this.by = by;
  }
}

/** Begins a payment whose parts are numbered from this number on. */
export type BeginNumbered = (firstPartId: number) => ReturnType<BeginPayment>;

/** Watches over the invoices that are being paid, by payment hash or by request. */
export class InvoiceGuard {
  readonly #by: PaidOnce;
  readonly #ask: (key: Uint8Array) => Promise<EarlierPayments>;
  /** The payment that each key stands for. It need not ask the store, because `begin` asks it for the key. */
  readonly #holders = new IdempotencyKeys(async () => undefined);

  /** @param ask asks the store. It knows every payment that was released here. */
  constructor(by: PaidOnce, ask: (key: Uint8Array) => Promise<EarlierPayments>) {
    this.#by = by;
    this.#ask = ask;
  }

  /**
   * Begins a payment of this key. @throws InvoiceTaken; and what `begin` throws, after which the key is free
   * again.
   */
  async begin(keyBytes: Uint8Array, begin: BeginNumbered): Promise<LivePayment> {
    const key = toHex(keyBytes);
    for (;;) {
      const earlier = this.#holders.holderOf(key);
      if (earlier === undefined) break;
      // The earlier payment may fail to begin. Then it does not count.
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

  /** Lets a key go when the store has the row of its payment, and so knows the key itself. */
  release(key: Uint8Array, live: LivePayment): void {
    this.#holders.release(toHex(key), live);
  }
}
