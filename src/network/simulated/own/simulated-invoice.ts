/**
 * BOLT 11 invoices of simulated nodes. The payment secret contains their terms (payment-ticket.ts), so the issuing node
 * need not store anything.
 */

import { sha256 } from '../../../bolt/crypto/hashes.ts';
import type { Bolt11Currency } from '../../../bolt/invoice/bolt11-amount.ts';
import type { RouteHintHop } from '../../../bolt/invoice/bolt11-fields.ts';
import { createBolt11 } from '../../../bolt/invoice/bolt11-invoice.ts';
import { FEATURE, featuresOf, optional } from '../../../bolt/peer/features.ts';
import type { Msat } from '../../../model/msat.ts';
import type { ShortChannelId } from '../../../model/short-channel-id.ts';
import { directionOfIndex } from '../channels.ts';
import type { World } from '../world.ts';
import { makeTicket, ticketMetadata, ticketPreimage } from './payment-ticket.ts';

/** The terms of a new invoice. */
export interface InvoiceWishes {
  readonly currency: Bolt11Currency;
  /** Undefined when the payer chooses the amount. */
  readonly amountMsat?: Msat | undefined;
  readonly description: string;
  readonly expirySeconds: number;
  readonly minFinalCltvExpiryDelta: number;
  /** Number of route hints, made from the largest channels into the node. */
  readonly hints: number;
  /** Whether the payer must include metadata. */
  readonly hasMetadata: boolean;
  /** Distinguishes invoices with equal terms. Only its first NONCE_BYTES bytes are used. */
  readonly nonce: Uint8Array;
}

/** Issues an invoice. Undefined for a node whose key is unknown. */
export function simulatedInvoice(world: World, node: number, wishes: InvoiceWishes): string | undefined {
  const secretKey = world.nodes.secretKey(node);
  if (secretKey === undefined) return undefined;
  const { currency, amountMsat, description, expirySeconds, minFinalCltvExpiryDelta, hasMetadata } = wishes;
  const timestamp = Math.floor(world.nowMs / 1000);
  const form = hasMetadata ? 'bolt11WithMetadata' : 'bolt11';
  const expiresAt = BigInt(timestamp + expirySeconds);
  const terms = { form, amountMsat, expiresAt, minFinalCltvExpiryDelta } as const;
  const paymentSecret = makeTicket(secretKey, terms, wishes.nonce);
  const features = [
    FEATURE.var_onion_optin,
    FEATURE.payment_secret,
    ...(world.nodes.is(node, 'takesMultiPart') ? [optional(FEATURE.basic_mpp)] : []),
    ...(hasMetadata ? [FEATURE.option_payment_metadata] : []),
  ];
  return createBolt11(
    {
      currency,
      amountMsat,
      timestamp,
      fields: {
        paymentHash: sha256(ticketPreimage(secretKey, paymentSecret)),
        paymentSecret,
        ...(hasMetadata && { paymentMetadata: ticketMetadata(secretKey, paymentSecret) }),
        description,
        expirySeconds: BigInt(expirySeconds),
        minFinalCltvExpiryDelta,
        features: featuresOf(features),
        routeHints: hintsTo(world, node, wishes.hints),
      },
    },
    secretKey,
  );
}

/** Route hints of one hop each. */
function hintsTo({ channels, nodes }: World, node: number, most: number): RouteHintHop[][] {
  const directionIndexes: number[] = [];
  for (let channel = 0; channel < channels.count; channel++) {
    const out = channels.outgoing(channel, node);
    if (out === undefined || out.nextNode === nodes.ownIndex) continue;
    const inward = out.directionIndex ^ 1;
    if (channels.policy(inward).enabled) directionIndexes.push(inward);
  }
  const size = (directionIndex: number): bigint => channels.capacityMsat[directionIndex >> 1]!;
  directionIndexes.sort((a, b) => Number(size(b) - size(a)));
  return directionIndexes.slice(0, most).map((directionIndex) => {
    const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = channels.policy(directionIndex);
    const from = (directionOfIndex(directionIndex) === 0 ? channels.node1 : channels.node2)[
      directionIndex >> 1
    ]!;
    const shortChannelId = channels.shortChannelId(directionIndex) as ShortChannelId;
    const toll = { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta };
    return [{ nodeId: nodes.idBytes(from).slice(), shortChannelId, ...toll }];
  });
}
