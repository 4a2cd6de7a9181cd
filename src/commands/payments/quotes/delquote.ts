/** `delquote`: cancels a quote. */
import { required } from '../../../rpc/command.ts';
import { defineCommand } from '../../context.ts';
import { quoteId } from '../payment-params.ts';
import { QUOTE_RESULT, quoteJson } from './quote.ts';

/** Not in Core Lightning. */
export const delquote = defineCommand({
  name: 'delquote',
  summary: 'Remove a quote and free what it holds.',
  description: 'Removes the quote, which can then not be paid. A payment that has begun is not affected.',
  category: 'payments',
  params: { quote_id: required(quoteId, 'Id of the quote.') },
  result: QUOTE_RESULT,
  handler: async ({ quote_id }, { quotes }, { session }) =>
    quoteJson(await quotes.remove(quote_id, session.keyScope)),
});
