/** `waitinvoice`: waits until a given invoice of ours is paid or expires. */
import { FulguriteError } from '../../model/errors.ts';
import { required } from '../../rpc/command.ts';
import { stringOrNumber } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { INVOICE_RESULT, ownInvoiceJson, requireInvoices, statusNow } from './own-invoice-json.ts';

/** Matches Core Lightning's command. */
export const waitinvoice = defineCommand({
  name: 'waitinvoice',
  summary: 'Wait until an invoice is paid.',
  description:
    'Returns the invoice once it is paid. Errors: -1 no such label, or the invoice was deleted. 903 it expired; ' +
    'data has the invoice.',
  category: 'offers',
  readOnly: true,
  params: { label: required(stringOrNumber, 'Label of the invoice.') },
  result: INVOICE_RESULT,
  async handler({ label }, context, { session }) {
    const book = requireInvoices(context);
    const look = () => {
      const invoice = book.get(String(label));
      if (invoice === undefined) throw new FulguriteError('unspecified', 'Label not found');
      return statusNow(invoice) === 'unpaid' ? undefined : invoice;
    };
    const found = await book.until(look, Number.POSITIVE_INFINITY, () => session.isClosed === true);
    if (found === undefined)
      throw new FulguriteError('shuttingDown', 'The caller has disconnected, or the node is stopping');
    if (found.paid !== undefined) return ownInvoiceJson(found);
    throw new FulguriteError(
      'invoiceExpiredDuringWait',
      'invoice expired during wait',
      ownInvoiceJson(found),
    );
  },
});
