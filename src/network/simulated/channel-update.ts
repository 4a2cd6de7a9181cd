/** The `channel_update` that a simulated node puts into a failure (BOLT 4 and BOLT 7). */

import { fromHex } from '../../bolt/bytes.ts';
import { SIGNATURE_BYTES } from '../../bolt/crypto/curve.ts';
import { createChannelUpdate, encodeChannelUpdate } from '../../bolt/peer/gossip-messages.ts';
import { directionOfIndex, type SimulatedChannels } from './channels.ts';

/** Hash of Bitcoin's genesis block, in the byte order of BOLT 7's `chain_hash` (BOLT 0). */
export const MAINNET_CHAIN_HASH = fromHex('6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000');

const NO_SIGNATURE = new Uint8Array(SIGNATURE_BYTES);
const NO_EXTRA = new Uint8Array(0);
const MUST_BE_ONE = 1;
const DISABLED = 2;

/**
 * A `channel_update` with the current policy of a direction. It begins with the message type, as BOLT 4 requires.
 * @param secretKey signs the update. Without a key, the signature is zeros.
 */
export function updateOf(
  channels: SimulatedChannels,
  directionIndex: number,
  secretKey?: Uint8Array,
): Uint8Array {
  const { enabled, ...policy } = channels.policy(directionIndex);
  const terms = {
    ...policy,
    chainHash: MAINNET_CHAIN_HASH,
    shortChannelId: channels.shortChannelId(directionIndex),
    timestamp: channels.policyTimestamp(directionIndex),
  };
  const direction = directionOfIndex(directionIndex);
  if (secretKey !== undefined)
    return createChannelUpdate({ ...terms, direction, isDisabled: !enabled }, secretKey);
  const channelFlags = direction | (enabled ? 0 : DISABLED);
  return encodeChannelUpdate({
    ...terms,
    signature: NO_SIGNATURE,
    messageFlags: MUST_BE_ONE,
    channelFlags,
    extra: NO_EXTRA,
  });
}
