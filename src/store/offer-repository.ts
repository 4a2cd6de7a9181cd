/**
 * Where offers, their invoices and series are kept: what the room of offers asks of a store. The SQLite database is one;
 * another database, on this machine or not, can stand here. Values come and go as rows: what they mean is said in the
 * room of offers.
 *
 * What a store promises:
 *   1. Changes are queued in the order in which they are made. The queue takes them at once, without waiting; what one
 *      call changes is written whole or not at all.
 *   2. `durable` tells when they are safe. Whoever must not answer before that awaits it.
 *   3. A list is answered with everything that was safe when it was asked; a series is found as it was last saved, safe
 *      or not.
 */

/** Of an offer, or of an invoice request of ours. */
export interface Standing {
  /** Ours alone, not part of it. */
  readonly label: string | undefined;
  readonly singleUse: boolean;
  readonly active: boolean;
  /** It was paid. */
  readonly used: boolean;
}

/** One of our offers as it is kept. `bytes` is the TLV stream of the offer. */
export interface OfferRow extends Standing {
  readonly offerId: Uint8Array;
  readonly bytes: Uint8Array;
  readonly pathId: Uint8Array | undefined;
}

/** One of our own invoice requests as it is kept. `bytes` is the signed TLV stream. */
export interface InvoiceRequestRow extends Standing {
  readonly requestId: Uint8Array;
  readonly bytes: Uint8Array;
}

/** One invoice that we issued, with the preimage that its payment reveals. */
export interface InvoiceRow {
  /** `OFFERID-PAYERID-COUNTER`: what one payer gets for one period. */
  readonly label: string;
  readonly offerId: Uint8Array;
  readonly requestId: Uint8Array;
  /** The signed stream. */
  readonly bytes: Uint8Array;
  readonly preimage: Uint8Array;
  readonly paymentHash: Uint8Array;
  readonly amountMsat: bigint;
  readonly description: string | undefined;
  readonly payerNote: string | undefined;
  /** Last second at which it may be paid. */
  readonly expiresAt: bigint;
  readonly basetime: bigint | undefined;
  readonly isPaid: boolean;
  /** Grows with each invoice made. */
  readonly createdIndex: number;
}

/** A recurring offer that we fetch invoices for, under one label. */
export interface SeriesRow {
  readonly offerId: Uint8Array;
  readonly label: string;
  /** First period of the series, counted from the offer's base; `undefined` without one. */
  readonly start: number | undefined;
  /** Start of period 0, seconds since 1970. */
  readonly basetime: bigint;
  /** Of the last invoice fetched. */
  readonly counter: number;
}

/** What a store of offers must be able to do. Every answer may take its time. */
export interface OfferRepository {
  /** In the order in which they were first put. */
  offers(): Promise<readonly OfferRow[]>;

  /** In the order in which they were first put. */
  invoiceRequests(): Promise<readonly InvoiceRequestRow[]>;

  /** By `createdIndex`. */
  invoices(): Promise<readonly InvoiceRow[]>;

  /** Labels of the invoices that are not to be made, because their payer cancelled the period; oldest first. */
  cancelledPeriods(): Promise<readonly string[]>;

  /** A new offer, or a new standing of one. @throws FulguriteError storeFailed when the queue is full; so do all changes */
  putOffer(offer: OfferRow): void;

  /** A new request, or a new standing of one. */
  putInvoiceRequest(request: InvoiceRequestRow): void;

  /** A new invoice, or a new state of the one with its label. */
  putInvoice(invoice: InvoiceRow): void;

  removeInvoice(label: string): void;

  /** Says again what is known without harm. */
  putCancelledPeriod(label: string): void;

  /** The series of an offer under a label, as it was last saved. */
  find(offerId: Uint8Array, label: string): Promise<SeriesRow | undefined>;

  /** A new series, or how far one has come. */
  save(series: SeriesRow): void;

  /** Resolves when everything queued so far is safe. Rejects with FulguriteError storeFailed. */
  durable(): Promise<void>;
}

/** One text for offer and label. */
export function seriesKey(offerId: Uint8Array, label: string): string {
  return `${Buffer.from(offerId).toString('hex')}:${label}`;
}
