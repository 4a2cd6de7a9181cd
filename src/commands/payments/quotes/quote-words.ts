/** The error when a quote is refused or cannot be used. */
import type { QuoteRefused } from '../../../payments/quotes/quote-book.ts';
import type { ClientError } from '../../client-error.ts';

const UNUSABLE = {
  unknown: ['unknown', 'is not known'],
  expired: ['expired', 'has expired'],
  used: ['used', 'has already been used'],
  otherPayee: ['other_payee', 'is for another invoice or node'],
  otherCommand: ['other_command', 'is for another command'],
} as const;

/** The error for the caller of a command. */
export function quoteRefusalInWords({ name: error, reason }: QuoteRefused): ClientError {
  switch (reason.kind) {
    case 'tooMany':
      return { error, message: `There would be more than ${reason.most} quotes` };
    case 'tooManyHold':
      return { error, message: `More than ${reason.most} quotes would hold liquidity` };
    case 'holdsTooMuch':
      return {
        error,
        message: `Quotes would hold more than ${reason.percent} % of what we can send`,
        data: { held_msat: reason.heldMsat, maximum_msat: reason.mostMsat },
      };
    default: {
      const [word, text] = UNUSABLE[reason.kind];
      return { error, message: `The quote ${text}`, data: { quote_id: reason.id, reason: word } };
    }
  }
}
