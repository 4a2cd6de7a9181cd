/**
 * What a forwarding node checks before it forwards an HTLC (BOLT 4, "Failure Messages", Requirements), and the failure
 * that it returns. The first failed check decides.
 */
import { encodeFailure } from '../../bolt/onion/failure.ts';
import type { Msat } from '../../model/msat.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { Outgoing, SimulatedChannels } from './channels.ts';

/** Minimum number of blocks until an HTLC expires. With fewer blocks left, a node does not offer the HTLC. */
export const MIN_BLOCKS_LEFT = 2;
/** Maximum number of blocks for which a node lets its funds be locked (BOLT 4, `max_htlc_cltv`). */
export const MAX_HTLC_CLTV = 2016;

/** The incoming HTLC, and what its onion requests. Amounts in msat, expiries and height in blocks. */
export interface ForwardRequest {
  readonly incomingMsat: Msat;
  readonly incomingExpiry: number;
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
  /** Chain height in the node's view. */
  readonly height: number;
  /** Whether the next node is connected. */
  readonly isConnected: boolean;
  /** Whether fee and delay were agreed beforehand, for a blinded path. If so, they are not checked here. */
  readonly isFeeAgreed: boolean;
}

/**
 * The failure message that the node returns. `undefined` when the node forwards.
 * @param update makes the `channel_update` of the direction.
 */
export function judgeForward(
  channels: SimulatedChannels,
  { directionIndex }: Outgoing,
  request: ForwardRequest,
  update: (directionIndex: number) => Uint8Array,
): Uint8Array | undefined {
  const { incomingMsat, incomingExpiry, amountMsat, cltvExpiry, height, isFeeAgreed } = request;
  const policy = channels.policy(directionIndex);
  if (!policy.enabled) {
    return encodeFailure('channel_disabled', { disabledFlags: 0, channelUpdate: update(directionIndex) });
  }
  if (cltvExpiry < height + MIN_BLOCKS_LEFT) {
    return encodeFailure('expiry_too_soon', { channelUpdate: update(directionIndex) });
  }
  if (cltvExpiry > height + MAX_HTLC_CLTV) return encodeFailure('expiry_too_far', {});
  if (!isFeeAgreed && incomingExpiry < cltvExpiry + policy.cltvExpiryDelta) {
    return encodeFailure('incorrect_cltv_expiry', { cltvExpiry, channelUpdate: update(directionIndex) });
  }
  const fee = forwardingFeeMsat(policy, amountMsat);
  if (!isFeeAgreed && incomingMsat < amountMsat + fee) {
    return encodeFailure('fee_insufficient', {
      htlcMsat: incomingMsat,
      channelUpdate: update(directionIndex),
    });
  }
  if (amountMsat < policy.htlcMinimumMsat) {
    return encodeFailure('amount_below_minimum', {
      htlcMsat: amountMsat,
      channelUpdate: update(directionIndex),
    });
  }
  const fits =
    amountMsat <= policy.htlcMaximumMsat &&
    amountMsat <= channels.balance(directionIndex) &&
    !channels.isFull(directionIndex);
  if (fits && request.isConnected) return undefined;
  return encodeFailure('temporary_channel_failure', { channelUpdate: update(directionIndex) });
}
