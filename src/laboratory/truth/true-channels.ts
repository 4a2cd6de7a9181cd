/**
 * The true state of channels: balances known only to their two nodes, and the HTLCs in flight.
 *
 *     capacity = balance of one side + balance of the other + HTLCs in flight, in each channel, always
 *
 * This is checked after every change, in every run, because a check costs only a thousandth of a search.
 *
 * Columns are indexed by direction (2 · channel + direction). The balance of a direction is the amount that its source
 * node owns, including the reserve (BOLT 2, `channel_reserve_satoshis`).
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';

/**
 * The limits of each direction: the number of HTLCs, and the in-flight limit and the reserve in msat. All are indexed
 * by direction.
 */
export interface ChannelLimits {
  readonly slots: Uint16Array;
  readonly maxInFlightMsat: BigUint64Array;
  readonly reserveMsat: BigUint64Array;
}

/** The reasons why a direction refuses an HTLC, in the order of the checks. */
export type Full = 'tooMany' | 'tooMuchInFlight' | 'noBalance';

/** Shows a reader which spendable amounts of a node have changed. */
export interface SpendableWatch {
  /** The directions that leave the node and whose spendable amounts may have changed. The reader clears this set. */
  readonly changed: Set<number>;
  /** Increases whenever a spendable amount may have changed. */
  revision: number;
}

/** Holds the true state of all channels. */
export class TrueChannels {
  readonly graph: ChannelGraph;
  readonly #limits: ChannelLimits;
  readonly #balanceMsat: BigInt64Array;
  readonly #inFlightMsat: BigInt64Array;
  readonly #inFlight: Uint16Array;
  readonly #watchers: Set<number>[] = [];
  readonly #spendableWatches = new Map<number, Set<SpendableWatch>>();

  /** @param balances balance of node 1 in each channel, in msat */
  constructor(graph: ChannelGraph, balances: BigInt64Array, limits: ChannelLimits) {
    this.graph = graph;
    this.#limits = limits;
    const directions = 2 * graph.channelCount;
    this.#balanceMsat = new BigInt64Array(directions);
    this.#inFlightMsat = new BigInt64Array(directions);
    this.#inFlight = new Uint16Array(directions);
    for (let channel = 0; channel < graph.channelCount; channel++) {
      this.#balanceMsat[2 * channel] = balances[channel]!;
      this.#balanceMsat[2 * channel + 1] = graph.capacityMsat[channel]! - balances[channel]!;
    }
  }

  /**
   * Returns a set to which all channels that change from now on are added. Each reader needs its own set and clears it
   * after reading: with a shared set, a reader would miss the channels that a different reader has cleared.
   */
  watch(): Set<number> {
    const changed = new Set<number>();
    this.#watchers.push(changed);
    return changed;
  }

  /** Watches the spendable amounts of a node, until `unwatchSpendable` is called. */
  watchSpendable(node: number): SpendableWatch {
    const watch = { changed: new Set<number>(), revision: 0 };
    const known = this.#spendableWatches.get(node);
    if (known === undefined) this.#spendableWatches.set(node, new Set([watch]));
    else known.add(watch);
    return watch;
  }

  unwatchSpendable(node: number, watch: SpendableWatch): void {
    const known = this.#spendableWatches.get(node);
    known?.delete(watch);
    if (known?.size === 0) this.#spendableWatches.delete(node);
  }

  balanceMsat(direction: number): bigint {
    return this.#balanceMsat[direction]!;
  }

  inFlightMsat(direction: number): bigint {
    return this.#inFlightMsat[direction]!;
  }

  /**
   * The largest HTLC that the direction can carry now: balance minus reserve, but within the in-flight limit. 0 if no
   * slot is free.
   */
  spendableMsat(direction: number): bigint {
    if (this.#inFlight[direction]! >= this.#limits.slots[direction]!) return 0n;
    const ofBalance = this.#balanceMsat[direction]! - this.#limits.reserveMsat[direction]!;
    const ofLimit = this.#limits.maxInFlightMsat[direction]! - this.#inFlightMsat[direction]!;
    const least = ofBalance < ofLimit ? ofBalance : ofLimit;
    return least > 0n ? least : 0n;
  }

  /** The reason why the direction refuses the amount now. Undefined if it can carry the amount. */
  refusal(direction: number, amountMsat: bigint): Full | undefined {
    if (this.#inFlight[direction]! >= this.#limits.slots[direction]!) return 'tooMany';
    if (this.#inFlightMsat[direction]! + amountMsat > this.#limits.maxInFlightMsat[direction]!)
      return 'tooMuchInFlight';
    const left = this.#balanceMsat[direction]! - amountMsat;
    return left < this.#limits.reserveMsat[direction]! ? 'noBalance' : undefined;
  }

  /** Adds an HTLC. The caller must have checked `refusal`. */
  hold(direction: number, amountMsat: bigint): void {
    this.#balanceMsat[direction]! -= amountMsat;
    this.#inFlightMsat[direction]! += amountMsat;
    this.#inFlight[direction]!++;
    this.#spendableChanged(direction);
    this.#hasChanged(direction >>> 1);
  }

  /** Returns a failed HTLC to the side that sent it. */
  release(direction: number, amountMsat: bigint): void {
    this.#end(direction, amountMsat);
    this.#balanceMsat[direction]! += amountMsat;
    this.#spendableChanged(direction);
    this.#hasChanged(direction >>> 1);
  }

  /** Moves the amount of a settled HTLC to the other side. */
  settle(direction: number, amountMsat: bigint): void {
    this.#end(direction, amountMsat);
    this.#balanceMsat[direction ^ 1]! += amountMsat;
    this.#spendableChanged(direction);
    this.#spendableChanged(direction ^ 1);
    this.#hasChanged(direction >>> 1);
  }

  /** Splits the amount that is not in flight evenly between both sides. An odd msat goes to node 1. */
  rebalance(channel: number): void {
    const [forth, back] = [2 * channel, 2 * channel + 1];
    const sum = this.#balanceMsat[forth]! + this.#balanceMsat[back]!;
    this.#balanceMsat[back] = sum / 2n;
    this.#balanceMsat[forth] = sum - sum / 2n;
    this.#spendableChanged(forth);
    this.#spendableChanged(back);
    this.#hasChanged(channel);
  }

  /** @throws RangeError when a channel's balances and HTLCs do not add up to its capacity */
  requireConservation(channel: number): void {
    const [forth, back] = [2 * channel, 2 * channel + 1];
    const sum =
      this.#balanceMsat[forth]! +
      this.#balanceMsat[back]! +
      this.#inFlightMsat[forth]! +
      this.#inFlightMsat[back]!;
    const isNegative = this.#balanceMsat[forth]! < 0n || this.#balanceMsat[back]! < 0n;
    if (sum !== this.graph.capacityMsat[channel] || isNegative)
      throw new RangeError(`channel ${this.graph.shortChannelIds[channel]} does not add up`);
  }

  #end(direction: number, amountMsat: bigint): void {
    if (this.#inFlight[direction] === 0) throw new RangeError('an HTLC ended twice');
    this.#inFlightMsat[direction]! -= amountMsat;
    this.#inFlight[direction]!--;
  }

  #spendableChanged(direction: number): void {
    const { node1, node2 } = this.graph;
    const channel = direction >>> 1;
    const node = (direction & 1) === 0 ? node1[channel]! : node2[channel]!;
    for (const watch of this.#spendableWatches.get(node) ?? []) {
      watch.changed.add(direction);
      watch.revision++;
    }
  }

  #hasChanged(channel: number): void {
    for (const changed of this.#watchers) changed.add(channel);
    this.requireConservation(channel);
  }
}
