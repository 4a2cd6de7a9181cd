/**
 * Where offers, their invoices and series are stored: what `src/offers` needs from a store. The SQLite database is one
 * such store; another database, local or remote, can replace it. Values are plain rows, whose meaning `src/offers`
 * defines.
 *
 * A store promises:
 *   1. Changes are queued in the order in which they are made. The queue accepts them without waiting. The changes of
 *      one call are written together or not at all.
 *   2. `durable` resolves once they are durable: a crash can then no longer lose them. A caller that must not
 *      answer earlier awaits it.
 *   3. A list contains everything that was durable at the time of the query. `find` returns a series as last saved,
 *      even if that is not durable yet.
 */

/** The state of an offer, or of our own invoice request. */
export interface Standing {
  /** A local label, not part of the offer or request. */
  readonly label: string | undefined;
  readonly singleUse: boolean;
  readonly active: boolean;
  /** Whether an invoice for the offer or request was paid. */
  readonly used: boolean;
}

/** One of our offers as stored. `bytes` is the TLV stream of the offer. */
export interface OfferRow extends Standing {
  readonly offerId: Uint8Array;
  readonly bytes: Uint8Array;
  readonly pathId: Uint8Array | undefined;
}

/** One of our invoice requests as stored. `bytes` is the signed TLV stream. */
export interface InvoiceRequestRow extends Standing {
  readonly requestId: Uint8Array;
  readonly bytes: Uint8Array;
}

/** One invoice that we issued, with the preimage that is revealed when the invoice is paid. */
export interface InvoiceRow {
  /** `OFFERID-PAYERID-COUNTER`: identifies the invoice that one payer gets for one period. */
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
  /** UNIX time in seconds. The invoice can be paid up to and including this second. */
  readonly expiresAt: bigint;
  readonly basetime: bigint | undefined;
  readonly isPaid: boolean;
  /** Place of the invoice in the order of creation. */
  readonly createdIndex: number;
}

/** A series of invoices that we fetch for a recurring offer, identified by the offer and a label. */
export interface SeriesRow {
  readonly offerId: Uint8Array;
  readonly label: string;
  /** First period of the series, counted from the offer's base. Undefined if the offer has no base. */
  readonly start: number | undefined;
  /** Start of period 0, in UNIX seconds. */
  readonly basetime: bigint;
  /** Recurrence counter of the last invoice fetched. */
  readonly counter: number;
}

/** The interface of a store of offers. All queries are asynchronous. */
export interface OfferRepository {
  /** All offers, in the order in which they were first stored. */
  offers(): Promise<readonly OfferRow[]>;

  /** All invoice requests, in the order in which they were first stored. */
  invoiceRequests(): Promise<readonly InvoiceRequestRow[]>;

  /** All invoices, ordered by `createdIndex`. */
  invoices(): Promise<readonly InvoiceRow[]>;

  /** Labels of invoices that must not be issued, because their payer cancelled the period. Oldest first. */
  cancelledPeriods(): Promise<readonly string[]>;

  /**
   * Stores a new offer, or a new state of an existing one. @throws FulguriteError storeFailed when the queue is full,
   * as do all methods that change something
   */
  putOffer(offer: OfferRow): void;

  /** Stores a new request, or a new state of an existing one. */
  putInvoiceRequest(request: InvoiceRequestRow): void;

  /** Stores a new invoice, or a new state of the existing invoice with its label. */
  putInvoice(invoice: InvoiceRow): void;

  removeInvoice(label: string): void;

  /** Records that a period was cancelled. Repeating the call has no effect. */
  putCancelledPeriod(label: string): void;

  /** The series of an offer under a label, as last saved. */
  find(offerId: Uint8Array, label: string): Promise<SeriesRow | undefined>;

  /** Stores a new series, or a new counter of an existing one. */
  save(series: SeriesRow): void;

  /** Resolves once everything queued so far is durable. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}

/** One text that identifies a pair of offer and label. */
export function seriesKey(offerId: Uint8Array, label: string): string {
  return `${Buffer.from(offerId).toString('hex')}:${label}`;
}
