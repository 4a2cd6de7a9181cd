/** `waitanyinvoice`: waits for the next paid invoice. */
import { FulguriteError } from '../../model/errors.ts';
import { optional, withDefault } from '../../rpc/command.ts';
import { u32, u64 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { INVOICE_RESULT, ownInvoiceJson, requireInvoices } from './own-invoice-json.ts';

/** Matches Core Lightning's command. */
export const waitanyinvoice = defineCommand({
  name: 'waitanyinvoice',
  summary: 'Wait for the next paid invoice.',
  description:
    'Returns the first invoice with a `pay_index` greater than `lastpay_index`, immediately if there is one. Call it again with ' +
    'the returned `pay_index` to miss no payment. Error 904: none was paid in time.',
  category: 'offers',
  readOnly: true,
  params: {
    lastpay_index: withDefault(u64, 0n, 'The `pay_index` after which to start.'),
    timeout: optional(u32, 'Maximum number of seconds to wait. Default: no limit.'),
  },
  result: INVOICE_RESULT,
  async handler({ lastpay_index, timeout }, context, { session }) {
    const book = requireInvoices(context);
    const waitMs = timeout === undefined ? Number.POSITIVE_INFINITY : timeout * 1000;
    const found = await book.until(
      () => book.paidAfter(lastpay_index),
      waitMs,
      () => session.isClosed === true,
    );
    if (found !== undefined) return ownInvoiceJson(found);
    throw new FulguriteError('invoiceWaitTimedOut', 'Timed out while waiting for invoice to be paid');
  },
});
