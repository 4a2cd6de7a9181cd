/**
 * The values of an issued invoice's row, in the column order of both SQLite and PostgreSQL. One function serves both
 * databases, so that a new member cannot be forgotten in one of them.
 */
import { encodeText, encodeU64 } from './columns.ts';
import type { InvoiceRow } from './offer-repository.ts';
import type { SqlValue } from './sql-values.ts';

/**
 * Values for the columns `offer_id … basetime`; NULL for absent members. The label before them and the payment mark
 * after them have different types in each database.
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
