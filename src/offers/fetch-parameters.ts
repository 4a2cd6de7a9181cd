/**
 * The parameters of a fetch, and the rules checked before anything is sent. The rules are checked in a fixed order
 * (expiry, amount, quantity, recurrence), so the same mistake always gives the same error.
 */

import { equalBytes } from '../bolt/bytes.ts';
import type { Bip353Name, InvoiceRequestFields } from '../bolt/invoice/bolt12-fields.ts';
import { CHAIN_HASHES, type Offer } from '../bolt/invoice/bolt12-offer.ts';
import { type Recurrence, recurrenceOf, recurrenceRequest } from '../bolt/invoice/bolt12-recurrence.ts';
import { type Msat, U64_MAX } from '../model/msat.ts';
import { OfferRefused } from './refusal.ts';

/** The parameters that the caller of a fetch passes. */
export interface FetchParameters {
  readonly offer: Offer;
  readonly amountMsat?: Msat | undefined;
  readonly quantity?: bigint | undefined;
  readonly recurrenceCounter?: number | undefined;
  readonly recurrenceStart?: number | undefined;
  readonly recurrenceLabel?: string | undefined;
  /** Maximum milliseconds from the call to the answer. */
  readonly timeoutMs: number;
  readonly payerNote?: string | undefined;
  readonly payerMetadata?: Uint8Array | undefined;
  readonly bip353?: Bip353Name | undefined;
}

/** The parameters for ending a series before the period with `recurrenceCounter`. */
export type CancelParameters = Omit<FetchParameters, 'amountMsat' | 'quantity' | 'payerMetadata'> & {
  readonly recurrenceCounter: number;
  readonly recurrenceLabel: string;
};

/** Checks a fetch. @throws OfferRefused */
export function checkFetchParameters(parameters: FetchParameters, nowSeconds: bigint): void {
  const { offer, amountMsat, recurrenceCounter } = parameters;
  const expiry = offer.fields.offerAbsoluteExpiry;
  // The offer's expiry only limits when a series may begin. A series that has begun may continue.
  if (expiry !== undefined && nowSeconds > expiry && (recurrenceCounter ?? 0) === 0) {
    throw new OfferRefused({ kind: 'expired', expiry });
  }
  if (offer.fields.offerAmount === undefined && amountMsat === undefined) {
    throw new OfferRefused({ kind: 'amountMissing' });
  }
  if (amountMsat === 0n) throw new OfferRefused({ kind: 'amountZero' });
  checkQuantity(parameters);
  const recurrence = recurrenceOf(offer.fields);
  if (recurrence === undefined) checkNoRecurrence(parameters);
  else checkRecurrenceParameters(recurrence, parameters);
  const total = expectedAmount(offer.fields, parameters.quantity);
  if (total !== undefined && total > U64_MAX) throw new OfferRefused({ kind: 'quantityOverflow' });
}

/** Checks a cancellation. @throws OfferRefused */
export function checkCancelParameters({ offer, recurrenceCounter, recurrenceStart }: CancelParameters): void {
  const recurrence = recurrenceOf(offer.fields);
  if (recurrence === undefined) throw new OfferRefused({ kind: 'notRecurring' });
  if (recurrenceCounter === 0) throw new OfferRefused({ kind: 'counterZero' });
  checkStart(recurrence, recurrenceStart);
}

function checkQuantity({ offer, quantity }: FetchParameters): void {
  const most = offer.fields.offerQuantityMax;
  if (most === undefined) {
    if (quantity !== undefined) throw new OfferRefused({ kind: 'quantityUnneeded' });
    return;
  }
  if (quantity === undefined) throw new OfferRefused({ kind: 'quantityMissing' });
  if (quantity === 0n) throw new OfferRefused({ kind: 'quantityZero' });
  if (most !== 0n && quantity > most) throw new OfferRefused({ kind: 'quantityTooLarge', most });
}

function checkRecurrenceParameters(recurrence: Recurrence, parameters: FetchParameters): void {
  const { recurrenceCounter, payerMetadata, recurrenceStart, recurrenceLabel } = parameters;
  if (recurrenceCounter === undefined) throw new OfferRefused({ kind: 'counterMissing' });
  if (payerMetadata !== undefined) {
    throw new OfferRefused({ kind: 'metadataOfSeries' });
  }
  checkStart(recurrence, recurrenceStart);
  if (recurrenceLabel === undefined) throw new OfferRefused({ kind: 'labelMissing' });
}

/** A series may start with a period other than 0 only if the offer has a base from which periods are counted. */
function checkStart({ base }: Recurrence, recurrenceStart: number | undefined): void {
  if (base === undefined && recurrenceStart !== undefined) {
    throw new OfferRefused({ kind: 'startWithoutBase' });
  }
}

function checkNoRecurrence({ recurrenceCounter, recurrenceStart, recurrenceLabel }: FetchParameters): void {
  if (recurrenceCounter !== undefined) {
    throw new OfferRefused({ kind: 'counterUnneeded' });
  }
  if (recurrenceStart !== undefined) throw new OfferRefused({ kind: 'startUnneeded' });
  if (recurrenceLabel !== undefined) throw new OfferRefused({ kind: 'labelUnneeded' });
}

/**
 * Amount of the offer times quantity, in msat. It may exceed 64 bits. `undefined` if the offer has no amount, or an
 * amount in another currency.
 */
export function expectedAmount(
  { offerAmount, offerCurrency }: Offer['fields'],
  quantity: bigint | undefined,
): bigint | undefined {
  if (offerAmount === undefined || offerCurrency !== undefined) return undefined;
  return offerAmount * (quantity ?? 1n);
}

/** What the fetcher adds to the caller's parameters to make a request. */
export interface RequestFrame {
  readonly metadata: Uint8Array;
  readonly chainHash: Uint8Array;
  /** First period of the series, if periods are counted from a base. */
  readonly start: number | undefined;
  readonly isCancelled: boolean;
}

/** The fields of a request that do not come from the offer. */
export function requestFields(
  parameters: FetchParameters,
  { metadata, chainHash, start, isCancelled }: RequestFrame,
): InvoiceRequestFields {
  const { offer, amountMsat, quantity, payerNote, bip353, recurrenceCounter } = parameters;
  const recurrence = recurrenceOf(offer.fields);
  return {
    invreqMetadata: metadata,
    invreqChain: equalBytes(chainHash, CHAIN_HASHES.bitcoin) ? undefined : chainHash,
    invreqAmountMsat: amountMsat,
    invreqQuantity: quantity,
    invreqPayerNote: payerNote,
    invreqBip353Name: bip353,
    ...(recurrence && recurrenceRequest(recurrence, recurrenceCounter as number, start, isCancelled)),
  };
}
