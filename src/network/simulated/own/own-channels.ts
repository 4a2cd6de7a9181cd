/**
 * Our own channels to nodes of the graph in a simulated network. They are not gossiped: only their two ends know them.
 *
 * As on the real network, each side keeps a reserve of 1 % of the capacity, which it cannot send (BOLT 2).
 */
import { FAILURES } from '../../../bolt/onion/failure.ts';
import { FulguriteError } from '../../../model/errors.ts';
import { type Msat, msat, msatFromSat, ZERO_MSAT } from '../../../model/msat.ts';
import type { OwnChannel } from '../../../model/own-channel.ts';
import type { PolicyTerms } from '../../../model/policy.ts';
import { type ShortChannelId, shortChannelId } from '../../../model/short-channel-id.ts';
import { ChannelLife } from '../channel-life.ts';
import type { Htlc, HtlcOffer, SentAttempt } from '../htlc.ts';
import type { OwnSide } from '../htlc-flow.ts';
import type { OwnChannelPlan, OwnChannelsByRank } from '../options.ts';
import { MAX_OWN_CHANNELS, type World } from '../world.ts';
import type { DescribedChannel, HtlcTotals } from './described-channel.ts';
import { describeLife } from './own-channel-record.ts';

const DEFAULT_COUNT = 8;
const DEFAULT_CAPACITY = msatFromSat(20_000_000);
const DEFAULT_LOCAL_SHARE = 0.75;
const RESERVE_DIVISOR = 100n;
/** The HTLC minimum in both directions of our channels. */
const HTLC_MINIMUM = msat(1);
const FEE_BASE_MSAT = 1000;
const FEE_PROPORTIONAL_MILLIONTHS = 100;
const CLTV_EXPIRY_DELTA = 40;
/** Channels with anchor outputs need only a small feerate. */
const FEERATE_PER_KW = 253;

/** One of our channels. Direction indexes are those of `SimulatedChannels`. */
interface Own {
  readonly channel: number;
  readonly outgoing: number;
  readonly incoming: number;
  readonly peer: number;
  /** Our node that has the channel. */
  readonly owner: number;
  /** Our balance when the channel was opened. */
  readonly localMsat: Msat;
  readonly life: ChannelLife;
}

/** Holds our own channels and their balances. */
export class OwnChannels implements OwnSide {
  private readonly world: World;
  private readonly byScid = new Map<ShortChannelId, Own>();
  /** The channel of each of our HTLCs in flight. */
  private readonly channelOfAttempt = new Map<string, Own>();
  /** When the channels were opened, in UNIX milliseconds: the time of this network's first start. */
  private openedAtMs: number;

  /**
   * @throws FulguriteError `invalidParams` for too many planned channels, or for a planned channel with an unknown
   *   node, with both ends at the same node, or with a balance above its capacity.
   */
  constructor(world: World, degreeOf: Uint32Array) {
    this.world = world;
    this.openedAtMs = world.nowMs;
    const wanted = world.options.ownChannels ?? {};
    const plans: readonly OwnChannelPlan[] = isPlans(wanted) ? wanted : plansByRank(world, degreeOf, wanted);
    if (plans.length > MAX_OWN_CHANNELS) {
      throw new FulguriteError('invalidParams', `at most ${MAX_OWN_CHANNELS} channels of our own`);
    }
    for (const [index, plan] of plans.entries()) this.open(plan, index);
  }

  directionIndexOf(scid: ShortChannelId): number | undefined {
    return this.byScid.get(scid)?.outgoing;
  }

  refusal(directionIndex: number, offer: HtlcOffer): { failureCode: number; reason: string } | undefined {
    const { channels } = this.world;
    const own = this.byScid.get(channels.shortChannelId(directionIndex)) as Own;
    if (!this.isUsable(own)) {
      return { failureCode: FAILURES.unknown_next_peer.code, reason: 'No connection to first peer found' };
    }
    const refused = (reason: string) => ({ failureCode: FAILURES.temporary_channel_failure.code, reason });
    if (offer.amountMsat < HTLC_MINIMUM) return refused("Below the channel's minimum HTLC");
    if (offer.amountMsat > this.spendableMsat(own.outgoing)) return refused('Capacity exceeded');
    if (channels.isFull(directionIndex)) return refused('Too many HTLCs');
    if (offer.cltvExpiry <= this.world.height) return refused('The HTLC has expired');
    return undefined;
  }

  /** All our channels as they are now. */
  list(): OwnChannel[] {
    return [...this.byScid].map(([scid, own]) => this.describe(scid, own));
  }

  /** All our channels in their current state, with all the details for `listpeerchannels`. */
  records(): DescribedChannel[] {
    const { channels } = this.world;
    return [...this.byScid].map(([scid, own]) => {
      const closedAtMs = channels.closedAtMs(own.channel);
      const toUsMsat = this.toUsMsat(own.outgoing);
      const { localMsat, life } = own;
      const reserveMsat = reserveOf(channels.capacityMsat[own.channel]! as Msat);
      const { nowMs } = this.world;
      const facts = { localMsat, toUsMsat, reserveMsat, nowMs, openedAtMs: this.openedAtMs, closedAtMs };
      return describeLife(this.describe(scid, own), scid, facts, life);
    });
  }

  /** Restores the state of an earlier run of this network. Call it after the balances have been restored. */
  restore(traffic: ReadonlyMap<bigint, HtlcTotals>, openedAtMs: number | undefined): void {
    this.openedAtMs = openedAtMs ?? this.openedAtMs;
    for (const [scid, totals] of traffic) this.byScid.get(scid as ShortChannelId)?.life.restore(totals);
    this.observeAll();
  }

  /** Records that one of our HTLCs is on our channel. */
  added(htlc: Htlc): void {
    const own = this.byScid.get(this.world.channels.shortChannelId(htlc.directionIndex));
    if (own === undefined) return;
    own.life.add(htlc);
    this.channelOfAttempt.set(htlc.attempt.attemptId, own);
  }

  /**
   * Records that our HTLC has left our channel. Returns the channel, and what the HTLC adds to the channel's totals;
   * undefined if the HTLC was never on the channel.
   */
  ended(attempt: SentAttempt, isSettled: boolean): readonly [ShortChannelId, HtlcTotals] | undefined {
    const own = this.channelOfAttempt.get(attempt.attemptId);
    const totals = own?.life.end(attempt, isSettled);
    if (own === undefined || totals === undefined) return undefined;
    this.channelOfAttempt.delete(attempt.attemptId);
    if (isSettled) own.life.observe(this.toUsMsat(own.outgoing));
    return [this.world.channels.shortChannelId(own.outgoing), totals];
  }

  /** Records our current balances. Call this when something other than an HTLC may have changed them. */
  observeAll(): void {
    for (const { life, outgoing } of this.byScid.values()) life.observe(this.toUsMsat(outgoing));
  }

  /** Records when peers connected. Call this when peers may have connected or disconnected. */
  noteConnections(): void {
    for (const own of this.byScid.values()) {
      const { life } = own;
      life.connectedSinceMs = this.isUsable(own) ? (life.connectedSinceMs ?? this.world.nowMs) : undefined;
    }
  }

  /** Indexes of our peers, without duplicates. */
  peers(): number[] {
    return [...new Set([...this.byScid.values()].map(({ peer }) => peer))];
  }

  private describe(scid: ShortChannelId, own: Own): OwnChannel {
    const { channels, nodes } = this.world;
    const capacityMsat = channels.capacityMsat[own.channel]! as Msat;
    return {
      ...(own.owner !== nodes.ownIndex && { ownNodeId: nodes.id(own.owner) }),
      peerId: nodes.id(own.peer),
      shortChannelId: scid,
      capacityMsat,
      spendableMsat: this.spendableMsat(own.outgoing),
      receivableMsat: this.spendableMsat(own.incoming),
      theirMaxInFlightMsat: capacityMsat,
      ourMaxInFlightMsat: capacityMsat,
      usable: this.isUsable(own),
      localPolicy: this.policy(own.outgoing),
      remotePolicy: this.policy(own.incoming),
      openedByUs: true,
      feeratePerKw: FEERATE_PER_KW,
    };
  }

  private spendableMsat(directionIndex: number): Msat {
    const { channels } = this.world;
    if (channels.isFull(directionIndex)) return ZERO_MSAT;
    const free =
      channels.balance(directionIndex) - reserveOf(channels.capacityMsat[directionIndex >> 1]! as Msat);
    return free > 0n ? (free as Msat) : ZERO_MSAT;
  }

  /** The amount that a commitment transaction would give us if all HTLCs in flight failed. */
  private toUsMsat(directionIndex: number): Msat {
    const { channels } = this.world;
    return msat(channels.balance(directionIndex) + channels.inFlight(directionIndex));
  }

  private isUsable({ channel, peer, owner }: Pick<Own, 'channel' | 'peer' | 'owner'>): boolean {
    const { nodes, channels } = this.world;
    return !nodes.is(peer, 'offline') && !nodes.is(owner, 'offline') && !channels.isClosed(channel);
  }

  private policy(directionIndex: number): PolicyTerms {
    const policy = this.world.channels.policy(directionIndex);
    return { ...policy, feeBaseMsat: msat(policy.feeBaseMsat) };
  }

  private open({ ownNodeId, peerId, capacityMsat, localMsat }: OwnChannelPlan, index: number): void {
    const { channels, nodes } = this.world;
    const peer = nodes.indexOf(peerId);
    const owner = ownNodeId === undefined ? nodes.ownIndex : nodes.indexOf(ownNodeId);
    if (peer === -1 || owner === -1 || peer === owner || localMsat > capacityMsat) {
      throw new FulguriteError('invalidParams', `invalid node or balance for a channel to ${peerId}`, {
        peer_id: peerId,
      });
    }
    const weAreFirst = Buffer.compare(nodes.idBytes(owner), nodes.idBytes(peer)) < 0;
    const [node1, node2] = weAreFirst ? [owner, peer] : [peer, owner];
    const balance0 = weAreFirst ? localMsat : capacityMsat - localMsat;
    const scid = this.freeScid(index);
    const channel = channels.add(scid, node1, node2, capacityMsat, balance0);
    for (const directionIndex of [2 * channel, 2 * channel + 1]) {
      const policy = {
        enabled: true,
        htlcMinimumMsat: HTLC_MINIMUM,
        htlcMaximumMsat: (capacityMsat - reserveOf(capacityMsat)) as Msat,
        feeBaseMsat: FEE_BASE_MSAT,
        feeProportionalMillionths: FEE_PROPORTIONAL_MILLIONTHS,
        cltvExpiryDelta: CLTV_EXPIRY_DELTA,
      };
      channels.setPolicy(directionIndex, policy, Math.floor(this.world.nowMs / 1000));
    }
    const outgoing = 2 * channel + (weAreFirst ? 0 : 1);
    const connectedSinceMs = this.isUsable({ channel, peer, owner }) ? this.world.nowMs : undefined;
    const life = new ChannelLife(localMsat, connectedSinceMs);
    this.byScid.set(scid, { channel, outgoing, incoming: outgoing ^ 1, peer, owner, localMsat, life });
  }

  /**
   * A free short channel id. Own channels get ids in the block at which the simulation starts, except ids already in
   * use.
   */
  private freeScid(index: number): ShortChannelId {
    for (let transaction = index + 1; ; transaction += MAX_OWN_CHANNELS) {
      const scid = shortChannelId(this.world.height, transaction, 0);
      if (this.world.channels.indexOf(scid) === -1) return scid;
    }
  }
}

function reserveOf(capacityMsat: Msat): Msat {
  return msat(capacityMsat / RESERVE_DIVISOR);
}

function isPlans(wanted: readonly OwnChannelPlan[] | OwnChannelsByRank): wanted is readonly OwnChannelPlan[] {
  return Array.isArray(wanted);
}

/** Plans the channels of each of our nodes. The second node's peers follow those of the first node in the ranking. */
function plansByRank(world: World, degreeOf: Uint32Array, wanted: OwnChannelsByRank): OwnChannelPlan[] {
  const { ownNodes } = world.options;
  if (ownNodes === undefined) return planByRank(world, degreeOf, wanted);
  const { count = DEFAULT_COUNT, skip = 0 } = wanted;
  return ownNodes.flatMap((ownNodeId, at) =>
    planByRank(world, degreeOf, { ...wanted, skip: skip + at * count }).map((plan) => ({
      ...plan,
      ownNodeId,
    })),
  );
}

/** Plans channels to the online nodes with the most channels. Ties are ordered by index. */
function planByRank(world: World, degreeOf: Uint32Array, wanted: OwnChannelsByRank): OwnChannelPlan[] {
  const { count = DEFAULT_COUNT, skip = 0, capacityMsat = DEFAULT_CAPACITY } = wanted;
  const { localShare = DEFAULT_LOCAL_SHARE } = wanted;
  const ranked = Array.from(degreeOf.keys())
    .filter((node) => degreeOf[node]! > 0 && !world.nodes.is(node, 'offline'))
    .sort((a, b) => degreeOf[b]! - degreeOf[a]! || a - b);
  const localMsat = msat((capacityMsat * BigInt(Math.round(localShare * 1_000_000))) / 1_000_000n);
  return ranked
    .slice(skip, skip + count)
    .map((node) => ({ peerId: world.nodes.id(node), capacityMsat, localMsat }));
}
