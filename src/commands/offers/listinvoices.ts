/** `listinvoices`: shows our invoices. */

import { toHex } from '../../bolt/bytes.ts';
import { FulguriteError } from '../../model/errors.ts';
import { field, optional } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { hash, oneOf, string, stringOrNumber, u32, u64 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { filteredHash } from '../payments/invoice-string.ts';
import { invoiceObject } from './offer-listing.ts';
import { ownInvoiceJson } from './own-invoice-json.ts';

/** Matches Core Lightning's command, for the invoices of `invoice` and those issued for our offers. */
export const listinvoices = defineCommand({
  name: 'listinvoices',
  summary: 'Show our invoices.',
  description:
    'Shows the invoices made by `invoice`, then those issued for our offers, each in order of creation. Takes at most one filter.',
  category: 'offers',
  readOnly: true,
  params: {
    label: optional(stringOrNumber, 'Only the invoice with this label.'),
    invstring: optional(string, 'Only this invoice.'),
    payment_hash: optional(hash, 'Only the invoice with this payment hash.'),
    offer_id: optional(hash, 'Only invoices for this offer.'),
    index: optional(oneOf(['created'], 'should be created'), 'The index that `start` and `limit` refer to.'),
    start: optional(u64, 'First index to show.'),
    limit: optional(u32, 'Maximum number of invoices to show.'),
  },
  result: {
    invoices: field(
      'array',
      'Objects with label, bolt11 or bolt12, payment_hash, amount_msat?, status, pay_index?, amount_received_msat?, ' +
        'paid_at?, payment_preimage?, description?, expires_at, created_index, local_offer_id?, invreq_payer_note?.',
    ),
  },
  handler({ label, invstring, payment_hash, offer_id, start, limit }, { offers, invoices: own }) {
    const conditions = [label, invstring, payment_hash, offer_id].filter((given) => given !== undefined);
    if (conditions.length > 1) {
      const message = 'Can only specify one of {label}, {invstring}, {payment_hash} or {offer_id}';
      throw new FulguriteError('invalidParams', message, { reason: message });
    }
    const nowSeconds = offers.nowSeconds();
    const paymentHash = filteredHash(invstring, 'invstring') ?? payment_hash;
    const wanted = [...offers.own.book.invoices()].filter(
      (invoice) =>
        (label === undefined || invoice.label === label) &&
        (paymentHash === undefined || toHex(invoice.paymentHash) === paymentHash) &&
        (offer_id === undefined || toHex(invoice.offerId) === offer_id) &&
        (start === undefined || invoice.createdIndex >= start),
    );
    const shown = wanted.sort((a, b) => a.createdIndex - b.createdIndex).slice(0, limit);
    if (own === undefined)
      return { invoices: JsonList.of(shown, (invoice) => invoiceObject(invoice, nowSeconds)) };
    const made = own
      .list()
      .filter(
        (invoice) =>
          (label === undefined || invoice.label === String(label)) &&
          (paymentHash === undefined || toHex(invoice.paymentHash) === paymentHash) &&
          offer_id === undefined &&
          (start === undefined || invoice.createdIndex >= start),
      );
    const rows = [...made.map(ownInvoiceJson), ...shown.map((invoice) => invoiceObject(invoice, nowSeconds))];
    return { invoices: rows.slice(0, limit) };
  },
});
