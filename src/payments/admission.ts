/** Checks made before a payment begins. */

import { equalBytes } from '../bolt/bytes.ts';
import { BlockedByUnknownHtlc, InDoubt } from '../store/payment-leases.ts';
import { isUnfetched, type Payment, type PaymentRequest, type PaymentTarget } from './payment.ts';
import { canSend, endsAtOurs } from './plan/purse.ts';
import { hopsThatFit, requireSendable } from './plan/recipient.ts';
import { PaymentRefused } from './refusal.ts';
import type { Services } from './services.ts';

/**
 * @throws PaymentRefused when the payload does not fit in an onion, or the network cannot pay, or for a reason of
 *   `requireNodes`. Before the invoice is fetched, only the network is checked, because the rest is unknown until then.
 */
export function requirePayable(target: PaymentTarget, services: Services): void {
  if (!isUnfetched(target)) hopsThatFit(target, false);
  const { kind, capabilities } = services.network;
  if (!capabilities.pays) throw new PaymentRefused({ kind: 'noChannels', network: kind });
  if (!isUnfetched(target)) requireNodes(target, services);
}

/**
 * @throws PaymentRefused when none of our nodes can send the payment, or when it would only move money between our
 * nodes without being requested as a transfer.
 */
function requireNodes(request: PaymentRequest, { purse, network }: Services): void {
  if (purse === undefined) {
    requireSendable(request, network);
    return;
  }
  const nodes = purse.nodes.list;
  const able = nodes.find((node) => canSend(node, request));
  if (able === undefined) requireSendable(request, nodes[0]!.port);
  if (request.isTransfer !== true && endsAtOurs(purse, request)) {
    throw new PaymentRefused({ kind: 'toOurselves', node: purse.nodes.byId(request.destination)!.name });
  }
}

/** @throws PaymentRefused when our node cannot pay now. Checked only for new payments. */
export function requireNode({ network }: Services): void {
  const behind = network.nodeBehind();
  if (behind?.problem === undefined) return;
  const { nodeId, problem } = behind;
  throw new PaymentRefused({ kind: 'nodeAway', nodeId, problem });
}

/** Why no new payments are made at the moment. Undefined unless a failover caused doubt that is not resolved yet. */
export function doubtOf({ leases }: Services): InDoubt | undefined {
  const doubt = leases?.doubt;
  return doubt?.isOpen === true ? new InDoubt(doubt) : undefined;
}

/**
 * @throws InDoubt while a failover may have lost rows; BlockedByUnknownHtlc when the network has an HTLC without a row in the
 *   store, for the same payment hash or idempotency key
 */
export function requireCertainty({ paymentHash, groupId, request }: Payment, services: Services): void {
  const inDoubt = doubtOf(services);
  if (inDoubt !== undefined) throw inDoubt;
  const unknown = services.leases?.doubt?.unknown.find(
    (htlc) =>
      equalBytes(htlc.paymentHash, paymentHash) ||
      (request.idempotencyKey !== undefined && htlc.groupId === groupId),
  );
  if (unknown !== undefined) throw new BlockedByUnknownHtlc(unknown);
}
