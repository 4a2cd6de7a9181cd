/** An attempt as the HTLC that the network is asked to send. The same attempt gives the same HTLC, at any time. */
import type { RouteHop } from '../engine/route.ts';
import type { FinalPayload, HtlcHop, HtlcKey, OutgoingHtlc } from '../network/port.ts';
import { finalPayload } from './final-payload.ts';
import { type Attempt, absoluteExpiry, type Payment } from './payment.ts';

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
 * What the network knows an attempt by. A keysend's listings count its attempts from 0 and give it group 0, as Core
 * Lightning's do; towards the network both begin at 1.
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
