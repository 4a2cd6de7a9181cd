/**
 * Offers, their invoices and series in the SQLite database. Every change is queued for the next group commit. Queries
 * see every batch given to the database before them.
 */
import { decodeText, decodeU64, encodeText, encodeU64 } from '../columns.ts';
import { invoiceValues } from '../invoice-values.ts';
import {
  type InvoiceRequestRow,
  type InvoiceRow,
  type OfferRepository,
  type OfferRow,
  type SeriesRow,
  seriesKey,
} from '../offer-repository.ts';
import type { SqlRow, SqlValue } from '../sql-values.ts';
import type { StoreFile } from '../store-file.ts';
import type { GroupCommitter } from './group-committer.ts';

const bytesOf = (value: SqlValue | undefined): Uint8Array => new Uint8Array(value as Uint8Array);

const PUT_OFFER = `
  INSERT INTO offer (offer_id, bytes, path_id, label, single_use, active, used) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (offer_id) DO UPDATE SET active = excluded.active, used = excluded.used, label = excluded.label`;

const PUT_REQUEST = `
  INSERT INTO invoice_request (request_id, bytes, label, single_use, active, used) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id) DO UPDATE SET active = excluded.active, used = excluded.used`;

const PUT_INVOICE = `
  INSERT OR REPLACE INTO offer_invoice (label, offer_id, request_id, bytes, preimage, payment_hash,
    amount_msat, description, payer_note, expires_at, basetime, is_paid, created_index)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const PUT_SERIES = `
  INSERT INTO series (offer_id, label, start, basetime, counter) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (offer_id, label) DO UPDATE SET start = excluded.start, basetime = excluded.basetime,
    counter = excluded.counter`;

/** Stores offers, invoice requests, invoices and series in the SQLite database of the data directory. */
export class SqliteOfferRepository implements OfferRepository {
  readonly #file: StoreFile;
  readonly #committer: GroupCommitter;
  /** Saved series that may not be on disk yet. `find` returns them nevertheless. */
  readonly #unsaved = new Map<string, SeriesRow>();

  constructor(file: StoreFile, committer: GroupCommitter) {
    this.#file = file;
    this.#committer = committer;
  }

  async offers(): Promise<OfferRow[]> {
    return this.#rows('SELECT * FROM offer ORDER BY rowid', offerOf);
  }

  async invoiceRequests(): Promise<InvoiceRequestRow[]> {
    return this.#rows('SELECT * FROM invoice_request ORDER BY rowid', requestOf);
  }

  async invoices(): Promise<InvoiceRow[]> {
    return this.#rows('SELECT * FROM offer_invoice ORDER BY created_index', invoiceOf);
  }

  async cancelledPeriods(): Promise<string[]> {
    return this.#rows('SELECT * FROM cancelled_period ORDER BY rowid', ({ label }) => label as string);
  }

  async #rows<T>(sql: string, read: (row: SqlRow) => T): Promise<T[]> {
    return (await this.#file.records(sql)).map(read);
  }

  putOffer({ offerId, bytes, pathId, label, singleUse, active, used }: OfferRow): void {
    const flags = [singleUse, active, used].map(Number);
    this.#write(PUT_OFFER, offerId, bytes, pathId ?? null, encodeText(label), ...flags);
  }

  putInvoiceRequest({ requestId, bytes, label, singleUse, active, used }: InvoiceRequestRow): void {
    this.#write(PUT_REQUEST, requestId, bytes, encodeText(label), ...[singleUse, active, used].map(Number));
  }

  putInvoice(invoice: InvoiceRow): void {
    const { isPaid, createdIndex } = invoice;
    const values = invoiceValues(invoice);
    this.#write(PUT_INVOICE, invoice.label, ...values, Number(isPaid), createdIndex);
  }

  removeInvoice(label: string): void {
    this.#write('DELETE FROM offer_invoice WHERE label = ?', label);
  }

  putCancelledPeriod(label: string): void {
    this.#write('INSERT OR IGNORE INTO cancelled_period (label) VALUES (?)', label);
  }

  async find(offerId: Uint8Array, label: string): Promise<SeriesRow | undefined> {
    const unsaved = this.#unsaved.get(seriesKey(offerId, label));
    if (unsaved !== undefined) return unsaved;
    const sql = 'SELECT * FROM series WHERE offer_id = ? AND label = ?';
    const [row] = await this.#file.records(sql, offerId, encodeText(label));
    return row && seriesOf(row);
  }

  save(series: SeriesRow): void {
    const { offerId, label, start, basetime, counter } = series;
    this.#unsaved.set(seriesKey(offerId, label), series);
    this.#write(PUT_SERIES, offerId, encodeText(label), start ?? null, encodeU64(basetime), counter);
  }

  async durable(): Promise<void> {
    await this.#committer.durable();
    if (this.#committer.queued === 0) this.#unsaved.clear();
  }

  #write(sql: string, ...parameters: SqlValue[]): void {
    this.#committer.write({ sql, parameters });
  }
}

function offerOf(row: SqlRow): OfferRow {
  const pathId = row.path_id === null ? undefined : bytesOf(row.path_id);
  return { offerId: bytesOf(row.offer_id), pathId, ...commonOf(row) };
}

const requestOf = (row: SqlRow): InvoiceRequestRow => ({
  requestId: bytesOf(row.request_id),
  ...commonOf(row),
});

function commonOf(row: SqlRow) {
  return {
    bytes: bytesOf(row.bytes),
    label: decodeText(row.label),
    singleUse: row.single_use === 1n,
    active: row.active === 1n,
    used: row.used === 1n,
  };
}

function invoiceOf(row: SqlRow): InvoiceRow {
  return {
    label: row.label as string,
    offerId: bytesOf(row.offer_id),
    requestId: bytesOf(row.request_id),
    bytes: bytesOf(row.bytes),
    preimage: bytesOf(row.preimage),
    paymentHash: bytesOf(row.payment_hash),
    amountMsat: decodeU64(row.amount_msat),
    description: decodeText(row.description),
    payerNote: decodeText(row.payer_note),
    expiresAt: decodeU64(row.expires_at),
    basetime: row.basetime === null ? undefined : decodeU64(row.basetime),
    isPaid: row.is_paid === 1n,
    createdIndex: Number(row.created_index),
  };
}

function seriesOf(row: SqlRow): SeriesRow {
  return {
    offerId: bytesOf(row.offer_id),
    label: decodeText(row.label) as string,
    start: row.start === null ? undefined : Number(row.start),
    basetime: decodeU64(row.basetime),
    counter: Number(row.counter),
  };
}
