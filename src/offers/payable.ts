/**
 * Checks whether an invoice can be paid over its blinded paths (BOLT 12, "Invoices").
 *
 * A path carries parts of `htlc_minimum_msat` to `htlc_maximum_msat`, as they arrive at the recipient. Take the
 * smallest minimum and the largest maximum of all paths that can take a part. Then the sum of n parts lies between n
 * times that minimum and n times that maximum. An amount that is in none of these ranges cannot be paid. If the
 * recipient accepts only one part, one path must carry the whole amount.
 */
import type { InvoiceFields } from '../bolt/invoice/bolt12-fields.ts';
import { type PaymentPath, paymentPaths } from '../bolt/invoice/bolt12-invoice.ts';
import { payloadSize } from '../bolt/onion/payload.ts';
import { PAYMENT_AREA_BYTES } from '../bolt/onion/sphinx.ts';
import { FEATURE, hasFeature } from '../bolt/peer/features.ts';
import { type Msat, msat } from '../model/msat.ts';
import { forwardingFeeMsat } from '../model/policy.ts';
import type { Unpayable, UselessPath } from './invoice-fault.ts';

/** The total supply of bitcoin, in msat. */
const MAX_MSAT = msat(2_100_000_000_000_000_000n);
/** Maximum number of blocks for which nodes lock money (BOLT 4, `expiry_too_far`). */
const MAX_DELAY_BLOCKS = 2016;
/** An invoice that needs more parts than this counts as unpayable. `getroutes` has the same default. */
const MAX_PARTS = 100n;

/** Why the invoice cannot be paid. `undefined` if it may be payable. */
export function whyUnpayable(fields: InvoiceFields): Unpayable | undefined {
  const amountMsat = fields.invoiceAmountMsat as Msat;
  let firstReason: UselessPath | undefined;
  let most = 0n;
  let least: bigint | undefined;
  for (const path of paymentPaths(fields)) {
    const reason = whyUseless(path, amountMsat);
    firstReason ??= reason;
    if (reason !== undefined) continue;
    const { htlcMaximumMsat, htlcMinimumMsat } = path.payInfo;
    if (htlcMaximumMsat > most) most = htlcMaximumMsat;
    if (least === undefined || htlcMinimumMsat < least) least = htlcMinimumMsat;
  }
  if (least === undefined) return firstReason;
  const parts = (amountMsat + most - 1n) / most;
  if (parts > 1n && !hasFeature(fields.invoiceFeatures ?? new Uint8Array(0), FEATURE.basic_mpp))
    return { kind: 'needsParts', amountMsat, mostMsat: most };
  if (parts > MAX_PARTS) {
    return { kind: 'tooManyParts', amountMsat, partMsat: most, mostParts: MAX_PARTS };
  }
  if (parts * least > amountMsat) return { kind: 'noSum', amountMsat, leastMsat: least, mostMsat: most };
  return undefined;
}

/** Why this path cannot carry any part of the amount. `undefined` if it can. */
function whyUseless({ path, payInfo }: PaymentPath, amountMsat: Msat): UselessPath | undefined {
  const { htlcMinimumMsat: least, htlcMaximumMsat: most, cltvExpiryDelta } = payInfo;
  if (most === 0n) return { kind: 'maximumZero' };
  if (least > most) return { kind: 'minimumAboveMaximum', leastMsat: least, mostMsat: most };
  if (least > amountMsat) return { kind: 'minimumAboveAmount', leastMsat: least };
  if (cltvExpiryDelta > MAX_DELAY_BLOCKS)
    return { kind: 'tooSlow', delayBlocks: cltvExpiryDelta, mostBlocks: MAX_DELAY_BLOCKS };
  const part = most < amountMsat ? most : amountMsat;
  const fee = forwardingFeeMsat(payInfo, part);
  if (part + fee > MAX_MSAT) return { kind: 'tooDear', feeMsat: fee };
  const bytes = onionBytes(path, amountMsat);
  return bytes > PAYMENT_AREA_BYTES ? { kind: 'tooLong', hops: path.hops.length } : undefined;
}

/** Minimum number of onion bytes for the hops of the path. */
function onionBytes({ hops, firstPathKey }: PaymentPath['path'], amountMsat: Msat): number {
  return hops.reduce((bytes, { encryptedRecipientData }, i) => {
    const isFinal = i === hops.length - 1;
    const ofFirst = i === 0 && { currentPathKey: firstPathKey };
    const ofFinal = isFinal && {
      ...{ amtToForwardMsat: amountMsat, totalAmountMsat: amountMsat, outgoingCltvValue: 1 },
    };
    return bytes + payloadSize({ encryptedRecipientData, ...ofFirst, ...ofFinal });
  }, 0);
}
