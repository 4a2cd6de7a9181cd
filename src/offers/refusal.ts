/**
 * Why nothing is asked of an issuer, or changed about offers and requests of ours, as data. The words are the commands'
 * (src/commands/offers/refusal-words.ts).
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NetworkKind } from '../network/port.ts';

/** Why it is not done. Nothing was sent, and nothing has changed. */
export type OfferRefusal =
  /** The offer has expired, at this UNIX time. */
  | { readonly kind: 'expired'; readonly expiry: bigint }
  /** Neither the offer nor the caller names an amount; or the caller names none. */
  | { readonly kind: 'amountMissing' | 'amountZero' }
  | { readonly kind: 'quantityMissing' | 'quantityZero' }
  /** The offer is for one thing. */
  | { readonly kind: 'quantityUnneeded' }
  | { readonly kind: 'quantityTooLarge'; readonly most: bigint }
  /** The offer's amount times quantity exceeds 64 bits. */
  | { readonly kind: 'quantityOverflow' }
  /** There is no series to end. */
  | { readonly kind: 'notRecurring' }
  | { readonly kind: 'counterMissing' | 'counterZero' | 'counterUnneeded' }
  /** The metadata of a series follow from its label. */
  | { readonly kind: 'metadataOfSeries' }
  /** The offer has no base from which periods are counted. */
  | { readonly kind: 'startWithoutBase' }
  | { readonly kind: 'startUnneeded' }
  /** The series of this label has another start. */
  | { readonly kind: 'otherStart'; readonly start: number }
  | { readonly kind: 'labelMissing' | 'labelUnneeded' }
  | { readonly kind: 'tooManyFetches' | 'tooManyReplies' }
  | { readonly kind: 'tooManyOffers'; readonly most: number }
  /** What stands behind this node, a network of this kind, carries no onion messages. */
  | { readonly kind: 'noMessages'; readonly network: NetworkKind }
  | { readonly kind: 'unknownOffer' | 'unknownRequest' }
  | { readonly kind: 'offerDisabled' | 'requestDisabled' }
  /** The same offer was made before, and is disabled. */
  | { readonly kind: 'offerExists' }
  /** It would be no valid offer, or request, as the standard says. */
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

/** It is not done; where no other error of the table says so, a parameter is to blame. */
export class OfferRefused extends ReasonedError<OfferRefusal> {
  constructor(refusal: OfferRefusal) {
    super(ERRORS_OF[refusal.kind] ?? 'invalidParams', refusal);
  }
}
