/** Offers, their invoices and series in PostgreSQL. Every change is queued for the next group commit. */
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
import { type PgCommitter, statement } from './committer.ts';
import type { PgRow, PgValue, PostgresLine } from './line.ts';

const PUT_OFFER = `
  INSERT INTO offer (node, offer_id, bytes, path_id, label, single_use, active, used)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (node, offer_id) DO UPDATE SET active = excluded.active, used = excluded.used,
    label = excluded.label`;

const PUT_REQUEST = `
  INSERT INTO invoice_request (node, request_id, bytes, label, single_use, active, used)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (node, request_id) DO UPDATE SET active = excluded.active, used = excluded.used`;

const PUT_INVOICE = `
  INSERT INTO offer_invoice (node, label, offer_id, request_id, bytes, preimage, payment_hash, amount_msat,
    description, payer_note, expires_at, basetime, is_paid, created_index)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  ON CONFLICT (node, label) DO UPDATE SET offer_id = excluded.offer_id, request_id = excluded.request_id,
    bytes = excluded.bytes, preimage = excluded.preimage, payment_hash = excluded.payment_hash,
    amount_msat = excluded.amount_msat, description = excluded.description, payer_note = excluded.payer_note,
    expires_at = excluded.expires_at, basetime = excluded.basetime, is_paid = excluded.is_paid,
    created_index = excluded.created_index`;

const PUT_SERIES = `
  INSERT INTO series (node, offer_id, label, start, basetime, counter) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (node, offer_id, label) DO UPDATE SET start = excluded.start, basetime = excluded.basetime,
    counter = excluded.counter`;

// Columns are named, because a prepared `SELECT *` fails once an upgrade adds a column.
const OFFERS = `
  SELECT offer_id, bytes, path_id, label, single_use, active, used FROM offer WHERE node = $1 ORDER BY seq`;
const REQUESTS = `
  SELECT request_id, bytes, label, single_use, active, used FROM invoice_request WHERE node = $1 ORDER BY seq`;
const INVOICES = `
  SELECT label, offer_id, request_id, bytes, preimage, payment_hash, amount_msat, description, payer_note,
    expires_at, basetime, is_paid, created_index
  FROM offer_invoice WHERE node = $1 ORDER BY created_index`;
const ONE_SERIES = `
  SELECT offer_id, label, start, basetime, counter FROM series
  WHERE node = $1 AND offer_id = $2 AND label = $3`;

/** Stores offers, invoice requests, invoices and series of one node in a PostgreSQL database. */
export class PostgresOfferRepository implements OfferRepository {
  readonly #node: string;
  readonly #questions: PostgresLine;
  readonly #committer: PgCommitter;
  /** Saved series that may not be committed yet. `find` returns them nevertheless. */
  readonly #unsaved = new Map<string, SeriesRow>();

  /** @param node id of the node that owns the offers. */
  constructor(node: string, questions: PostgresLine, committer: PgCommitter) {
    this.#node = node;
    this.#questions = questions;
    this.#committer = committer;
  }

  offers(): Promise<OfferRow[]> {
    return this.#rows(OFFERS, offerOf);
  }

  invoiceRequests(): Promise<InvoiceRequestRow[]> {
    return this.#rows(REQUESTS, requestOf);
  }

  invoices(): Promise<InvoiceRow[]> {
    return this.#rows(INVOICES, invoiceOf);
  }

  cancelledPeriods(): Promise<string[]> {
    const sql = 'SELECT label FROM cancelled_period WHERE node = $1 ORDER BY seq';
    return this.#rows(sql, ({ label }) => textOf(label)!);
  }

  async #rows<T>(sql: string, read: (row: PgRow) => T): Promise<T[]> {
    return (await this.#questions.ask(sql, [this.#node])).map(read);
  }

  putOffer({ offerId, bytes, pathId, label, singleUse, active, used }: OfferRow): void {
    this.#write(PUT_OFFER, offerId, bytes, pathId ?? null, encodeText(label), singleUse, active, used);
  }

  putInvoiceRequest({ requestId, bytes, label, singleUse, active, used }: InvoiceRequestRow): void {
    this.#write(PUT_REQUEST, requestId, bytes, encodeText(label), singleUse, active, used);
  }

  putInvoice(invoice: InvoiceRow): void {
    const { isPaid, createdIndex } = invoice;
    const values = invoiceValues(invoice);
    this.#write(PUT_INVOICE, encodeText(invoice.label), ...values, isPaid, createdIndex);
  }

  removeInvoice(label: string): void {
    this.#write('DELETE FROM offer_invoice WHERE node = $1 AND label = $2', encodeText(label));
  }

  putCancelledPeriod(label: string): void {
    const sql = 'INSERT INTO cancelled_period (node, label) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    this.#write(sql, encodeText(label));
  }

  async find(offerId: Uint8Array, label: string): Promise<SeriesRow | undefined> {
    const unsaved = this.#unsaved.get(seriesKey(offerId, label));
    if (unsaved !== undefined) return unsaved;
    const [row] = await this.#questions.ask(ONE_SERIES, [this.#node, offerId, encodeText(label)]);
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

  #write(sql: string, ...parameters: PgValue[]): void {
    this.#committer.write(undefined, [statement(sql, this.#node, ...parameters)]);
  }
}

const bytesOf = (value: unknown): Uint8Array => new Uint8Array(value as Buffer);
const textOf = (value: unknown): string | undefined => decodeText(value as string | null);
const u64Of = (value: unknown): bigint => decodeU64(value as bigint);

function offerOf(row: PgRow): OfferRow {
  const pathId = row.path_id === null ? undefined : bytesOf(row.path_id);
  return { offerId: bytesOf(row.offer_id), pathId, ...commonOf(row) };
}

const requestOf = (row: PgRow): InvoiceRequestRow => ({
  requestId: bytesOf(row.request_id),
  ...commonOf(row),
});

function commonOf(row: PgRow) {
  return {
    bytes: bytesOf(row.bytes),
    label: textOf(row.label),
    singleUse: row.single_use as boolean,
    active: row.active as boolean,
    used: row.used as boolean,
  };
}

function invoiceOf(row: PgRow): InvoiceRow {
  return {
    label: textOf(row.label)!,
    offerId: bytesOf(row.offer_id),
    requestId: bytesOf(row.request_id),
    bytes: bytesOf(row.bytes),
    preimage: bytesOf(row.preimage),
    paymentHash: bytesOf(row.payment_hash),
    amountMsat: u64Of(row.amount_msat),
    description: textOf(row.description),
    payerNote: textOf(row.payer_note),
    expiresAt: u64Of(row.expires_at),
    basetime: row.basetime === null ? undefined : u64Of(row.basetime),
    isPaid: row.is_paid as boolean,
    createdIndex: Number(row.created_index),
  };
}

function seriesOf(row: PgRow): SeriesRow {
  return {
    offerId: bytesOf(row.offer_id),
    label: textOf(row.label)!,
    start: row.start === null ? undefined : Number(row.start),
    basetime: u64Of(row.basetime),
    counter: Number(row.counter),
  };
}
