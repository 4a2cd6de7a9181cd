/**
 * Made-up values for the chain and the connections of a simulated network. The network has no transactions, scripts or
 * addresses, but lists must show some. Each value follows a rule, so it is the same at every start, and cannot be
 * mistaken for real data:
 *
 *   funding txid      SHA-256 twice over `fulgurite simulated funding` || short channel id (8 bytes); output 0
 *   commitment txid   SHA-256 twice over `fulgurite simulated commitment` || funding hash || our msat (8 bytes)
 *   channel type      the feature bits of channel types that both ends offer in `init` (BOLT 9): none, since no
 *                     commitment transactions are made
 *   shutdown script   OP_RETURN `simulated`: unspendable
 *   peer's address    2001:db8::/32 (RFC 3849: for documentation, never routed), completed with bytes 1 to 12 of
 *                     the node id; port 9735
 */
import { concatBytes, fromHex, toHex } from '../../bolt/bytes.ts';
import { doubleSha256 } from '../../bolt/crypto/hashes.ts';
import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import type { Msat } from '../../model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../../model/node-id.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';

/** Even bits that can be part of a `channel_type` (BOLT 2): remote key, anchors, alias, zero conf. */
const CHANNEL_TYPE_BITS: readonly number[] = [
  FEATURE.option_static_remotekey,
  FEATURE.option_anchor_outputs,
  FEATURE.option_anchors,
  FEATURE.option_scid_alias,
  FEATURE.option_zeroconf,
];

/** OP_RETURN and a push of nine bytes. */
export const SHUTDOWN_SCRIPT = concatBytes(Uint8Array.of(0x6a, 9), ascii('simulated'));

const ADDRESS_PREFIX = '20010db8';
const ADDRESS_BYTES_OF_ID = 12;
const PORT = 9735;

/** The funding transaction's id in the usual form: hex, with the last byte of the hash first. */
export function simulatedFundingTxid(shortChannelId: ShortChannelId): string {
  return txid(ascii('fulgurite simulated funding'), u64(shortChannelId));
}

/** Id of the commitment transaction that gives us this amount. */
export function simulatedCommitmentTxid(fundingTxid: string, toUsMsat: Msat): string {
  return txid(ascii('fulgurite simulated commitment'), fromHex(fundingTxid).reverse(), u64(toUsMsat));
}

/** The channel type that two nodes with these `init` features agree on. */
export function channelTypeOf(ours: Uint8Array, theirs: Uint8Array): number[] {
  return CHANNEL_TYPE_BITS.filter((bit) => hasFeature(ours, bit) && hasFeature(theirs, bit));
}

/** The address of the node's end of a connection, as `[IPV6]:PORT`. */
export function simulatedAddress(nodeId: NodeId): string {
  const digits = ADDRESS_PREFIX + toHex(nodeIdToBytes(nodeId).subarray(1, 1 + ADDRESS_BYTES_OF_ID));
  const groups = digits.match(/.{4}/g) as string[];
  const address = groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
  return `[${address}]:${PORT}`;
}

function txid(...parts: readonly Uint8Array[]): string {
  return toHex(doubleSha256(...parts).reverse());
}

function ascii(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'ascii'));
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}
