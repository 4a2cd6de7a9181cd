/** Texts for requests that are not sent to an issuer, and for refused changes of offers and requests. */
import type { OfferRefusal, OfferRefused } from '../../offers/refusal.ts';
import type { ClientError, Data } from '../client-error.ts';

/** The error with the reason of the refusal and the parameter that caused it. */
export function offerRefusalInWords({ name: error, reason }: OfferRefused): ClientError {
  return { error, ...refusalInWords(reason) };
}

/** The text of a refusal, and the same information as data. */
interface RefusalWords {
  readonly message: string;
  readonly data?: Data;
}

/** Refusals that are caused by a parameter and have no further details: the parameter and the text. */
const OF_PARAMETERS = {
  amountMissing: ['amount_msat', 'amount_msat parameter required'],
  amountZero: ['amount_msat', 'amount_msat parameter must be non-zero'],
  quantityMissing: ['quantity', 'quantity parameter required'],
  quantityZero: ['quantity', 'quantity parameter must be non-zero'],
  quantityUnneeded: ['quantity', 'quantity parameter unnecessary'],
  quantityOverflow: ['quantity', 'quantity causes overflow'],
  notRecurring: ['offer', 'Not a recurring offer'],
  counterMissing: ['recurrence_counter', 'needs recurrence_counter'],
  counterZero: ['recurrence_counter', 'Must be non-zero'],
  counterUnneeded: ['recurrence_counter', 'unnecessary invreq_recurrence_counter'],
  metadataOfSeries: ['payer_metadata', 'Cannot set payer_metadata for recurring offers'],
  startWithoutBase: ['recurrence_start', 'unnecessary recurrence_start'],
  startUnneeded: ['recurrence_start', 'unnecessary invreq_recurrence_start'],
  labelMissing: ['recurrence_label', 'needs recurrence_label'],
  labelUnneeded: ['recurrence_label', 'unnecessary recurrence_label'],
} as const satisfies Partial<Record<OfferRefusal['kind'], readonly [parameter: string, reason: string]>>;

/** Refusals that are not caused by a parameter and have no further details. */
const PLAIN = {
  tooManyFetches: 'too many fetches in progress',
  tooManyReplies: 'too many pending replies',
  unknownOffer: 'Unknown offer',
  unknownRequest: 'Unknown invoice_request',
  offerDisabled: 'offer is not active',
  requestDisabled: 'invoice_request is not active',
  offerExists: "Already exists, but isn't active",
} as const satisfies Partial<Record<OfferRefusal['kind'], string>>;

function refusalInWords(refusal: OfferRefusal): RefusalWords {
  switch (refusal.kind) {
    case 'expired':
      return { message: 'Offer expired', data: { offer_absolute_expiry: refusal.expiry } };
    case 'quantityTooLarge':
      return refused('quantity', `quantity must be <= ${refusal.most}`);
    case 'otherStart':
      return refused('recurrence_start', `recurrence_start of this label is ${refusal.start}`);
    case 'tooManyOffers':
      return { message: `more than ${refusal.most} offers` };
    case 'noMessages':
      return {
        message: `This node cannot send onion messages: its network is '${refusal.network}'. Start it with another --network`,
        data: { network_kind: refusal.network },
      };
    case 'invalid':
      return { message: refusal.cause, data: { reason: refusal.cause } };
    case 'tooManyFetches':
    case 'tooManyReplies':
    case 'unknownOffer':
    case 'unknownRequest':
    case 'offerDisabled':
    case 'requestDisabled':
    case 'offerExists':
      return { message: PLAIN[refusal.kind] };
    default: {
      const [parameter, reason] = OF_PARAMETERS[refusal.kind];
      return refused(parameter, reason);
    }
  }
}

const refused = (parameter: string, reason: string): RefusalWords => ({
  message: reason,
  data: { parameter, reason },
});
