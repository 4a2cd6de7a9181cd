/** Requests to pay BOLT 12 invoices from nodes of a simulated network, over real blinded paths. */

import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import type { PaymentPath } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { formatInvoice } from '../../src/bolt/invoice/bolt12-invoice.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { type Msat, msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { makeTicket, networkMapOf, ticketPreimage } from '../../src/network/simulated/index.ts';
import type { PaymentRequest } from '../../src/payments/payment.ts';
import type { BlindedTail } from '../../src/payments/plan/invoice-terms.ts';
import { findTails } from '../../src/payments/plan/payable-invoice.ts';
import { type PathPlan, PaymentPaths } from '../../src/simulated-issuers/payment-paths.ts';
import { keysendRequest, OWN_ID } from './simulation/simulated-node.ts';

/** The requested properties of an invoice. */
export interface BlindedWishes {
  /** The whole graph, including private channels. */
  readonly graph: ChannelGraph;
  readonly recipient: NodeId;
  readonly secretKey: Uint8Array;
  readonly amountMsat: Msat | bigint;
  readonly plans: readonly PathPlan[];
  readonly height: number;
  readonly nowMs: number;
  /** A number that makes invoices differ. */
  readonly number?: number;
  readonly takesParts?: boolean;
  readonly expiresInSeconds?: bigint;
}

/** The paths of an invoice with these properties, and its payment hash. */
export function blindedPaths(wishes: BlindedWishes): { paths: PaymentPath[]; paymentHash: Uint8Array } {
  const { graph, recipient, secretKey, amountMsat, plans, height, nowMs, number = 0 } = wishes;
  const expiresAt = BigInt(Math.floor(nowMs / 1000)) + (wishes.expiresInSeconds ?? 3600n);
  const terms = {
    form: 'bolt12',
    amountMsat: msat(amountMsat),
    expiresAt,
    minFinalCltvExpiryDelta: 18,
  } as const;
  const numbered = (what: string) => sha256(Buffer.from(`${what} ${number}`, 'utf8'));
  const pathId = makeTicket(secretKey, terms, numbered('nonce'));
  const target = { node: graph.nodeIndex(recipient), pathId, amountMsat: msat(amountMsat), height };
  return {
    paths: new PaymentPaths(networkMapOf(graph)).build(target, plans, (index) => numbered(`path ${index}`)),
    paymentHash: sha256(ticketPreimage(secretKey, pathId)),
  };
}

/** A request to pay an invoice with these properties. @param change changes to the paths that the payer sees */
export function blindedRequest(
  wishes: BlindedWishes,
  more: Partial<PaymentRequest> = {},
  change: (tail: BlindedTail, index: number) => BlindedTail = (tail) => tail,
): PaymentRequest {
  const { graph, recipient, takesParts = true } = wishes;
  const { paths, paymentHash } = blindedPaths(wishes);
  const { tails } = findTails(paths, {
    ownId: OWN_ID,
    nodeOf: ({ shortChannelId, direction }) => {
      const channel = graph.channelIndex(shortChannelId);
      return graph.nodeId((direction === 0 ? graph.node1 : graph.node2)[channel]!);
    },
    peerOf: () => undefined,
  });
  const amountMsat = msat(wishes.amountMsat);
  return keysendRequest(recipient, {
    kind: 'xpay',
    amountMsat,
    useShadow: false,
    randomize: false,
    asked: { invstring: formatInvoice({ bytes: paymentHash }), payerNote: undefined },
    invoice: {
      ...{ format: 'bolt12', text: formatInvoice({ bytes: paymentHash }), paymentHash, takesParts },
      totalMsat: amountMsat,
      expiresAt: BigInt(Math.floor(wishes.nowMs / 1000)) + (wishes.expiresInSeconds ?? 3600n),
      minFinalCltvExpiryDelta: 0,
      paymentSecret: undefined,
      paymentMetadata: undefined,
      blindedTails: tails.map(change),
      description: undefined,
      payerNote: undefined,
      invoiceRequestId: undefined,
    },
    ...more,
  });
}
