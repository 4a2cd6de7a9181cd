/** Node identities: compressed secp256k1 points, 33 bytes, written as 66 lower-case hex digits (BOLT 7). */

declare const kind: unique symbol;

/**
 * 66 lower-case hex digits. Code that receives ids from outside (RPC, wire) checks that the point lies on the curve.
 *
 * The codecs of `src/bolt` use bytes, as the wire does. All other code uses `NodeId`. Ids are converted once when a
 * decoded message leaves the codec, and once when a message enters it. A gossip message with an unchecked signature is
 * passed on without conversion. Points that need not be node ids stay bytes, and have different names: `payerId`,
 * `pathKey`, `blindedNodeId`, `offerIssuerId`, `invoiceNodeId`.
 */
export type NodeId = string & { readonly [kind]: 'node id' };

/** Length of a node id in bytes: a compressed point of secp256k1. */
export const NODE_ID_BYTES = 33;
/** First byte of a compressed point with even y. */
const EVEN_Y = 2;
const ODD_Y = 3;
const FORM = /^0[23][0-9a-f]{64}$/;

/** The id in a text, in either case. `undefined` for other text. Does not check that the point is on the curve. */
export function parseNodeId(text: string): NodeId | undefined {
  const lower = text.toLowerCase();
  return FORM.test(lower) ? (lower as NodeId) : undefined;
}

/** The id with these bytes. @throws RangeError unless they are 33 bytes that begin with 02 or 03. */
export function nodeIdFromBytes(bytes: Uint8Array): NodeId {
  const isPoint = bytes[0] === EVEN_Y || bytes[0] === ODD_Y;
  if (bytes.length !== NODE_ID_BYTES || !isPoint) throw new RangeError('not a node id');
  return Buffer.from(bytes.buffer, bytes.byteOffset, NODE_ID_BYTES).toString('hex') as NodeId;
}

/** The 33 bytes of a node id. */
export function nodeIdToBytes(id: NodeId): Uint8Array {
  return new Uint8Array(Buffer.from(id, 'hex'));
}
