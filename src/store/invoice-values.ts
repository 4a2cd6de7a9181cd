/**
 * The values of an issued invoice's row, in the order that its columns have in SQLite and in PostgreSQL alike. One
 * function serves both, so that a member that is added cannot reach one database and miss the other.
 */
import { encodeText, encodeU64 } from './columns.ts';
import type { InvoiceRow } from './offer-repository.ts';
import type { SqlValue } from './sql-values.ts';

/**
 * Values for the columns `offer_id … basetime`; NULL for what is absent. The label before them and the mark of payment
 * behind them have other types in each database.
 */
export const invoiceValues = (invoice: InvoiceRow): SqlValue[] => [
  invoice.offerId,
  invoice.requestId,
  invoice.bytes,
  invoice.preimage,
  invoice.paymentHash,
  encodeU64(invoice.amountMsat),
  encodeText(invoice.description),
  encodeText(invoice.payerNote),
  encodeU64(invoice.expiresAt),
  encodeU64(invoice.basetime),
];
