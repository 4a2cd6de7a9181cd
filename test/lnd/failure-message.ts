/**
 * Failures of HTLCs as LND reports them (`marshallError` of routerrpc): decrypted, and with LND's own failure
 * numbers.
 */
import { decodeFailure, type FailureFields, type FailureName } from '../../src/bolt/onion/failure.ts';
import { unwrapFailurePacket } from '../../src/bolt/onion/failure-packet.ts';
import { embeddedChannelUpdate } from '../../src/bolt/peer/gossip-messages.ts';
import type { ChannelOutcome } from '../lightningd/channeld.ts';
import type { FailureMessage } from './payment-table.ts';

/** `lnrpc.Failure.FailureCode` by BOLT 4's names. */
const CODES: Readonly<Record<FailureName, number>> = {
  incorrect_or_unknown_payment_details: 1,
  final_incorrect_cltv_expiry: 3,
  final_incorrect_htlc_amount: 4,
  expiry_too_soon: 7,
  invalid_onion_version: 8,
  invalid_onion_hmac: 9,
  invalid_onion_key: 10,
  amount_below_minimum: 11,
  fee_insufficient: 12,
  incorrect_cltv_expiry: 13,
  channel_disabled: 14,
  temporary_channel_failure: 15,
  required_node_feature_missing: 16,
  required_channel_feature_missing: 17,
  unknown_next_peer: 18,
  temporary_node_failure: 19,
  permanent_node_failure: 20,
  permanent_channel_failure: 21,
  expiry_too_far: 22,
  mpp_timeout: 23,
  invalid_onion_payload: 24,
  invalid_onion_blinding: 25,
};
const UNKNOWN_FAILURE = 998;
const UNREADABLE_FAILURE = 999;

/** A failure of our own link. */
export const localFailure = (name: FailureName): FailureMessage => ({
  code: CODES[name],
  failure_source_index: 0,
});

/** LND adds its own channel update, which we do not use. */
export const OWN_UPDATE = { channel_update: { chan_id: '1', timestamp: 1 } };

/** The failure of an HTLC that did not settle. */
export function failureMessage(
  outcome: Exclude<ChannelOutcome, { status: 'settled' }>,
  secrets: readonly Uint8Array[],
): FailureMessage {
  if (outcome.status === 'local') {
    return { ...localFailure('temporary_channel_failure'), ...OWN_UPDATE };
  }
  if (outcome.status === 'refused') {
    // Our first peer could not read the onion, so it failed the HTLC without encryption.
    const { name } = decodeFailure(Uint8Array.of(outcome.failureCode >> 8, outcome.failureCode & 0xff));
    return { code: name === undefined ? UNKNOWN_FAILURE : CODES[name], failure_source_index: 1 };
  }
  const { hopIndex, failure } = unwrapFailurePacket(secrets, outcome.packet);
  if (hopIndex === undefined) return { code: UNREADABLE_FAILURE, failure_source_index: 0 };
  const failure_source_index = hopIndex + 1;
  if (failure === undefined) return { code: UNKNOWN_FAILURE, failure_source_index };
  const { name, fields } = decodeFailure(failure);
  if (name === undefined) return { code: UNKNOWN_FAILURE, failure_source_index };
  const members = membersOf(fields);
  // LND reports the height in the recipient's refusal, but not the amount.
  if (name === 'incorrect_or_unknown_payment_details') delete members.htlc_msat;
  if (name === 'invalid_onion_blinding') delete members.onion_sha_256;
  return { code: CODES[name], failure_source_index, ...members };
}

function membersOf(fields: FailureFields): Record<string, unknown> {
  const { htlcMsat, cltvExpiry, height, disabledFlags, sha256OfOnion, channelUpdate } = fields;
  const update = channelUpdate && embeddedChannelUpdate(channelUpdate);
  return {
    ...(htlcMsat !== undefined && { htlc_msat: String(htlcMsat) }),
    ...(cltvExpiry !== undefined && { cltv_expiry: cltvExpiry }),
    ...(height !== undefined && { height }),
    ...(disabledFlags !== undefined && { flags: disabledFlags }),
    ...(sha256OfOnion !== undefined && { onion_sha_256: sha256OfOnion }),
    ...(update && {
      channel_update: {
        signature: update.signature,
        chain_hash: update.chainHash,
        chan_id: String(update.shortChannelId),
        timestamp: update.timestamp,
        channel_flags: update.channelFlags,
        time_lock_delta: update.cltvExpiryDelta,
        htlc_minimum_msat: String(update.htlcMinimumMsat),
        base_fee: update.feeBaseMsat,
        fee_rate: update.feeProportionalMillionths,
        message_flags: update.messageFlags,
        htlc_maximum_msat: String(update.htlcMaximumMsat),
        extra_opaque_data: update.extra,
      },
    }),
  };
}
