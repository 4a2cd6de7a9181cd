/**
 * One of our channels in a simulated network, with all the details for `listpeerchannels`.
 *
 * We opened the channel, paid for all of it, and gave the peer its share. There are no commitment transactions, so
 * there is no dust and no fee, and our balance in a closed channel is available immediately. Both ends use the short
 * channel id for HTLCs, so it is also their alias.
 */
import { type Msat, msat, ZERO_MSAT } from '../../../model/msat.ts';
import type { OwnChannel } from '../../../model/own-channel.ts';
import type { ShortChannelId } from '../../../model/short-channel-id.ts';
import { type ChannelLife, NO_HTLCS } from '../channel-life.ts';
import { MAX_ACCEPTED_HTLCS } from '../channels.ts';
import { INIT_FEATURES } from '../init-features.ts';
import {
  channelTypeOf,
  SHUTDOWN_SCRIPT,
  simulatedCommitmentTxid,
  simulatedFundingTxid,
} from '../simulated-chain.ts';
import type { ChannelPhaseChange, DescribedChannel } from './described-channel.ts';

/** Duration in milliseconds after which a connection counts as stable. */
const STABLE_MS = 60_000;

/** The facts about a channel that its history does not contain. */
export interface ChannelFacts {
  /** Our balance when the channel was opened, and now. */
  readonly localMsat: Msat;
  readonly toUsMsat: Msat;
  /** The reserve of each side. */
  readonly reserveMsat: Msat;
  /** UNIX milliseconds. */
  readonly nowMs: number;
  readonly openedAtMs: number;
  readonly closedAtMs: number | undefined;
}

/** The channel with its history and all other details for `listpeerchannels`. */
export function describeLife(
  channel: OwnChannel,
  shortChannelId: ShortChannelId,
  facts: ChannelFacts,
  life: ChannelLife,
): DescribedChannel {
  const { localMsat, toUsMsat, reserveMsat, closedAtMs } = facts;
  const fundingTxid = simulatedFundingTxid(shortChannelId);
  return {
    ...channel,
    phase: closedAtMs === undefined ? 'normal' : 'onchain',
    phaseChanges: phaseChanges(facts),
    closedBy: closedAtMs === undefined ? undefined : 'local',
    owner: channel.usable ? 'simulation' : undefined,
    lastStableConnectionMs: channel.usable ? lastStableMs(life, facts.nowMs) : undefined,
    fundingTxid,
    fundingOutputIndex: 0,
    commitmentTxid: simulatedCommitmentTxid(fundingTxid, toUsMsat),
    commitmentFeeMsat: ZERO_MSAT,
    channelType: channelTypeOf(INIT_FEATURES, INIT_FEATURES),
    localFundsMsat: channel.capacityMsat,
    remoteFundsMsat: ZERO_MSAT,
    pushedMsat: msat(channel.capacityMsat - localMsat),
    toUsMsat,
    minToUsMsat: life.minToUsMsat,
    maxToUsMsat: life.maxToUsMsat,
    dustLimitMsat: ZERO_MSAT,
    ourReserveMsat: reserveMsat,
    theirReserveMsat: reserveMsat,
    ourToSelfDelay: 0,
    theirToSelfDelay: 0,
    maxAcceptedHtlcs: MAX_ACCEPTED_HTLCS,
    shutdownScript: SHUTDOWN_SCRIPT,
    localAlias: shortChannelId,
    remoteAlias: shortChannelId,
    incoming: NO_HTLCS,
    outgoing: life.outgoing(),
    htlcs: life.htlcs(),
  };
}

function lastStableMs({ connectedSinceMs }: ChannelLife, nowMs: number): number | undefined {
  const stableMs = (connectedSinceMs ?? nowMs) + STABLE_MS;
  return stableMs <= nowMs ? stableMs : undefined;
}

function phaseChanges({ openedAtMs, closedAtMs }: ChannelFacts): ChannelPhaseChange[] {
  const opened: ChannelPhaseChange = {
    atMs: openedAtMs,
    from: 'opening',
    to: 'normal',
    cause: 'user',
    message: 'Opened with the simulated network',
  };
  if (closedAtMs === undefined) return [opened];
  const message = 'An HTLC that we had offered expired';
  return [opened, { atMs: closedAtMs, from: 'normal', to: 'onchain', cause: 'protocol', message }];
}
