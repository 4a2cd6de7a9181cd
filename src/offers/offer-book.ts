/**
 * The offers of an issuer and the invoices it made for them, as the issuer needs them while it answers. What is
 * kept beyond the process is the business of a journal, which is told of every change.
 */
import type { Offer } from '../bolt/bolt12-offer.ts';
import { toHex } from '../bolt/bytes.ts';
import { FulguriteError } from '../model/errors.ts';
import type { InvoiceRow, Standing } from '../store/offer-repository.ts';

/** An offer that was issued, with the secrets that belong to it. */
export interface IssuedOffer extends Standing {
  readonly offer: Offer;
  readonly offerId: Uint8Array;
  /** Secrets that requests over the offer's paths carry, one for each path; empty without paths. */
  readonly pathIds: readonly Uint8Array[];
  /** Keys that sign invoices, one for each path, where the offer names no issuer. */
  readonly pathSecretKeys?: readonly Uint8Array[];
}

/** What has become of an invoice that was issued. */
export type InvoiceStatus = 'unpaid' | 'paid' | 'expired';

/** An invoice that was issued, as it is kept. */
export type IssuedInvoice = InvoiceRow;

/** Is told of every change, before it is answered. */
export interface OfferJournal {
  offerChanged(offer: IssuedOffer): void;
  invoiceChanged(invoice: IssuedInvoice): void;
  /** An unpaid invoice made way for another of its label, or for none. */
  invoiceRemoved(invoice: IssuedInvoice): void;
  /** No invoice of this label is to be made. */
  periodCancelled(label: string): void;
}

/** Invoices kept in memory; beyond it the oldest unpaid one is forgotten. */
const MAX_INVOICES = 100_000;
const MAX_OFFERS = 100_000;

/** Holds offers and invoices in memory, and tells its journal, if it has one, of every change. */
export class OfferBook {
  readonly #offers = new Map<string, IssuedOffer>();
  readonly #invoices = new Map<string, IssuedInvoice>();
  readonly #journal: OfferJournal | undefined;
  /** Labels of periods for which no invoice is to be made. */
  readonly #cancelled = new Set<string>();
  #nextIndex = 1;

  constructor(journal?: OfferJournal) {
    this.#journal = journal;
  }

  offers(): Iterable<IssuedOffer> {
    return this.#offers.values();
  }

  invoices(): Iterable<IssuedInvoice> {
    return this.#invoices.values();
  }

  offer(offerId: Uint8Array): IssuedOffer | undefined {
    return this.#offers.get(toHex(offerId));
  }

  invoice(label: string): IssuedInvoice | undefined {
    return this.#invoices.get(label);
  }

  get nextInvoiceIndex(): number {
    return this.#nextIndex;
  }

  /** Adds what is in the journal already. */
  restore(
    offers: Iterable<IssuedOffer>,
    invoices: Iterable<IssuedInvoice>,
    cancelled: Iterable<string>,
  ): void {
    for (const label of cancelled) this.#cancelled.add(label);
    for (const offer of offers) this.#offers.set(toHex(offer.offerId), offer);
    for (const invoice of invoices) {
      this.#invoices.set(invoice.label, invoice);
      this.#nextIndex = Math.max(this.#nextIndex, invoice.createdIndex + 1);
    }
  }

  /** Adds or replaces. @throws FulguriteError busy when there are too many. */
  putOffer(offer: IssuedOffer): void {
    const key = toHex(offer.offerId);
    if (!this.#offers.has(key) && this.#offers.size >= MAX_OFFERS) {
      throw new FulguriteError('busy', `more than ${MAX_OFFERS} offers`);
    }
    this.#offers.set(key, offer);
    this.#journal?.offerChanged(offer);
  }

  putInvoice(invoice: IssuedInvoice): void {
    const before = this.#invoices.get(invoice.label);
    if (before !== undefined && before.createdIndex !== invoice.createdIndex)
      this.#journal?.invoiceRemoved(before);
    this.#invoices.set(invoice.label, invoice);
    this.#nextIndex = Math.max(this.#nextIndex, invoice.createdIndex + 1);
    this.#journal?.invoiceChanged(invoice);
    if (this.#invoices.size > MAX_INVOICES) this.#forgetOldest();
  }

  /** The first payment of a single-use offer closes it. */
  markPaid(label: string): void {
    const invoice = this.#invoices.get(label);
    const offer = invoice && this.offer(invoice.offerId);
    if (invoice === undefined || offer === undefined) return;
    this.putInvoice({ ...invoice, isPaid: true });
    this.putOffer({ ...offer, used: true, active: offer.active && !offer.singleUse });
  }

  isCancelled(label: string): boolean {
    return this.#cancelled.has(label);
  }

  /**
   * Makes sure that the period has no invoice, now or later; false when it was paid, or there are too many.
   */
  cancel(label: string): boolean {
    const invoice = this.#invoices.get(label);
    if (invoice?.isPaid || this.#cancelled.size >= MAX_INVOICES) return false;
    if (this.#cancelled.has(label)) return true;
    if (invoice !== undefined) {
      this.#invoices.delete(label);
      this.#journal?.invoiceRemoved(invoice);
    }
    this.#cancelled.add(label);
    this.#journal?.periodCancelled(label);
    return true;
  }

  #forgetOldest(): void {
    for (const invoice of this.#invoices.values()) {
      if (invoice.isPaid) continue;
      this.#invoices.delete(invoice.label);
      this.#journal?.invoiceRemoved(invoice);
      return;
    }
  }
}

/** The status of an invoice at a time, which is in UNIX seconds. */
export function statusOf({ isPaid, expiresAt }: IssuedInvoice, nowSeconds: bigint): InvoiceStatus {
  if (isPaid) return 'paid';
  return nowSeconds > expiresAt ? 'expired' : 'unpaid';
}

/** Key of an invoice: one payer's for one period (or the only one). */
export function invoiceLabel(offerId: Uint8Array, payerId: Uint8Array, counter: number | undefined): string {
  return `${toHex(offerId)}-${toHex(payerId)}-${counter ?? 0}`;
}
