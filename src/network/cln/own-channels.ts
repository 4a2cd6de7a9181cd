/**
 * Reads the rows of `listpeerchannels` as our own channels. A row that lacks a member that routing needs is skipped and
 * logged, without affecting other rows.
 *
 *     usable = peer connected, and state normal or with a splice in progress
 *     id     = the real short channel id, else our alias
 */
import { FulguriteError } from '../../model/errors.ts';
import { msat, U64_MAX, ZERO_MSAT } from '../../model/msat.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { PolicyTerms } from '../../model/policy.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { plainValue } from '../../rpc/json-token.ts';
import type { ChannelPhase, OwnChannelRecord } from '../port.ts';
import type { Members } from './answer.ts';

const POLICY_MEMBERS = {
  htlc_minimum_msat: true,
  htlc_maximum_msat: true,
  cltv_expiry_delta: true,
  fee_base_msat: true,
  fee_proportional_millionths: true,
};

/** The members that routing needs: about a quarter of the full answer. */
export const CHANNEL_FILTER = {
  channels: [
    {
      peer_id: true,
      peer_connected: true,
      state: true,
      short_channel_id: true,
      channel_id: true,
      alias: { local: true },
      opener: true,
      total_msat: true,
      spendable_msat: true,
      receivable_msat: true,
      their_max_htlc_value_in_flight_msat: true,
      our_max_htlc_value_in_flight_msat: true,
      feerate: { perkw: true },
      updates: { local: POLICY_MEMBERS, remote: POLICY_MEMBERS },
    },
  ],
};

const USABLE: ReadonlySet<string> = new Set(['CHANNELD_NORMAL', 'CHANNELD_AWAITING_SPLICE']);
const OPENING = /^(?:OPENINGD|DUALOPEND_|CHANNELD_AWAITING_LOCKIN)/;
/** The limit when none is set, or when an old node does not report it. */
const NO_LIMIT = msat(U64_MAX);

/** The channels of an answer. @param skipped called with the reason for each unreadable row */
export function ownChannelsOf(answer: Members, skipped: (why: string) => void): OwnChannel[] {
  return readable(answer, ownChannelOf, skipped);
}

/** The peers in an answer that have a channel in normal operation but are not connected. */
export function absentPeersOf(answer: Members): ReadonlySet<string> {
  const absent = answer
    .objects('channels')
    .filter((row) => !row.flag('peer_connected') && USABLE.has(row.text('state') ?? ''));
  return new Set(absent.map((row) => row.text('peer_id') ?? ''));
}

/**
 * Ids of channels with a splice in progress. The funding of such a channel may already be spent, but both sides use the
 * channel until the splice is buried.
 */
export function splicedOf(answer: Members): ReadonlySet<ShortChannelId | undefined> {
  const rows = answer.objects('channels').filter((row) => row.text('state') === 'CHANNELD_AWAITING_SPLICE');
  return new Set(rows.map((row) => row.shortChannelId('short_channel_id')));
}

/** The channels of an unfiltered answer, with all the details for `listpeerchannels`. */
export function ownChannelRecordsOf(answer: Members, skipped: (why: string) => void): OwnChannelRecord[] {
  return readable(answer, recordOf, skipped);
}

function readable<T>(answer: Members, read: (row: Members) => T, skipped: (why: string) => void): T[] {
  return answer.objects('channels').flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      skipped(`a channel with ${row.text('peer_id') ?? 'a peer without id'} was skipped: ${error.message}`);
      return [];
    }
  });
}

function ownChannelOf(row: Members): OwnChannel {
  return {
    peerId: row.requireNodeId('peer_id'),
    shortChannelId: row.shortChannelId('short_channel_id') ?? row.object('alias')?.shortChannelId('local'),
    channelId: row.text('channel_id'),
    capacityMsat: row.amount('total_msat') ?? ZERO_MSAT,
    spendableMsat: row.amount('spendable_msat') ?? ZERO_MSAT,
    receivableMsat: row.amount('receivable_msat') ?? ZERO_MSAT,
    theirMaxInFlightMsat: row.amount('their_max_htlc_value_in_flight_msat') ?? NO_LIMIT,
    ourMaxInFlightMsat: row.amount('our_max_htlc_value_in_flight_msat') ?? NO_LIMIT,
    usable: row.flag('peer_connected') && USABLE.has(row.requireText('state')),
    localPolicy: policyOf(row.object('updates')?.object('local')),
    remotePolicy: policyOf(row.object('updates')?.object('remote')),
    openedByUs: row.text('opener') === 'local',
    feeratePerKw: row.object('feerate')?.number('perkw') ?? 0,
  };
}

function policyOf(policy: Members | undefined): PolicyTerms | undefined {
  if (policy === undefined) return undefined;
  return {
    htlcMinimumMsat: policy.requireAmount('htlc_minimum_msat'),
    htlcMaximumMsat: policy.requireAmount('htlc_maximum_msat'),
    feeBaseMsat: policy.requireAmount('fee_base_msat'),
    feeProportionalMillionths: policy.requireNumber('fee_proportional_millionths'),
    cltvExpiryDelta: policy.requireNumber('cltv_expiry_delta'),
  };
}

function recordOf(row: Members): OwnChannelRecord {
  return {
    ...ownChannelOf(row),
    asShown: Object.fromEntries(row.entries().map(([name, value]) => [name, plainValue(value, BigInt)])),
    phase: phaseOf(row.requireText('state')),
    fundingTxid: row.text('funding_txid') ?? '',
    fundingOutputIndex: row.number('funding_outnum') ?? 0,
    toUsMsat: row.amount('to_us_msat') ?? ZERO_MSAT,
  };
}

function phaseOf(state: string): ChannelPhase {
  if (USABLE.has(state)) return 'normal';
  return OPENING.test(state) ? 'opening' : 'onchain';
}
