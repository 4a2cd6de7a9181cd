/**
 * What can be wrong with a fetched invoice, and why nobody can pay one, as data. The words, and the names of fields, are
 * the commands' (src/commands/offers/invoice-fault-words.ts). Amounts are msat.
 */

/** The first thing that is wrong with a fetched invoice (BOLT 12, "Invoices", requirements for the reader). */
export type InvoiceFault =
  /** Its bytes are no invoice. */
  | { readonly kind: 'undecodable'; readonly cause: string }
  /** A field breaks a rule of the standard. */
  | { readonly kind: 'badField'; readonly type: bigint | undefined; readonly cause: string }
  /** It answers another request of the same payer. */
  | { readonly kind: 'otherRequest' }
  /** It does not repeat our request. */
  | { readonly kind: 'notOurRequest' }
  /** It is not that of the node that the offer names. */
  | { readonly kind: 'otherSigner' }
  /** The offer's amount times quantity exceeds 64 bits. */
  | { readonly kind: 'amountOverflow' }
  | { readonly kind: 'otherAmount'; readonly amountMsat: bigint | undefined; readonly requestedMsat: bigint }
  /** Since this UNIX time. */
  | { readonly kind: 'expired'; readonly expiry: bigint }
  | { readonly kind: 'basetimeMissing' }
  /** The start of period 0 moved within a series. */
  | { readonly kind: 'otherBasetime'; readonly basetime: bigint; readonly expected: bigint }
  /** A period lies beyond the calendar. */
  | { readonly kind: 'badPeriod'; readonly cause: string }
  | { readonly kind: 'unpayable'; readonly why: Unpayable };

/** Why nobody can pay an invoice over its paths. */
export type Unpayable =
  | UselessPath
  /** No path takes the amount in one part, and more are not allowed. */
  | { readonly kind: 'needsParts'; readonly amountMsat: bigint; readonly mostMsat: bigint }
  /** In parts of this size they are more than so many. */
  | {
      readonly kind: 'tooManyParts';
      readonly amountMsat: bigint;
      readonly partMsat: bigint;
      readonly mostParts: bigint;
    }
  /** No parts of such sizes add up to the amount. */
  | {
      readonly kind: 'noSum';
      readonly amountMsat: bigint;
      readonly leastMsat: bigint;
      readonly mostMsat: bigint;
    };

/** Why a path cannot take any part of an amount. */
export type UselessPath =
  | { readonly kind: 'maximumZero' }
  | { readonly kind: 'minimumAboveMaximum'; readonly leastMsat: bigint; readonly mostMsat: bigint }
  | { readonly kind: 'minimumAboveAmount'; readonly leastMsat: bigint }
  | { readonly kind: 'tooSlow'; readonly delayBlocks: number; readonly mostBlocks: number }
  /** It costs more than all bitcoin. */
  | { readonly kind: 'tooDear'; readonly feeMsat: bigint }
  /** Its hops fit no onion. */
  | { readonly kind: 'tooLong'; readonly hops: number };
