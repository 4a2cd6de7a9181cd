/**
 * Where offers, their invoices and series are kept: what the room of offers asks of a store. The SQLite
 * database is one such store. Another database, on this machine or elsewhere, can stand here. Values are
 * plain rows here; the room of offers says what they mean.
 *
 * A store promises:
 *   1. Changes are queued in the order they are made. The queue takes them at once, without waiting.
 *      What one call changes is written completely or not at all.
 *   2. `durable` resolves when they are safe. Callers that must not answer before that await it.
 *   3. A list is answered with everything that was safe when it was asked. A series is found as it was last saved,
 *      whether or not that is safe.
 */

/** The state of an offer, or of an invoice request of ours. */
export interface Standing {
  /** A label for ourselves. It is not part of the offer or request. */
  readonly label: string | undefined;
  readonly singleUse: boolean;
  readonly active: boolean;
  /** Whether it was paid. */
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
  /** `OFFERID-PAYERID-COUNTER`: identifies what one payer gets for one period. */
  readonly label: string;
  readonly offerId: Uint8Array;
  readonly requestId: Uint8Array;
  /** The signed TLV stream. */
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
  /** First period of the series, counted from the offer's base. `undefined` without a base. */
  readonly start: number | undefined;
  /** Start of period 0, seconds since 1970. */
  readonly basetime: bigint;
  /** Counter of the last invoice that was fetched. */
  readonly counter: number;
}

/** What a store of offers must be able to do. Every answer may take its time. */
export interface OfferRepository {
  /** All offers, in the order they were first put. */
  offers(): Promise<readonly OfferRow[]>;

  /** All invoice requests, in the order they were first put. */
  invoiceRequests(): Promise<readonly InvoiceRequestRow[]>;

  /** All invoices, by `createdIndex`. */
  invoices(): Promise<readonly InvoiceRow[]>;

  /** Labels of invoices that must not be made, because their payer cancelled the period. The oldest first. */
  cancelledPeriods(): Promise<readonly string[]>;

  /**
   * Stores a new offer, or a new state of one. @throws FulguriteError storeFailed when the queue is full; so
   * do all changes
   */
  putOffer(offer: OfferRow): void;

  /** Stores a new request, or a new state of one. */
  putInvoiceRequest(request: InvoiceRequestRow): void;

  /** Stores a new invoice, or a new state of the one with its label. */
  putInvoice(invoice: InvoiceRow): void;

  removeInvoice(label: string): void;

  /** Records that a period was cancelled. Repeating the call has no effect. */
  putCancelledPeriod(label: string): void;

  /** The series of an offer under a label, as it was last saved. */
  find(offerId: Uint8Array, label: string): Promise<SeriesRow | undefined>;

  /** Stores a new series, or how far one has come. */
  save(series: SeriesRow): void;

  /** Resolves when everything queued so far is safe. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}

/** One text that identifies offer and label. */
export function seriesKey(offerId: Uint8Array, label: string): string {
  return `${Buffer.from(offerId).toString('hex')}:${label}`;
}
