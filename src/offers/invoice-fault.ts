/**
 * What can be wrong with a fetched invoice, and why an invoice cannot be paid, as data. Amounts are in msat. The
 * commands add the texts and the names of fields (src/commands/offers/invoice-fault-words.ts).
 */

/** The first fault of a fetched invoice (BOLT 12, "Invoices", requirements for the reader). */
export type InvoiceFault =
  /** The bytes cannot be decoded as an invoice. */
  | { readonly kind: 'undecodable'; readonly cause: string }
  /** A field breaks a rule of BOLT 12. */
  | { readonly kind: 'badField'; readonly type: bigint | undefined; readonly cause: string }
  /** The invoice answers a different request of the same payer. */
  | { readonly kind: 'otherRequest' }
  /** The invoice does not repeat the fields of our request. */
  | { readonly kind: 'notOurRequest' }
  /** The static invoice belongs to a different offer than the requested one. */
  | { readonly kind: 'otherOffer' }
  /** The invoice is signed by a different key than the one that the offer requires. */
  | { readonly kind: 'otherSigner' }
  /** The offer's amount times quantity exceeds 64 bits. */
  | { readonly kind: 'amountOverflow' }
  | { readonly kind: 'otherAmount'; readonly amountMsat: bigint | undefined; readonly requestedMsat: bigint }
  /** The invoice expired at this UNIX time. */
  | { readonly kind: 'expired'; readonly expiry: bigint }
  | { readonly kind: 'basetimeMissing' }
  /** Period 0 does not start when it should: at the offer's base, or at the time of the first invoice of the series. */
  | { readonly kind: 'otherBasetime'; readonly basetime: bigint; readonly expected: bigint }
  /** A period begins too late for a calendar date. */
  | { readonly kind: 'badPeriod'; readonly cause: string }
  | { readonly kind: 'unpayable'; readonly why: Unpayable };

/** Why an invoice cannot be paid over its paths. */
export type Unpayable =
  | UselessPath
  /** No path can carry the amount in one part, and the recipient does not accept several. */
  | { readonly kind: 'needsParts'; readonly amountMsat: bigint; readonly mostMsat: bigint }
  /** No path can carry more than `partMsat`, so the amount would need more than `mostParts` parts. */
  | {
      readonly kind: 'tooManyParts';
      readonly amountMsat: bigint;
      readonly partMsat: bigint;
      readonly mostParts: bigint;
    }
  /** The amount cannot be divided into parts of `leastMsat` to `mostMsat`. */
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
  /** The fee of the path exceeds the total supply of bitcoin. */
  | { readonly kind: 'tooDear'; readonly feeMsat: bigint }
  /** The path has more hops than fit in an onion. */
  | { readonly kind: 'tooLong'; readonly hops: number };
