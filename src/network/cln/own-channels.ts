/**
 * Rows of `listpeerchannels` as our own channels. A row that lacks something that routing needs is skipped,
 * and the log names it. Other rows are not affected.
 *
 *     usable = peer connected, and state normal or with a splice under way
 *     id     = the real short channel id, else our alias
 */
import { FulguriteError } from '../../model/errors.ts';
import { msat, U64_MAX, ZERO_MSAT } from '../../model/msat.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { PolicyTerms } from '../../model/policy.ts';
import { plainValue } from '../../rpc/json-token.ts';
import type { ChannelPhase, ChannelPhaseChange, HtlcTotals, OwnChannelRecord, OwnHtlc } from '../port.ts';
import type { Members } from './answer.ts';

const POLICY_MEMBERS = {
  htlc_minimum_msat: true,
  htlc_maximum_msat: true,
  cltv_expiry_delta: true,
  fee_base_msat: true,
  fee_proportional_millionths: true,
};

/** The members that routing needs: a quarter of the list. */
export const CHANNEL_FILTER = {
  channels: [
    {
      peer_id: true,
      peer_connected: true,
      state: true,
      short_channel_id: true,
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
/** Stands for a limit that the peer, or an old node, does not set. */
const NO_LIMIT = msat(U64_MAX);

/** The channels of an answer. @param skipped is called with the reason for each row that cannot be read. */
export function ownChannelsOf(answer: Members, skipped: (why: string) => void): OwnChannel[] {
  return readable(answer, ownChannelOf, skipped);
}

/** The peers of an answer that have a channel in normal operation and are not connected. */
export function absentPeersOf(answer: Members): ReadonlySet<string> {
  const absent = answer
    .objects('channels')
    .filter((row) => !row.flag('peer_connected') && USABLE.has(row.text('state') ?? ''));
  return new Set(absent.map((row) => row.text('peer_id') ?? ''));
}

/** The channels of an unfiltered answer, for listings. */
export function ownChannelRecordsOf(answer: Members, skipped: (why: string) => void): OwnChannelRecord[] {
  return readable(answer, recordOf, skipped);
}

function readable<T>(answer: Members, read: (row: Members) => T, skipped: (why: string) => void): T[] {
  return answer.objects('channels').flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      skipped(`a channel with ${row.text('peer_id') ?? 'a peer without id'} is left out: ${error.message}`);
      return [];
    }
  });
}

function ownChannelOf(row: Members): OwnChannel {
  return {
    peerId: row.requireNodeId('peer_id'),
    shortChannelId: row.shortChannelId('short_channel_id') ?? row.object('alias')?.shortChannelId('local'),
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
  const amount = (name: string) => row.amount(name) ?? ZERO_MSAT;
  const funding = row.object('funding');
  const alias = row.object('alias');
  return {
    ...ownChannelOf(row),
    asShown: Object.fromEntries(row.entries().map(([name, value]) => [name, plainValue(value, BigInt)])),
    phase: phaseOf(row.requireText('state')),
    phaseChanges: row.objects('state_changes').map(phaseChangeOf),
    closedBy: sideOf(row.text('closer')),
    owner: row.text('owner'),
    lastStableConnectionMs: inMs(row.number('last_stable_connection')),
    fundingTxid: row.text('funding_txid') ?? '',
    fundingOutputIndex: row.number('funding_outnum') ?? 0,
    commitmentTxid: row.text('scratch_txid') ?? '',
    commitmentFeeMsat: amount('last_tx_fee_msat'),
    channelType: channelTypeOf(row),
    localFundsMsat: funding?.amount('local_funds_msat') ?? ZERO_MSAT,
    remoteFundsMsat: funding?.amount('remote_funds_msat') ?? ZERO_MSAT,
    pushedMsat: funding?.amount('pushed_msat') ?? ZERO_MSAT,
    toUsMsat: amount('to_us_msat'),
    minToUsMsat: amount('min_to_us_msat'),
    maxToUsMsat: amount('max_to_us_msat'),
    dustLimitMsat: amount('dust_limit_msat'),
    ourReserveMsat: amount('our_reserve_msat'),
    theirReserveMsat: amount('their_reserve_msat'),
    ourToSelfDelay: row.number('our_to_self_delay') ?? 0,
    theirToSelfDelay: row.number('their_to_self_delay') ?? 0,
    maxAcceptedHtlcs: row.number('max_accepted_htlcs') ?? 0,
    shutdownScript: row.bytes('close_to'),
    localAlias: alias?.shortChannelId('local'),
    remoteAlias: alias?.shortChannelId('remote'),
    incoming: totalsOf(row, 'in'),
    outgoing: totalsOf(row, 'out'),
    htlcs: row.objects('htlcs').map(htlcOf),
  };
}

function phaseOf(state: string): ChannelPhase {
  if (USABLE.has(state)) return 'normal';
  return OPENING.test(state) ? 'opening' : 'onchain';
}

function phaseChangeOf(change: Members): ChannelPhaseChange {
  const cause = change.text('cause');
  return {
    atMs: Date.parse(change.text('timestamp') ?? '') || 0,
    from: phaseOf(change.text('old_state') ?? ''),
    to: phaseOf(change.text('new_state') ?? ''),
    cause:
      cause === 'user' || cause === 'local' || cause === 'remote' || cause === 'onchain' ? cause : 'protocol',
    message: change.text('message') ?? '',
  };
}

const sideOf = (side: string | undefined): 'local' | 'remote' | undefined =>
  side === 'local' || side === 'remote' ? side : undefined;

const inMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

function channelTypeOf(row: Members): number[] {
  const bits = row.object('channel_type')?.get('bits')?.elements() ?? [];
  return bits.map((bit) => Number(bit.raw));
}

function totalsOf(row: Members, way: 'in' | 'out'): HtlcTotals {
  return {
    offeredCount: row.number(`${way}_payments_offered`) ?? 0,
    offeredMsat: row.amount(`${way}_offered_msat`) ?? ZERO_MSAT,
    fulfilledCount: row.number(`${way}_payments_fulfilled`) ?? 0,
    fulfilledMsat: row.amount(`${way}_fulfilled_msat`) ?? ZERO_MSAT,
  };
}

function htlcOf(htlc: Members): OwnHtlc {
  return {
    direction: htlc.text('direction') === 'in' ? 'in' : 'out',
    id: htlc.number('id') ?? 0,
    amountMsat: htlc.amount('amount_msat') ?? ZERO_MSAT,
    cltvExpiry: htlc.number('expiry') ?? 0,
    paymentHash: htlc.bytes('payment_hash'),
  };
}
