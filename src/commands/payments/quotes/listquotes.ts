/** `listquotes`: shows open quotes, and quotes that were used or expired recently. */
import { field, optional, optionalField } from '../../../rpc/command.ts';
import { defineCommand } from '../../context.ts';
import { wholeSeconds } from '../books/payment-json.ts';
import { quoteId } from '../payment-params.ts';
import { quoteJson } from './quote.ts';

/** Not in Core Lightning. */
export const listquotes = defineCommand({
  name: 'listquotes',
  summary: 'List quotes of payments.',
  description:
    'Lists open quotes, and those used or expired within the last hour, oldest first. Over HTTP, only quotes ' +
    'made with the rune of the request.',
  category: 'payments',
  readOnly: true,
  params: { quote_id: optional(quoteId, 'Only the quote with this id.') },
  result: {
    quotes: field(
      'array',
      'Objects with quote_id, status (open, used, expired), command, invstring, amount_msat, fee_msat, maxfee_msat, ' +
        'confidence_ppm, probability_ppm, parts, held_msat, created_at, expires_at, used_at?',
    ),
    held_msat: optionalField('msat', 'Total amount that open quotes hold. Only over the socket.'),
  },
  handler({ quote_id }, { quotes }, { session }) {
    const shown = quotes.list(session.keyScope).filter(({ id }) => quote_id === undefined || id === quote_id);
    return {
      quotes: shown.map((quote) => ({
        ...quoteJson(quote),
        status: quotes.statusOf(quote),
        used_at: quote.use && wholeSeconds(quote.use.atMs),
      })),
      held_msat: session.keyScope === undefined ? quotes.heldMsat : undefined,
    };
  },
});
