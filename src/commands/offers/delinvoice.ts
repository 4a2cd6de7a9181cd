/** `delinvoice`: deletes one of our invoices, or its description. */
import { FulguriteError } from '../../model/errors.ts';
import { required, withDefault } from '../../rpc/command.ts';
import { bool, oneOf, stringOrNumber } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { INVOICE_RESULT, ownInvoiceJson, requireInvoices, statusNow } from './own-invoice-json.ts';

/** Matches Core Lightning's command. */
export const delinvoice = defineCommand({
  name: 'delinvoice',
  summary: 'Delete an invoice.',
  description:
    'Deletes the invoice if it has the given status. An unpaid one is cancelled at the node first. Errors: 905 no such ' +
    'invoice, 906 it has a different status, 908 the description was already removed.',
  category: 'offers',
  params: {
    label: required(stringOrNumber, 'Label of the invoice.'),
    status: required(
      oneOf(['unpaid', 'paid', 'expired'], 'should be unpaid, paid or expired'),
      'The current status of the invoice.',
    ),
    desconly: withDefault(bool, false, 'Whether to remove only the description.'),
  },
  result: INVOICE_RESULT,
  async handler({ label, status, desconly }, context) {
    const book = requireInvoices(context);
    const invoice = book.get(String(label));
    if (invoice === undefined) throw new FulguriteError('invoiceNotFound', 'Unknown invoice');
    const now = statusNow(invoice);
    if (now !== status) {
      const data = { current_status: now, expected_status: status };
      throw new FulguriteError('invoiceStatusUnexpected', `Invoice status is ${now} not ${status}`, data);
    }
    if (desconly && invoice.description === undefined) {
      throw new FulguriteError('invoiceNoDescription', 'Invoice description already removed');
    }
    return ownInvoiceJson(await book.delete(invoice, desconly));
  },
});
