/** Creates the payment for a request, before its first attempt. */

import { sha256 } from '../bolt/crypto/hashes.ts';
import { PAYMENT_AREA_BYTES } from '../bolt/onion/sphinx.ts';
import { FEATURE, hasFeature } from '../bolt/peer/features.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { randomId } from '../model/random-id.ts';
import type { Payment, PaymentRequest } from './payment.ts';
import { recipientOf } from './plan/recipient.ts';
import type { Services } from './services.ts';

/** When and by whom a payment was requested. */
export interface PaymentOrigin {
  readonly createdAtMs: number;
  /** Id of the request, for logs. */
  readonly askedBy?: string | undefined;
  /** Index of the payment. Default: the journal's next free index. */
  readonly index?: number | undefined;
  /** Group id that the caller chose. Default: as its kind of payment requires. */
  readonly groupId?: bigint | undefined;
}

/** Creates a payment with its hash and secrets. Does not write it to the journal. */
export function newPayment(
  request: PaymentRequest,
  { createdAtMs, askedBy, index, groupId }: PaymentOrigin,
  { randomBytes, leases, journal, graph }: Services,
): Payment {
  const { invoice, idempotencyKey: key } = request;
  const isProbe = request.kind === 'probe';
  const bytesOf = key === undefined ? undefined : leases?.bytesOf;
  /**
   * Random bytes. With PostgreSQL, and if the request has an idempotency key, the bytes are derived from the key
   * instead, so that the payment's HTLCs can be identified even if their rows are lost.
   */
  const drawn = (what: string, length: number): Uint8Array =>
    bytesOf?.(`${what} ${key}`).subarray(0, length) ?? randomBytes(length);
  const ownPreimage = invoice === undefined && !isProbe ? drawn('preimage', 32) : invoice?.held?.preimage;
  const ownSecret = isProbe || (invoice === undefined && canSplit(request, graph()));
  // The hash of a probe is random instead of computed from a preimage, so that its preimage is known to no one.
  const hash = isProbe ? randomBytes(32) : invoice?.paymentHash;
  return {
    id: randomId(randomBytes),
    createdIndex: index ?? journal.nextPaymentIndex(),
    // Set later, but part of the object from the start, so that all payments share a hidden class of V8.
    createdOrder: undefined,
    request,
    preimage: ownPreimage,
    paymentHash: ownPreimage === undefined ? hash! : sha256(ownPreimage),
    groupId: groupId ?? (request.kind === 'keysend' ? 0n : groupIdFrom(drawn('group', 8))),
    paymentSecret: ownSecret ? randomBytes(32) : invoice?.paymentSecret,
    totalMsat: request.amountMsat,
    createdAtMs,
    askedBy,
    attempts: [],
    status: 'pending',
    completedAtMs: undefined,
    failure: undefined,
  };
}

/** Whether the recipient announced support for multi-part payments, and the payload of a part fits in an onion. */
function canSplit(request: PaymentRequest, graph: ChannelGraph): boolean {
  const features = graph.announcements.get(graph.nodeIndex(request.destination))?.features;
  if (features === undefined || recipientOf(request).widestBytes(true) > PAYMENT_AREA_BYTES) return false;
  return hasFeature(features, FEATURE.basic_mpp) && hasFeature(features, FEATURE.payment_secret);
}

/** A group id below 2^63. It is odd, so it is never 0, the group id of a keysend. */
function groupIdFrom(bytes: Uint8Array): bigint {
  return (new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0) >> 1n) | 1n;
}
