/**
 * The checks that a forwarding node makes of an HTLC, in the order of BOLT 4 ("Failure Messages"), and the resulting
 * failure. The simulated network with real onions (src/network/simulated/forwarding.ts) is the reference for this
 * model, and checks in the same order.
 */
import { fromHex } from '../../bolt/bytes.ts';
import { FAILURES, type Failure, type FailureFields, type FailureName } from '../../bolt/onion/failure.ts';
import { encodeChannelUpdate } from '../../bolt/peer/gossip-messages.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { TruePolicies } from './policies.ts';
import type { TrueChannels } from './true-channels.ts';

/** Minimum number of blocks that must be left until an HTLC expires. */
const MIN_BLOCKS_LEFT = 2;
/** Maximum number of blocks for which a node locks its funds (BOLT 4, `max_htlc_cltv`). */
const MAX_HTLC_CLTV = 2016;
/** Hash of Bitcoin's genesis block, in the byte order of BOLT 7's `chain_hash` (BOLT 0). */
const MAINNET_CHAIN_HASH = fromHex('6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000');
const NO_SIGNATURE = new Uint8Array(64);
const NO_EXTRA = new Uint8Array(0);
const MUST_BE_ONE = 1;
const DISABLED = 2;

/** The incoming HTLC, and the instructions in its onion. Amounts are in msat, expiries and heights in blocks. */
export interface Forward {
  readonly direction: number;
  readonly incomingMsat: bigint;
  readonly incomingExpiry: number;
  readonly amountMsat: bigint;
  readonly cltvExpiry: number;
  readonly height: number;
  /** Whether the next node is online. */
  readonly isConnected: boolean;
}

/** A failure, in the form that a reader of the failure message decodes. */
export const failureOf = (name: FailureName, fields: FailureFields = {}): Failure => ({
  name,
  code: FAILURES[name].code,
  fields,
  isComplete: true,
  tlvs: [],
});

/** Checks an HTLC. Returns the failure; undefined if the node forwards the HTLC. */
export function judgeForward(
  channels: TrueChannels,
  policies: TruePolicies,
  forward: Forward,
): Failure | undefined {
  const { direction, incomingMsat, incomingExpiry, amountMsat, cltvExpiry, height, isConnected } = forward;
  const { graph } = channels;
  const withUpdate = (name: FailureName): Failure =>
    failureOf(name, { channelUpdate: updateOf(channels, policies, direction) });
  if (!policies.isEnabled(direction)) return withUpdate('channel_disabled');
  if (cltvExpiry < height + MIN_BLOCKS_LEFT) return withUpdate('expiry_too_soon');
  if (cltvExpiry > height + MAX_HTLC_CLTV) return failureOf('expiry_too_far');
  if (incomingExpiry < cltvExpiry + graph.cltvExpiryDelta[direction]!)
    return withUpdate('incorrect_cltv_expiry');
  if (incomingMsat < amountMsat + policies.feeMsat(direction, amountMsat))
    return withUpdate('fee_insufficient');
  if (amountMsat < graph.htlcMinimumMsat[direction]!) return withUpdate('amount_below_minimum');
  const fits =
    amountMsat <= graph.htlcMaximumMsat[direction]! && channels.refusal(direction, amountMsat) === undefined;
  return fits && isConnected ? undefined : withUpdate('temporary_channel_failure');
}

/** The unsigned `channel_update` of the actual policy, preceded by its type (BOLT 4 and BOLT 7). */
function updateOf({ graph }: TrueChannels, policies: TruePolicies, direction: number): Uint8Array {
  const { enabled, ...terms } = policies.policy(direction);
  return encodeChannelUpdate({
    ...terms,
    chainHash: MAINNET_CHAIN_HASH,
    shortChannelId: graph.shortChannelIds[direction >>> 1]! as ShortChannelId,
    timestamp: 0,
    signature: NO_SIGNATURE,
    messageFlags: MUST_BE_ONE,
    channelFlags: (direction & 1) | (enabled ? 0 : DISABLED),
    extra: NO_EXTRA,
  });
}
