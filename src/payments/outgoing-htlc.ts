/**
 * Makes the HTLC that the network is asked to send from an attempt. The same attempt gives the same HTLC at
 * any time.
 */
import type { RouteHop } from '../engine/route.ts';
import type { FinalPayload, HtlcHop, HtlcKey, HtlcOutcome, OutgoingHtlc } from '../network/port.ts';
import { finalPayload } from './final-payload.ts';
import { type Attempt, absoluteExpiry, type NotSent, type Payment } from './payment.ts';

/** How an attempt ended: as the network says, or here already. */
export type AttemptOutcome =
  | HtlcOutcome
  /** It was never handed to the network. That says nothing about any channel. */
  | { readonly status: 'neverLeft'; readonly why: NotSent };

/**
 * The HTLC of an attempt: key, path, absolute expiry, the recipient's payload and the session key of its
 * onion.
 */
export function outgoingHtlc(payment: Payment, attempt: Attempt): OutgoingHtlc {
  const { path, height, sessionKey } = attempt;
  return {
    ...htlcKey(payment, attempt),
    path: path.map((hop) => htlcHop(hop, height)),
    finalPayload: finalPayloadOf(payment, attempt),
    sessionKey,
  };
}

/**
 * The key by which the network knows an attempt. The listings of a keysend count its attempts from 0 and give
 * it group 0, as Core Lightning's do. Towards the network both begin at 1, because some nodes give 0 a
 * meaning.
 */
export function htlcKey({ paymentHash, groupId, request }: Payment, { id, partId }: Attempt): HtlcKey {
  const isKeysend = request.kind === 'keysend';
  return {
    attemptId: id,
    paymentHash,
    groupId: isKeysend ? 1n : groupId,
    partId: isKeysend ? partId + 1 : partId,
  };
}

function htlcHop(
  { nodeIdOut, shortChannelIdDir, amountOutMsat, cltvOut }: RouteHop,
  height: number,
): HtlcHop {
  return {
    nodeId: nodeIdOut,
    shortChannelId: shortChannelIdDir.shortChannelId,
    amountMsat: amountOutMsat,
    cltvExpiry: absoluteExpiry(height, cltvOut),
  };
}

function finalPayloadOf(payment: Payment, { partOfSeveral }: Attempt): FinalPayload {
  const { preimage, totalMsat, request } = payment;
  const paymentSecret = partOfSeveral ? payment.paymentSecret : undefined;
  return finalPayload({ preimage, extraTlvs: request.extraTlvs, paymentSecret, totalMsat });
}
