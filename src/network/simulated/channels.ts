/**
 * The true state of a simulated network's channels: hidden balances, current policies (which gossip may not have yet),
 * and the HTLCs in flight. Our own channels come after those of the graph.
 *
 *     capacity = balance of one side + balance of the other + HTLCs in flight, in each channel, always
 *
 * Columns are indexed by channel, or by direction index, which is 2 * channel + direction. The balance of a
 * direction is what its source node can send.
 */
import { POLICY_ENABLED, POLICY_KNOWN } from '../../model/channel-graph.ts';
import type { Draws } from '../../model/draws.ts';
import { ScidTable } from '../../model/graph/scid-table.ts';
import { type Msat, msat, ZERO_MSAT } from '../../model/msat.ts';
import type { WirePolicy } from '../../model/policy.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import { PURPOSE } from './draws.ts';
import type { NetworkMap } from './network-map.ts';
import type { BalanceModel } from './options.ts';

/** Maximum number of HTLCs per direction (BOLT 2, max_accepted_htlcs). */
export const MAX_ACCEPTED_HTLCS = 483;

/** Width of the two humps of a bimodal balance, as a share of the capacity. */
const HUMP = 0.1;

/** Reported as the policy of a direction that never had a policy. */
const NO_POLICY: WirePolicy = {
  enabled: false,
  htlcMinimumMsat: ZERO_MSAT,
  htlcMaximumMsat: ZERO_MSAT,
  feeBaseMsat: 0,
  feeProportionalMillionths: 0,
  cltvExpiryDelta: 0,
};

/** A current policy that is not in the graph. */
interface NewPolicy {
  readonly policy: WirePolicy;
  /** UNIX seconds. */
  readonly timestamp: number;
}

/** A direction of a channel as its source node knows it. */
export interface Outgoing {
  readonly channel: number;
  readonly directionIndex: number;
  readonly nextNode: number;
}

/** Holds the real state of all channels: balances, current policies, and HTLCs in flight. */
export class SimulatedChannels {
  count: number;
  readonly shortChannelIds: BigUint64Array;
  readonly capacityMsat: BigUint64Array;
  readonly node1: Uint32Array;
  readonly node2: Uint32Array;
  private readonly map: NetworkMap;
  /** Policies changed since the start, by direction index. All other policies are those of the map. */
  private readonly newPolicies = new Map<number, NewPolicy>();
  private readonly balanceMsat: BigUint64Array;
  private readonly inFlightMsat: BigUint64Array;
  private readonly inFlightCount: Uint16Array;
  private readonly closed: Uint8Array;
  private readonly closingTimesMs = new Map<number, number>();
  private readonly byScid: ScidTable;

  /** @param room maximum number of own channels. */
  constructor(map: NetworkMap, room: number, draws: Draws, model: BalanceModel) {
    const channels = map.channelCount + room;
    this.map = map;
    this.count = map.channelCount;
    this.shortChannelIds = widened(map.shortChannelIds, channels);
    this.capacityMsat = widened(map.capacityMsat, channels);
    this.node1 = widened(map.node1, channels);
    this.node2 = widened(map.node2, channels);
    this.balanceMsat = new BigUint64Array(2 * channels);
    this.inFlightMsat = new BigUint64Array(2 * channels);
    this.inFlightCount = new Uint16Array(2 * channels);
    this.closed = new Uint8Array(channels);
    this.byScid = new ScidTable(this.shortChannelIds);
    // A start waits for these draws, so the ids are read as words, which are not allocated.
    const words = new Uint32Array(this.shortChannelIds.buffer);
    for (let channel = 0; channel < this.count; channel++) {
      this.byScid.set(channel);
      const [low, high] = [words[2 * channel]!, words[2 * channel + 1]!];
      this.divide(channel, drawBalance(this.capacityMsat[channel]!, low, high, draws, model));
    }
  }

  /** Index of a channel. -1 if it does not exist or was closed. */
  indexOf(scid: bigint): number {
    const channel = this.byScid.find(scid);
    return channel === -1 || this.closed[channel] === 1 ? -1 : channel;
  }

  /**
   * Adds a channel without policies and returns its index. @throws RangeError when there is no room, or the channel
   * exists.
   */
  add(
    scid: ShortChannelId,
    node1: number,
    node2: number,
    capacityMsat: bigint,
    balance0Msat: bigint,
  ): number {
    const channel = this.count;
    if (channel >= this.node1.length) throw new RangeError('no room for another channel');
    if (this.byScid.find(scid) !== -1) throw new RangeError(`channel ${scid} already exists`);
    this.count++;
    this.shortChannelIds[channel] = scid;
    this.capacityMsat[channel] = capacityMsat;
    this.node1[channel] = node1;
    this.node2[channel] = node2;
    this.byScid.set(channel);
    this.setBalance(channel, balance0Msat);
    return channel;
  }

  /**
   * Divides the capacity between the two sides. @throws RangeError when the balance is negative or exceeds the
   * capacity, or HTLCs are in flight.
   */
  setBalance(channel: number, balance0Msat: bigint): void {
    const capacity = this.capacityMsat[channel]!;
    if (balance0Msat < 0n || balance0Msat > capacity) throw new RangeError('balance exceeds the capacity');
    if (this.inFlightMsat[2 * channel] !== 0n || this.inFlightMsat[2 * channel + 1] !== 0n) {
      throw new RangeError('the channel has HTLCs in flight');
    }
    this.divide(channel, balance0Msat);
  }

  private divide(channel: number, balance0Msat: bigint): void {
    this.balanceMsat[2 * channel] = balance0Msat;
    this.balanceMsat[2 * channel + 1] = this.capacityMsat[channel]! - balance0Msat;
  }

  /** The channel as seen from one end. `undefined` when the node is not one of its ends. */
  outgoing(channel: number, node: number): Outgoing | undefined {
    if (this.node1[channel] === node)
      return { channel, directionIndex: 2 * channel, nextNode: this.node2[channel]! };
    if (this.node2[channel] === node)
      return { channel, directionIndex: 2 * channel + 1, nextNode: this.node1[channel]! };
    return undefined;
  }

  /** Of the enabled channels from one node to another that accept the amount, the channel that can send most. */
  towards(node: number, nextNode: number, amountMsat: bigint): Outgoing | undefined {
    let best: Outgoing | undefined;
    for (let channel = 0; channel < this.count; channel++) {
      const outgoing = this.closed[channel] === 1 ? undefined : this.outgoing(channel, node);
      if (outgoing?.nextNode !== nextNode || !this.takes(outgoing.directionIndex, amountMsat)) continue;
      if (best === undefined || this.balance(outgoing.directionIndex) > this.balance(best.directionIndex))
        best = outgoing;
    }
    return best;
  }

  private takes(directionIndex: number, amountMsat: bigint): boolean {
    const { enabled, htlcMinimumMsat, htlcMaximumMsat } = this.policy(directionIndex);
    return enabled && amountMsat >= htlcMinimumMsat && amountMsat <= htlcMaximumMsat;
  }

  shortChannelId(directionIndex: number): ShortChannelId {
    return this.shortChannelIds[directionIndex >> 1]! as ShortChannelId;
  }

  /** The amount that the source of the direction can send. */
  balance(directionIndex: number): Msat {
    return this.balanceMsat[directionIndex]! as Msat;
  }

  inFlight(directionIndex: number): Msat {
    return this.inFlightMsat[directionIndex]! as Msat;
  }

  isFull(directionIndex: number): boolean {
    return this.inFlightCount[directionIndex]! >= MAX_ACCEPTED_HTLCS;
  }

  /** The current policy. A direction that never had a policy is disabled. */
  policy(directionIndex: number): WirePolicy {
    const since = this.newPolicies.get(directionIndex);
    if (since !== undefined) return since.policy;
    const { map } = this;
    if (directionIndex >= 2 * map.channelCount) return NO_POLICY;
    return {
      enabled: map.policyFlags[directionIndex] === (POLICY_KNOWN | POLICY_ENABLED),
      htlcMinimumMsat: map.htlcMinimumMsat[directionIndex]! as Msat,
      htlcMaximumMsat: map.htlcMaximumMsat[directionIndex]! as Msat,
      feeBaseMsat: map.feeBaseMsat[directionIndex]!,
      feeProportionalMillionths: map.feeProportionalMillionths[directionIndex]!,
      cltvExpiryDelta: map.cltvExpiryDelta[directionIndex]!,
    };
  }

  /** Time of the current policy, in UNIX seconds. 0 for a direction that never had a policy. */
  policyTimestamp(directionIndex: number): number {
    const since = this.newPolicies.get(directionIndex);
    return since?.timestamp ?? this.map.policyTimestamp[directionIndex] ?? 0;
  }

  /** Changes a policy without gossip. `timestamp` is in UNIX seconds. */
  setPolicy(directionIndex: number, policy: Partial<WirePolicy>, timestamp: number): void {
    this.newPolicies.set(directionIndex, {
      policy: { ...this.policy(directionIndex), ...policy },
      timestamp,
    });
  }

  /** Deducts the amount of an HTLC from the sending side. @throws RangeError when that side has less. */
  hold(directionIndex: number, amountMsat: Msat): void {
    this.balanceMsat[directionIndex] = msat(this.balanceMsat[directionIndex]! - amountMsat);
    this.inFlightMsat[directionIndex] = msat(this.inFlightMsat[directionIndex]! + amountMsat);
    this.inFlightCount[directionIndex]!++;
  }

  /** Gives the amount of a failed HTLC back to the sending side. */
  release(directionIndex: number, amountMsat: Msat): void {
    this.end(directionIndex, amountMsat);
    this.balanceMsat[directionIndex]! += amountMsat;
  }

  /** Credits the amount of a settled HTLC to the other side. */
  settle(directionIndex: number, amountMsat: Msat): void {
    this.end(directionIndex, amountMsat);
    this.balanceMsat[directionIndex ^ 1]! += amountMsat;
  }

  /** Closes the channel. It keeps its balances, which must still add up to the capacity. */
  close(channel: number, nowMs: number): void {
    this.closed[channel] = 1;
    this.closingTimesMs.set(channel, nowMs);
  }

  /** When the channel was closed, in UNIX milliseconds. Undefined while it is open. */
  closedAtMs(channel: number): number | undefined {
    return this.closingTimesMs.get(channel);
  }

  isClosed(channel: number): boolean {
    return this.closed[channel] === 1;
  }

  /** Sum of all HTLCs in flight, in msat. */
  totalInFlightMsat(): bigint {
    let sum = 0n;
    for (let directionIndex = 0; directionIndex < 2 * this.count; directionIndex++)
      sum += this.inFlightMsat[directionIndex]!;
    return sum;
  }

  /** Channels whose balances and HTLCs do not add up to their capacity. Empty unless there is a bug. */
  violations(): ShortChannelId[] {
    const broken: ShortChannelId[] = [];
    for (let channel = 0; channel < this.count; channel++) {
      const directionIndex = 2 * channel;
      const sum =
        this.balanceMsat[directionIndex]! +
        this.balanceMsat[directionIndex + 1]! +
        this.inFlightMsat[directionIndex]! +
        this.inFlightMsat[directionIndex + 1]!;
      const idle = this.inFlightCount[directionIndex] === 0 && this.inFlightCount[directionIndex + 1] === 0;
      const nothing =
        this.inFlightMsat[directionIndex] === 0n && this.inFlightMsat[directionIndex + 1] === 0n;
      if (sum !== this.capacityMsat[channel] || (idle && !nothing)) {
        broken.push(this.shortChannelIds[channel]! as ShortChannelId);
      }
    }
    return broken;
  }

  private end(directionIndex: number, amountMsat: Msat): void {
    if (this.inFlightCount[directionIndex] === 0) throw new RangeError('an HTLC ended twice');
    this.inFlightMsat[directionIndex] = msat(this.inFlightMsat[directionIndex]! - amountMsat);
    this.inFlightCount[directionIndex]!--;
  }
}

/** The direction for an index. Direction 0 starts at the node with the lexicographically smaller id. */
export function directionOfIndex(directionIndex: number): Direction {
  return (directionIndex & 1) as Direction;
}

function widened<T extends Uint8Array | Uint16Array | Uint32Array | BigUint64Array>(
  column: T,
  length: number,
): T {
  const wide = new (column.constructor as new (length: number) => T)(length);
  wide.set(column as never);
  return wide;
}

/** Balance of side 0 of a channel: a random share of the capacity, drawn for the two words of the channel's id. */
function drawBalance(
  capacityMsat: bigint,
  low: number,
  high: number,
  draws: Draws,
  model: BalanceModel,
): bigint {
  const uniform = draws.uniform(PURPOSE.balance, low, high);
  const share =
    model === 'uniform' ? uniform : bimodal(uniform, draws.uniform(PURPOSE.balanceSide, low, high));
  // Scales by 32 bits of the draw, exactly: floor(capacity * bits / 2^32).
  return (capacityMsat * BigInt(Math.floor(share * 0x1_0000_0000))) >> 32n;
}

/** A draw with density ~ exp(-x / HUMP) + exp((x - 1) / HUMP) on [0, 1]. */
function bimodal(uniform: number, side: number): number {
  const fall = -HUMP * Math.log(1 - uniform * (1 - Math.exp(-1 / HUMP)));
  return side < 0.5 ? fall : 1 - fall;
}
