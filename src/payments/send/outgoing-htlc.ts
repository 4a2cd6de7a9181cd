/** Converts an attempt to the HTLC that the network sends. The same attempt always gives the same HTLC. */
import type { RouteHop } from '../../engine/question/route.ts';
import type { HtlcHop, HtlcKey, HtlcOutcome, OutgoingHtlc } from '../../network/port.ts';
import { type Attempt, absoluteExpiry, type NotSent, type Payment } from '../payment.ts';
import type { BlindedTail } from '../plan/invoice-terms.ts';
import { recipientOf, tailOf } from '../plan/recipient.ts';

/** How an attempt ended: as the network reports, or before it reached the network. */
export type AttemptOutcome =
  | HtlcOutcome
  /** The HTLC never left our node, so the failure of the attempt reveals nothing about any channel. */
  | { readonly status: 'neverLeft'; readonly why: NotSent };

/** The HTLC of an attempt: key, path, absolute expiry, the recipient's payload and the session key of its onion. */
export function outgoingHtlc(payment: Payment, attempt: Attempt): OutgoingHtlc {
  const { path, height, sessionKey } = attempt;
  const tail = tailOf(payment, path);
  const { invoice } = payment.request;
  return {
    finalPayload: recipientOf(payment.request).finalPayload(payment, attempt.partOfSeveral),
    isPartOfSeveral: attempt.partOfSeveral,
    ...(tail && { blindedEnd: blindedEnd(tail, path.at(-1)!, height) }),
    // Nodes cannot read static invoices, and send such a payment as a keysend.
    ...(invoice?.text && invoice.held === undefined && { invoice: invoice.text }),
    ...(payment.request.label !== undefined && { label: payment.request.label }),
    ...nodesRequest(payment),
    ...(payment.request.onion && { onion: payment.request.onion.packet }),
    sessionKey,
    ...htlcKey(payment, attempt),
  };
}

/**
 * The id of the invoice request, if our attached node published the request. The node then ensures that the request is
 * paid only once.
 */
function nodesRequest({ request }: Payment): Pick<OutgoingHtlc, 'localRequestId'> {
  const { localRequest } = request.asked ?? {};
  return localRequest?.publisher === 'node' ? { localRequestId: localRequest.id } : {};
}

/** The end of the HTLC's path, if the last hop of the route represents a blinded path. */
function blindedEnd(
  { firstPathKey, hops }: BlindedTail,
  { amountOutMsat, cltvOut }: RouteHop,
  height: number,
): NonNullable<OutgoingHtlc['blindedEnd']> {
  return { firstPathKey, hops, amountMsat: amountOutMsat, cltvExpiry: absoluteExpiry(height, cltvOut) };
}

/**
 * The key by which the network identifies an attempt. In lists, the parts of a keysend are numbered from 0 and its
 * group is 0, as in Core Lightning, and callers of `sendpay` may use 0. For the network, both numbers start at 1,
 * because some nodes give 0 a special meaning.
 */
export function htlcKey(
  payment: Payment,
  { id, partId, path, height }: Attempt,
): HtlcKey & Pick<OutgoingHtlc, 'path'> {
  const { paymentHash, groupId, request, preimage } = payment;
  const isFromZero = request.kind === 'keysend' || request.kind === 'sendpay';
  const known = tailOf(payment, path) === undefined ? path : path.slice(0, -1);
  return {
    attemptId: id,
    paymentHash,
    fromNode: path[0]!.nodeIdIn,
    groupId: groupId === 0n ? 1n : groupId,
    partId: isFromZero ? partId + 1 : partId,
    path: known.map((hop) => htlcHop(hop, height)),
    ...(preimage && { preimage }),
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
