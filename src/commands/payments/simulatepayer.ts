/** `simulatepayer`: makes a node of the simulated network pay one of our invoices. */
import { parseBolt11 } from '../../bolt/invoice/bolt11-invoice.ts';
import { WireError } from '../../bolt/wire-error.ts';
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, required } from '../../rpc/command.ts';
import { nodeId, positiveMsat, string } from '../../rpc/param-types.ts';
import { badParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { INVOICE_RESULT, ownInvoiceJson, requireInvoices, statusNow } from '../offers/own-invoice-json.ts';

/** Not in Core Lightning. For end-to-end tests of applications. */
export const simulatepayer = defineCommand({
  name: 'simulatepayer',
  summary: 'Let a node of the simulated network pay one of our invoices.',
  description:
    'The money moves over the simulated channels immediately, over the cheapest route with sufficient balances. ' +
    'Then `waitinvoice` and `waitanyinvoice` return. An invoice can be paid once. Errors: -32005 on a real network, -32602 ' +
    'the invoice cannot be paid, 205 the node has no route to us for this amount.',
  category: 'payments',
  params: {
    invoice: required(string, 'The invoice that `invoice` returned, or its label.'),
    id: required(nodeId, 'The paying node.'),
    amount_msat: optional(
      positiveMsat,
      'The amount. Required if the invoice has none; otherwise from its amount (the default) to twice that.',
    ),
  },
  result: { ...INVOICE_RESULT, fee_msat: field('msat', 'The fees that the payer paid.') },
  async handler({ invoice: text, id, amount_msat }, context) {
    const { simulatedPayer } = context;
    if (simulatedPayer === undefined) {
      throw new FulguriteError('notSupported', 'Only nodes of the simulated network pay on demand');
    }
    const book = requireInvoices(context);
    const invoice = book.get(text) ?? book.byHash(hashOf(text));
    if (invoice === undefined) throw badParameter('invoice', 'is not an invoice of this node', text);
    const status = statusNow(invoice);
    if (status !== 'unpaid') throw badParameter('invoice', `is ${status}`, text);
    const asked = invoice.amountMsat;
    const amountMsat = amount_msat ?? asked;
    if (amountMsat === undefined) throw badParameter('amount_msat', 'is needed: the invoice has no amount');
    if (asked !== undefined && (amountMsat < asked || amountMsat > 2n * asked)) {
      throw badParameter('amount_msat', `should be between ${asked}msat and twice that`, `${amountMsat}`);
    }
    const { feeMsat } = await simulatedPayer(id, { ...invoice, amountMsat });
    return { ...ownInvoiceJson(book.get(invoice.label) ?? invoice), fee_msat: feeMsat };
  },
});

function hashOf(text: string): Uint8Array {
  try {
    return parseBolt11(text).fields.paymentHash as Uint8Array;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return new Uint8Array(0);
  }
}
