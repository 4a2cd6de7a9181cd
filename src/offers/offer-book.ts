/**
 * The offers of an issuer and the invoices created for them. They are kept in memory, so that the issuer can answer
 * immediately. A journal receives every change and stores what must survive a restart.
 */

import { toHex } from '../bolt/bytes.ts';
import type { Offer } from '../bolt/invoice/bolt12-offer.ts';
import type { InvoiceRow, Standing } from '../store/offer-repository.ts';
import { OfferRefused } from './refusal.ts';

/** An issued offer, with its secrets. */
export interface IssuedOffer extends Standing {
  readonly offer: Offer;
  readonly offerId: Uint8Array;
  /** The secrets that requests over the offer's paths carry: one for each path, or one for all. Empty without paths. */
  readonly pathIds: readonly Uint8Array[];
  /** The key of each path, which signs invoices when the offer names no issuer. */
  readonly pathSecretKeys?: readonly Uint8Array[];
}

/** The state of an issued invoice. */
export type InvoiceStatus = 'unpaid' | 'paid' | 'expired';

/** An issued invoice, in its stored form. */
export type IssuedInvoice = InvoiceRow;

/** Receives every change before the caller gets its result. */
export interface OfferJournal {
  offerChanged(offer: IssuedOffer): void;
  invoiceChanged(invoice: IssuedInvoice): void;
  /** An unpaid invoice was removed, because a new one replaced it, there were too many, or its period was cancelled. */
  invoiceRemoved(invoice: IssuedInvoice): void;
  /** No further invoice with this label may be created. */
  periodCancelled(label: string): void;
}

/** Maximum number of invoices in memory. Above it, the oldest unpaid invoice is dropped. */
const MAX_INVOICES = 100_000;
const MAX_OFFERS = 100_000;

/** Holds offers and invoices in memory. Reports every change to its journal, if any. */
export class OfferBook {
  readonly #offers = new Map<string, IssuedOffer>();
  readonly #invoices = new Map<string, IssuedInvoice>();
  /** Labels of the invoices, by payment hash in hex. */
  readonly #labels = new Map<string, string>();
  readonly #journal: OfferJournal | undefined;
  /** Labels of cancelled periods, which get no invoice. */
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

  invoiceOfHash(paymentHash: Uint8Array): IssuedInvoice | undefined {
    const label = this.#labels.get(toHex(paymentHash));
    return label === undefined ? undefined : this.#invoices.get(label);
  }

  get nextInvoiceIndex(): number {
    return this.#nextIndex;
  }

  /** Adds offers, invoices and cancelled periods that the journal already holds, without notifying the journal. */
  restore(
    offers: Iterable<IssuedOffer>,
    invoices: Iterable<IssuedInvoice>,
    cancelled: Iterable<string>,
  ): void {
    for (const label of cancelled) this.#cancelled.add(label);
    for (const offer of offers) this.#offers.set(toHex(offer.offerId), offer);
    for (const invoice of invoices) {
      this.#remember(invoice);
    }
  }

  #remember(invoice: IssuedInvoice): void {
    this.#invoices.set(invoice.label, invoice);
    this.#labels.set(toHex(invoice.paymentHash), invoice.label);
    this.#nextIndex = Math.max(this.#nextIndex, invoice.createdIndex + 1);
  }

  #forget({ label, paymentHash }: IssuedInvoice): void {
    this.#invoices.delete(label);
    this.#labels.delete(toHex(paymentHash));
  }

  /** Adds or replaces an offer. @throws OfferRefused when there are too many. */
  putOffer(offer: IssuedOffer): void {
    const key = toHex(offer.offerId);
    if (!this.#offers.has(key) && this.#offers.size >= MAX_OFFERS) {
      throw new OfferRefused({ kind: 'tooManyOffers', most: MAX_OFFERS });
    }
    this.#offers.set(key, offer);
    this.#journal?.offerChanged(offer);
  }

  putInvoice(invoice: IssuedInvoice): void {
    const before = this.#invoices.get(invoice.label);
    if (before !== undefined && before.createdIndex !== invoice.createdIndex) {
      this.#labels.delete(toHex(before.paymentHash));
      this.#journal?.invoiceRemoved(before);
    }
    this.#remember(invoice);
    this.#journal?.invoiceChanged(invoice);
    if (this.#invoices.size > MAX_INVOICES) this.#forgetOldest();
  }

  /** Marks an invoice as paid. If its offer is single-use, this also closes the offer. */
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
   * Cancels a period, so that it has no invoice now or later. Returns false if it was already paid, or too many periods
   * are cancelled.
   */
  cancel(label: string): boolean {
    const invoice = this.#invoices.get(label);
    if (invoice?.isPaid || this.#cancelled.size >= MAX_INVOICES) return false;
    if (this.#cancelled.has(label)) return true;
    if (invoice !== undefined) {
      this.#forget(invoice);
      this.#journal?.invoiceRemoved(invoice);
    }
    this.#cancelled.add(label);
    this.#journal?.periodCancelled(label);
    return true;
  }

  #forgetOldest(): void {
    for (const invoice of this.#invoices.values()) {
      if (invoice.isPaid) continue;
      this.#forget(invoice);
      this.#journal?.invoiceRemoved(invoice);
      return;
    }
  }
}

/** The status of an invoice at a time, in UNIX seconds. */
export function statusOf({ isPaid, expiresAt }: IssuedInvoice, nowSeconds: bigint): InvoiceStatus {
  if (isPaid) return 'paid';
  return nowSeconds > expiresAt ? 'expired' : 'unpaid';
}

/** Label of an invoice: the offer, the payer, and the period, if any. There is at most one invoice per label. */
export function invoiceLabel(offerId: Uint8Array, payerId: Uint8Array, counter: number | undefined): string {
  return `${toHex(offerId)}-${toHex(payerId)}-${counter ?? 0}`;
}
