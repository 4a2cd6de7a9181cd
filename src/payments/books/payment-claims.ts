/**
 * What a payment must hold before it starts, so that nothing is paid twice: its idempotency key, its invoice, and its
 * single-use invoice request. A payment holds them until its row is in the store, where later requests find it.
 */
import type { Payment, PaymentRequest } from '../payment.ts';
import { singleUseRequest } from '../plan/invoice-terms.ts';
import { PaymentRefused } from '../refusal.ts';
import type { LivePayment } from '../send/live-payment.ts';
import {
  type BeginPayment,
  IdempotencyKeys,
  isKeyFree,
  type KeyHolder,
  keyWithoutScope,
} from './idempotency-keys.ts';
import { type BeginNumbered, InvoiceGuard } from './invoice-guard.ts';
import type { Journal } from './journal.ts';

/** The keys, invoices and requests held by payments of this process. */
export class PaymentClaims {
  readonly #journal: Journal;
  readonly #keys: IdempotencyKeys;
  readonly #invoices: InvoiceGuard;
  readonly #requests: InvoiceGuard;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#keys = new IdempotencyKeys((key) => this.#paymentOfKey(key));
    this.#invoices = new InvoiceGuard('invoice', (hash) => journal.paymentsOfHash(hash));
    this.#requests = new InvoiceGuard('request', (id) => journal.paymentsOfRequest(id));
  }

  /** Number of payments that are claiming a key, and have not started yet. */
  get pending(): number {
    return this.#keys.pending;
  }

  /** The payment that holds a key. Undefined if the key is free here; then `claimKey` must query the store. */
  holderOf(key: string): Promise<KeyHolder> | undefined {
    return this.#keys.holderOf(key);
  }

  /**
   * Takes a free key immediately.
   * @returns the payment that has the key from now on: an earlier one in the store, or the one started by `begin`
   * @throws PaymentRefused when the key was used by another caller, or for a payment that was deleted; any error of
   *   `begin` or of the store, after which the key is free again
   */
  claimKey(key: string, begin: BeginPayment): Promise<KeyHolder> {
    return this.#keys.claim(key, begin);
  }

  /** Gives a resumed payment its key back. */
  resumed(live: LivePayment): void {
    const { idempotencyKey } = live.payment.request;
    if (idempotencyKey !== undefined) this.#keys.hold(idempotencyKey, live);
  }

  /**
   * Starts a payment for an invoice. The payment holds the invoice, and the single-use request that it answers.
   * @throws InvoiceTaken when another payment is paying or has paid one of them; any error of `begin`
   */
  beginInvoice({ invoice, asked }: PaymentRequest, begin: BeginNumbered): Promise<LivePayment> {
    const watched = singleUseRequest(asked);
    return this.#invoices.begin(invoice!.paymentHash, (firstPartId) =>
      watched === undefined ? begin(firstPartId) : this.#requests.begin(watched, () => begin(firstPartId)),
    );
  }

  /** Releases what an ended payment holds, once its row is in the store. Until then, only this process knows the key. */
  ended(live: LivePayment): void {
    const { paymentHash, request } = live.payment;
    const { idempotencyKey, invoice } = request;
    if (idempotencyKey === undefined && invoice === undefined) return;
    const watched = singleUseRequest(request.asked);
    this.#journal.whenWritten(() => {
      if (idempotencyKey !== undefined) this.#keys.release(idempotencyKey, live);
      if (invoice !== undefined) this.#invoices.release(paymentHash, live);
      if (watched !== undefined) this.#requests.release(watched, live);
    });
  }

  /** The payment in the store that has a key. A key that may be reused (`isKeyFree`) is taken from its payment. */
  async #paymentOfKey(key: string): Promise<Payment | undefined> {
    const payment = await this.#journal.paymentOfKey(key);
    if (payment !== undefined) {
      if (!isKeyFree(payment)) return payment;
      this.#journal.freeKey(payment);
      return undefined;
    }
    const spent = await this.#journal.spentKey(key);
    if (spent !== undefined) throw new PaymentRefused({ kind: 'keySpent', ...spent });
    // Earlier releases stored keys without the scope of the caller.
    const unscoped = keyWithoutScope(key);
    if (unscoped !== undefined && (await this.#journal.paymentOfKey(unscoped)) !== undefined)
      throw new PaymentRefused({ kind: 'keyOfAnother' });
    return undefined;
  }
}
