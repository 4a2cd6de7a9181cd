/** `delquote`: cancels a quote. */
import { required } from '../../../rpc/command.ts';
import { defineCommand } from '../../context.ts';
import { quoteId } from '../payment-params.ts';
import { QUOTE_RESULT, quoteJson } from './quote.ts';

/** Not in Core Lightning. */
export const delquote = defineCommand({
  name: 'delquote',
  summary: 'Delete a quote and release what it holds.',
  description:
    'Deletes the quote, which can then no longer be paid. A payment that has started is not affected.',
  category: 'payments',
  params: { quote_id: required(quoteId, 'Id of the quote.') },
  result: QUOTE_RESULT,
  handler: async ({ quote_id }, { quotes }, { session }) =>
    quoteJson(await quotes.remove(quote_id, session.keyScope)),
});
