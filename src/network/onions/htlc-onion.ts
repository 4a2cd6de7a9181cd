/**
 * Builds the onion for our HTLC (BOLT 4, "Packet Construction"). For each forwarding node, the onion contains the
 * amount to forward, the channel and the expiry; for the last node, it contains what that node receives. After the
 * introduction node of a blinded path, layers are addressed to blinded ids. They contain what the recipient has
 * encrypted for each node, and the last one also contains the final payload.
 */
import { encodePayload, type HopPayload } from '../../bolt/onion/payload.ts';
import { type OnionHop, onionSecrets } from '../../bolt/onion/sphinx.ts';
import { nodeIdToBytes } from '../../model/node-id.ts';
import type { BlindedEnd, HtlcHop, OutgoingHtlc } from '../port.ts';

type OnionParts = Pick<OutgoingHtlc, 'path' | 'finalPayload' | 'blindedEnd'>;

/** The onion's hops, in order. */
export function onionHops({ path, finalPayload, blindedEnd }: OnionParts): OnionHop[] {
  const known = blindedEnd === undefined ? path : path.slice(0, -1);
  const hops = known.map((hop, index) => ({
    nodeId: nodeIdToBytes(hop.nodeId),
    payload: encodePayload(payloadFor(hop, path[index + 1], finalPayload)),
  }));
  return blindedEnd === undefined ? hops : [...hops, ...blindedHops(path.at(-1)!, blindedEnd, finalPayload)];
}

function payloadFor(
  hop: HtlcHop,
  next: HtlcHop | undefined,
  finalPayload: OutgoingHtlc['finalPayload'],
): HopPayload {
  const { amountMsat, cltvExpiry } = next ?? hop;
  return {
    amtToForwardMsat: amountMsat,
    outgoingCltvValue: cltvExpiry,
    ...(next === undefined ? finalPayload : { shortChannelId: next.shortChannelId }),
  };
}

/**
 * The first layer is addressed to the id of the introduction node, and contains the path key. The other layers are
 * addressed to blinded ids.
 */
function blindedHops(
  introduction: HtlcHop,
  { hops, firstPathKey, amountMsat, cltvExpiry }: BlindedEnd,
  finalPayload: OutgoingHtlc['finalPayload'],
): OnionHop[] {
  return hops.map(({ blindedNodeId, encryptedRecipientData }, index) => {
    const isFirst = index === 0;
    const isLast = index === hops.length - 1;
    const payload = encodePayload({
      encryptedRecipientData,
      ...(isFirst && { currentPathKey: firstPathKey }),
      ...(isLast && { amtToForwardMsat: amountMsat, outgoingCltvValue: cltvExpiry, ...finalPayload }),
    });
    return { nodeId: isFirst ? nodeIdToBytes(introduction.nodeId) : blindedNodeId, payload };
  });
}

/** The secrets shared with each node of the onion, in order. They decrypt a returned failure. */
export function failureSecrets({
  path,
  sessionKey,
  blindedEnd,
}: Pick<OutgoingHtlc, 'path' | 'sessionKey' | 'blindedEnd'>): readonly Uint8Array[] {
  const beyond = blindedEnd?.hops.slice(1).map(({ blindedNodeId }) => blindedNodeId) ?? [];
  return onionSecrets([...path.map(({ nodeId }) => nodeIdToBytes(nodeId)), ...beyond], sessionKey);
}
