/**
 * Makes the onion for an HTLC of ours (BOLT 4, "Packet Construction"). It tells every node what to forward,
 * over which channel and until when, and tells the last one what it gets.
 */
import { encodePayload, type HopPayload } from '../../bolt/payload.ts';
import { type OnionHop, onionSecrets } from '../../bolt/sphinx.ts';
import { nodeIdToBytes } from '../../model/node-id.ts';
import type { HtlcHop, OutgoingHtlc } from '../port.ts';

/** The onion's hops, in order. */
export function onionHops({ path, finalPayload }: Pick<OutgoingHtlc, 'path' | 'finalPayload'>): OnionHop[] {
  return path.map((hop, index) => ({
    nodeId: nodeIdToBytes(hop.nodeId),
    payload: encodePayload(payloadFor(hop, path[index + 1], finalPayload)),
  }));
}

function payloadFor(
  hop: HtlcHop,
  next: HtlcHop | undefined,
  finalPayload: OutgoingHtlc['finalPayload'],
): HopPayload {
  const { amountMsat, cltvExpiry } = next ?? hop;
  const terms = { amtToForwardMsat: amountMsat, outgoingCltvValue: cltvExpiry };
  return next === undefined
    ? { ...terms, ...finalPayload }
    : { ...terms, shortChannelId: next.shortChannelId };
}

/**
 * The secrets shared with each node of the path, in order. They decrypt the failure that one of the nodes
 * returns.
 */
export function failureSecrets({
  path,
  sessionKey,
}: Pick<OutgoingHtlc, 'path' | 'sessionKey'>): Uint8Array[] {
  return onionSecrets(
    path.map(({ nodeId }) => nodeIdToBytes(nodeId)),
    sessionKey,
  );
}
