/** The idempotency key of a payment made by quote. It contains the quote's id, so a quote is paid only once. */
const PREFIX = 'quote ';

/** The idempotency key of the payment of a quote. */
export const quoteKey = (quoteId: string): string => `${PREFIX}${quoteId}`;

/** The id of the quote that a key belongs to. Undefined for a key that a caller chose. */
export const quoteIdOf = (key: string): string | undefined =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
