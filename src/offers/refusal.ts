/**
 * Why a command about offers is refused, as data. The commands add the texts (src/commands/offers/refusal-words.ts).
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NetworkKind } from '../network/port.ts';

/** Why a command about offers is refused. Nothing was sent or changed. */
export type OfferRefusal =
  /** The offer expired at this UNIX time. */
  | { readonly kind: 'expired'; readonly expiry: bigint }
  /** `amountMissing`: neither the offer nor the caller gives an amount. `amountZero`: the caller gives the amount 0. */
  | { readonly kind: 'amountMissing' | 'amountZero' }
  | { readonly kind: 'quantityMissing' | 'quantityZero' }
  /** A quantity was given, but the offer is for a single item. */
  | { readonly kind: 'quantityUnneeded' }
  | { readonly kind: 'quantityTooLarge'; readonly most: bigint }
  /** The offer's amount times quantity exceeds 64 bits. */
  | { readonly kind: 'quantityOverflow' }
  /** The offer is not recurring, so there is no series to end. */
  | { readonly kind: 'notRecurring' }
  | { readonly kind: 'counterMissing' | 'counterZero' | 'counterUnneeded' }
  /** The caller gave metadata for a series, whose metadata is derived from its label. */
  | { readonly kind: 'metadataOfSeries' }
  /** The caller gave a start, but the offer has no base from which periods are counted. */
  | { readonly kind: 'startWithoutBase' }
  | { readonly kind: 'startUnneeded' }
  /** The series with this label has a different start. */
  | { readonly kind: 'otherStart'; readonly start: number }
  | { readonly kind: 'labelMissing' | 'labelUnneeded' }
  | { readonly kind: 'tooManyFetches' | 'tooManyReplies' }
  | { readonly kind: 'tooManyOffers'; readonly most: number }
  /** The network behind this node carries no onion messages. */
  | { readonly kind: 'noMessages'; readonly network: NetworkKind }
  | { readonly kind: 'unknownOffer' | 'unknownRequest' }
  | { readonly kind: 'offerDisabled' | 'requestDisabled' }
  /** The same offer was made before and is disabled. */
  | { readonly kind: 'offerExists' }
  /** The result would not be a valid offer or invoice request according to BOLT 12. */
  | { readonly kind: 'invalid'; readonly cause: string };

const ERRORS_OF: Partial<Record<OfferRefusal['kind'], ErrorName>> = {
  expired: 'offerExpired',
  tooManyFetches: 'busy',
  tooManyReplies: 'busy',
  tooManyOffers: 'busy',
  noMessages: 'notSupported',
  unknownOffer: 'unspecified',
  unknownRequest: 'unspecified',
  offerDisabled: 'offerNotActive',
  requestDisabled: 'offerNotActive',
  offerExists: 'offerExists',
};

/** Thrown for a refusal. Its error is `invalidParams`, unless `ERRORS_OF` names a different one. */
export class OfferRefused extends ReasonedError<OfferRefusal> {
  constructor(refusal: OfferRefusal) {
    super(ERRORS_OF[refusal.kind] ?? 'invalidParams', refusal);
  }
}
