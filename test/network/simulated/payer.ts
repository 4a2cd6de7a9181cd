/**
 * A simple payer for tests. It pays along given routes with real onions, and reads the failures that return. It
 * derives its secrets from attempt ids, so the same test sends the same bytes.
 */

import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { decodeFailure, type Failure } from '../../../src/bolt/onion/failure.ts';
import { unwrapFailurePacket } from '../../../src/bolt/onion/failure-packet.ts';
import { encodePayload, type HopPayload } from '../../../src/bolt/onion/payload.ts';
import { createOnion } from '../../../src/bolt/onion/sphinx.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import type { HtlcOutcome } from '../../../src/network/port.ts';
import type { HtlcOffer } from '../../../src/network/simulated/index.ts';

/** A hop: the channel that leads to a node, and the amount and expiry that arrive there. */
export interface RouteHop {
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
  readonly amountMsat: bigint;
  readonly cltvExpiry: number;
}

export interface BuiltAttempt {
  readonly offer: HtlcOffer;
  readonly preimage: Uint8Array;
  readonly sharedSecrets: readonly Uint8Array[];
}

/** 32 bytes derived from a number or text. */
export function secretOf(number: number | string): Uint8Array {
  return sha256(Buffer.from(`test secret ${number}`, 'utf8'));
}

/**
 * Builds an attempt along the route. `final` adds or replaces fields of the last payload. `alter` changes any
 * payload. The attempt is a keysend unless `final.keysendPreimage` is set to undefined.
 */
export function buildAttempt(
  attemptId: string,
  route: readonly RouteHop[],
  final: Partial<HopPayload> = {},
  alter: (payload: HopPayload, hop: number) => HopPayload = (payload) => payload,
): BuiltAttempt {
  const preimage = final.keysendPreimage ?? secretOf(`preimage ${attemptId}`);
  const paymentHash = sha256(preimage);
  const hops = route.map(({ nodeId }, hop) => {
    const next = route[hop + 1] ?? (route[hop] as RouteHop);
    const terms = { amtToForwardMsat: msat(next.amountMsat), outgoingCltvValue: next.cltvExpiry };
    const payload: HopPayload =
      hop + 1 < route.length
        ? { ...terms, shortChannelId: next.shortChannelId }
        : { ...terms, keysendPreimage: preimage, ...final };
    return { nodeId: nodeIdToBytes(nodeId), payload: encodePayload(alter(payload, hop)) };
  });
  const sessionKey = secretOf(`session ${attemptId}`);
  const { packet, sharedSecrets } = createOnion(hops, { sessionKey, associatedData: paymentHash });
  const first = route[0] as RouteHop;
  const offer: HtlcOffer = {
    shortChannelId: first.shortChannelId,
    amountMsat: msat(first.amountMsat),
    cltvExpiry: first.cltvExpiry,
    paymentHash,
    onion: packet,
    attemptId,
    groupId: 1n,
    partId: 1,
  };
  return { offer, preimage, sharedSecrets };
}

/** The failing node (0 is the first after us), and its failure. `undefined` if the packet is unreadable. */
export function readFailure(
  { sharedSecrets }: BuiltAttempt,
  outcome: HtlcOutcome,
): { hop: number; failure: Failure } | undefined {
  if (outcome.status !== 'failed') throw new Error(`the attempt ${outcome.status}`);
  const { hopIndex, failure } = unwrapFailurePacket(sharedSecrets, outcome.packet);
  return hopIndex === undefined || failure === undefined
    ? undefined
    : { hop: hopIndex, failure: decodeFailure(failure) };
}
