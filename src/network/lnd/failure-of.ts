/**
 * How LND reports that an HTLC failed (`lnrpc.Failure`). LND decrypts the failure itself and reports which node failed
 * the HTLC, with a code from its own enumeration.
 *
 * | index | code | meaning here |
 * |---|---|---|
 * | any | 999 | an unreadable failure |
 * | any | 997 | an internal failure of LND: our own node refused the HTLC |
 * | 0 | others | our own node or its link refused the HTLC |
 * | i ≥ 1 | 998 | node i failed it, with a message that LND does not know: treated as a permanent node failure |
 * | i ≥ 1 | others | node i failed it, with the BOLT 4 failure of this code |
 */

import { FAILURES, type Failure, type FailureFields, type FailureName } from '../../bolt/onion/failure.ts';
import { encodeChannelUpdate } from '../../bolt/peer/gossip-messages.ts';
import { msat } from '../../model/msat.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { HtlcOutcome, RefusalCause } from '../port.ts';
import { type FailureRow, HTLC_STATUS, type HtlcAttempt, type WireUpdate } from './answers.ts';

/** LND's numbers for failures that BOLT 4 does not define. */
const INTERNAL = 997;
const UNKNOWN_TEXT = 998;
const UNREADABLE = 999;

/** BOLT 4's names for LND's numbers (`lnrpc.Failure.FailureCode`). */
const NAMES: Readonly<Record<number, FailureName>> = {
  1: 'incorrect_or_unknown_payment_details',
  3: 'final_incorrect_cltv_expiry',
  4: 'final_incorrect_htlc_amount',
  7: 'expiry_too_soon',
  8: 'invalid_onion_version',
  9: 'invalid_onion_hmac',
  10: 'invalid_onion_key',
  11: 'amount_below_minimum',
  12: 'fee_insufficient',
  13: 'incorrect_cltv_expiry',
  14: 'channel_disabled',
  15: 'temporary_channel_failure',
  16: 'required_node_feature_missing',
  17: 'required_channel_feature_missing',
  18: 'unknown_next_peer',
  19: 'temporary_node_failure',
  20: 'permanent_node_failure',
  21: 'permanent_channel_failure',
  22: 'expiry_too_far',
  23: 'mpp_timeout',
  24: 'invalid_onion_payload',
  25: 'invalid_onion_blinding',
};

/**
 * Codes that were once in BOLT 4, by LND's number: incorrect_payment_amount (PERM|16), final_expiry_too_soon (17),
 * invalid_realm (PERM|1).
 */
const HISTORIC: Readonly<Record<number, number>> = { 2: 0x4010, 5: 17, 6: 0x4001 };

/** Why our own node refused an HTLC, by LND's number. */
const CAUSES: Readonly<Record<number, RefusalCause>> = {
  7: 'expiry',
  11: 'tooSmall',
  13: 'expiry',
  14: 'peerAway',
  15: 'balance',
  18: 'peerAway',
  22: 'expiry',
};

/** How the port represents an unreadable failure: as an empty packet. */
const UNREADABLE_PACKET: HtlcOutcome = { status: 'failed', packet: new Uint8Array(0) };

/** How our HTLC ended. Undefined while it is in flight. */
export function outcomeOf({ status, failure, preimage }: HtlcAttempt): HtlcOutcome | undefined {
  if (status === HTLC_STATUS.succeeded) return { status: 'settled', preimage: Uint8Array.from(preimage) };
  if (status !== HTLC_STATUS.failed) return undefined;
  return failure === null ? UNREADABLE_PACKET : outcomeOfFailure(failure);
}

function outcomeOfFailure(row: FailureRow): HtlcOutcome {
  const { code, failure_source_index: sourceIndex } = row;
  if (code === UNREADABLE) return UNREADABLE_PACKET;
  if (sourceIndex === 0 || code === INTERNAL) return refusal(code);
  return { status: 'decoded', sourceIndex, failure: failureOf(row) };
}

function refusal(code: number): HtlcOutcome {
  const name = NAMES[code] ?? 'temporary_node_failure';
  const cause = CAUSES[code];
  return {
    status: 'refused',
    failureCode: FAILURES[name].code,
    reason:
      code === INTERNAL ? 'LND had an internal failure' : `LND failed the HTLC on its own channel: ${name}`,
    ...(cause !== undefined && { cause }),
  };
}

function failureOf(row: FailureRow): Failure {
  const historic = HISTORIC[row.code];
  if (historic !== undefined)
    return { code: historic, name: undefined, fields: {}, isComplete: true, tlvs: [] };
  const name = NAMES[row.code] ?? 'permanent_node_failure';
  const { code, fields: wanted } = FAILURES[name];
  const all = fieldsOf(row);
  // LND reports the height in a recipient's refusal, but not the amount.
  const told = wanted.filter((field) => field !== 'htlcMsat' || all.htlcMsat !== 0n);
  const fields = Object.fromEntries(told.map((field) => [field, all[field]]));
  return { code, name, fields, isComplete: row.code !== UNKNOWN_TEXT, tlvs: [] };
}

/**
 * The fields of a failure, as far as LND reports them. For an invalid_onion_payload, LND reports neither type nor
 * offset.
 */
function fieldsOf(row: FailureRow): FailureFields {
  const { channel_update: update } = row;
  return {
    sha256OfOnion: Uint8Array.from(row.onion_sha_256),
    htlcMsat: msat(BigInt(row.htlc_msat)),
    cltvExpiry: row.cltv_expiry,
    height: row.height,
    disabledFlags: row.flags,
    channelUpdate: update === null ? new Uint8Array(0) : wireUpdate(update),
  };
}

/** The update in wire format (BOLT 7, `channel_update`). */
function wireUpdate(update: WireUpdate): Uint8Array {
  return encodeChannelUpdate({
    signature: update.signature,
    chainHash: update.chain_hash,
    shortChannelId: BigInt(update.chan_id) as ShortChannelId,
    timestamp: update.timestamp,
    messageFlags: update.message_flags,
    channelFlags: update.channel_flags,
    cltvExpiryDelta: update.time_lock_delta,
    htlcMinimumMsat: msat(BigInt(update.htlc_minimum_msat)),
    htlcMaximumMsat: msat(BigInt(update.htlc_maximum_msat)),
    feeBaseMsat: update.base_fee,
    feeProportionalMillionths: update.fee_rate,
    extra: update.extra_opaque_data,
  });
}
