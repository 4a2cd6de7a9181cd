/**
 * How long nodes take to forward an HTLC and to return its outcome, learned from the round trips of this node's
 * attempts:
 *
 *     round trip = Σ d(n) over the nodes of the path that responded
 *
 * Each estimate d(n) has a variance v(n), which grows with its age. A round trip of t seconds moves each estimate by
 * its share of the error (a Kalman filter with a diagonal covariance; Simon, Optimal State Estimation, 2006):
 *
 *     gain = v(n) / (Σ v + r)      d(n) += gain · (t − Σ d)      v(n) *= 1 − gain
 *
 * r is the variance of a round trip whose nodes are all known. A node that was never seen counts as the mean of all
 * round trips per node. A node can appear slow only by holding HTLCs, which costs it the fees of payments that avoid
 * it. It cannot make a single other node appear slow, because the error of a path is shared among all its nodes.
 */
import type { NodeId } from '../../model/node-id.ts';

/** Standard deviation of the times of different nodes, and of repeated round trips, in seconds. */
const OF_NODES_S = 1;
const OF_ROUND_TRIPS_S = 0.5;
/** Variance that an estimate gains per second of age. After about six hours, it is as uncertain as for a new node. */
const VARIANCE_PER_S = OF_NODES_S ** 2 / 20_000;
/** Longer round trips count as this many seconds, so that a stuck HTLC does not outweigh a hundred others. */
const MAX_ROUND_TRIP_S = 20;
/** The mean per node before the first round trip, in seconds, and the number of nodes that it counts as. */
const FIRST_MEAN_S = 0.3;
const FIRST_COUNT = 20;
/** The mean covers about this many of the last nodes of round trips. */
const MEAN_OF = 2_000;
/** Maximum number of remembered nodes; the one unseen for the longest time is dropped first. */
export const MAX_TIMES_REMEMBERED = 20_000;

interface TimeEstimate {
  readonly seconds: number;
  readonly variance: number;
  /** When it last changed, in seconds. */
  readonly atS: number;
}

/** The state, in a form that can be written as JSON. */
export interface SettleTimesState {
  readonly mean: number;
  readonly count: number;
  readonly nodes: readonly (readonly [node: NodeId, seconds: number, variance: number, atS: number])[];
}

/** A node, and how much slower it is than an average node, in seconds per round trip. */
export interface SlowNode {
  readonly node: NodeId;
  readonly excessS: number;
}

/** The state before the first round trip. */
export const NO_TIMES: SettleTimesState = { mean: FIRST_MEAN_S, count: FIRST_COUNT, nodes: [] };

/** Learns the times of nodes. */
export class SettleTimes {
  readonly #now: () => number;
  #mean = NO_TIMES.mean;
  #count = NO_TIMES.count;
  /** Nodes in the order in which they were last seen. */
  readonly #nodes = new Map<NodeId, TimeEstimate>();

  /** @param now returns the time in seconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Expected seconds that a node adds to a round trip, compared with an average node. Not below 0. */
  excessS(node: NodeId): number {
    const estimate = this.#nodes.get(node);
    return estimate === undefined ? 0 : Math.max(0, estimate.seconds - this.#mean);
  }

  /** Learns from a round trip. @param nodes those that forwarded the HTLC, and the one that answered it */
  observe(nodes: readonly NodeId[], roundTripS: number): void {
    if (nodes.length === 0 || !(roundTripS >= 0)) return;
    const atS = this.#now();
    const seconds = Math.min(MAX_ROUND_TRIP_S, roundTripS);
    const before = nodes.map((node) => this.#estimate(node, atS));
    const error = seconds - before.reduce((sum, estimate) => sum + estimate.seconds, 0);
    const uncertainty = before.reduce((sum, { variance }) => sum + variance, OF_ROUND_TRIPS_S ** 2);
    for (const [index, node] of nodes.entries()) {
      const { seconds: known, variance } = before[index]!;
      const gain = variance / uncertainty;
      this.#remember(node, {
        seconds: Math.max(0, known + gain * error),
        variance: variance * (1 - gain),
        atS,
      });
    }
    this.#count = Math.min(MEAN_OF, this.#count + nodes.length);
    this.#mean += ((seconds / nodes.length - this.#mean) * nodes.length) / this.#count;
  }

  /** The `count` slowest nodes, the slowest first. */
  slowest(count: number): SlowNode[] {
    return [...this.#nodes.keys()]
      .map((node) => ({ node, excessS: this.excessS(node) }))
      .filter(({ excessS }) => excessS > 0)
      .sort((a, b) => b.excessS - a.excessS)
      .slice(0, count);
  }

  state(): SettleTimesState {
    return {
      mean: this.#mean,
      count: this.#count,
      nodes: [...this.#nodes].map(([node, { seconds, variance, atS }]) => [node, seconds, variance, atS]),
    };
  }

  /** Replaces everything with what `state` returned. */
  restore({ mean, count, nodes }: SettleTimesState): void {
    this.#mean = mean;
    this.#count = count;
    this.#nodes.clear();
    for (const [node, seconds, variance, atS] of nodes) this.#nodes.set(node, { seconds, variance, atS });
  }

  #estimate(node: NodeId, atS: number): TimeEstimate {
    const known = this.#nodes.get(node);
    if (known === undefined) return { seconds: this.#mean, variance: OF_NODES_S ** 2, atS };
    const aged = known.variance + VARIANCE_PER_S * Math.max(0, atS - known.atS);
    return { ...known, variance: Math.min(OF_NODES_S ** 2, aged) };
  }

  #remember(node: NodeId, estimate: TimeEstimate): void {
    this.#nodes.delete(node);
    this.#nodes.set(node, estimate);
    if (this.#nodes.size <= MAX_TIMES_REMEMBERED) return;
    const [oldest] = this.#nodes.keys();
    this.#nodes.delete(oldest!);
  }
}
