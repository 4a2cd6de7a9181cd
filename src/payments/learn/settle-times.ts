/**
 * How long nodes take to forward an HTLC and to return its outcome, learned from the round trips of this node's
 * attempts, and from the hold times that nodes report (BOLT 4, "Returning Errors"):
 *
 *     round trip = Σ d(n) over the nodes of the path that responded
 *
 * A node's hold time runs from receiving the HTLC to returning its outcome. So a part of d(n) is within the node's own
 * hold time, and the rest is before it, within that of the previous node:
 *
 *     within(n) = (d(n) + l(n)) / 2        before(n) = (d(n) − l(n)) / 2
 *
 * Hold times h divide a round trip into spans. Each span is a sum of such parts. If all nodes report:
 *
 *     round trip − h(1) = before(1)    h(1) − h(2) = within(1) + before(2)    ...    h(k) = within(k)
 *
 * If a node does not report, the two spans around it become one. Without any report, the round trip is the only span.
 *
 * Each d and l has a variance v, which grows with its age. A span of t seconds moves each of them by its share of the
 * error (a Kalman filter with a diagonal covariance; Simon, Optimal State Estimation, 2006). c is its coefficient in
 * the sum of the span: ±1/2; but if both parts of a node are in the span, 1 for its d and 0 for its l.
 *
 *     gain = c · v / (Σ c² · v + r)      value += gain · error      v *= 1 − c · gain
 *
 * r is the variance of a span whose nodes are all known. A node that was never seen counts as the mean of all nodes,
 * with l = 0.
 *
 * Lies. A node that reports too much claims time of the nodes before it, and makes only itself appear slow. A node
 * that holds HTLCs and reports too little moves its own time, and no more, to the span that it shares with the node
 * before it. If several nodes lead to it, the time still counts for the one node that their slow spans have in common.
 * If there is only one, that node appears slow too, but less. Either way, the liar loses the fees of payments that
 * avoid it.
 */
import type { NodeId } from '../../model/node-id.ts';

/** Standard deviation of the times of different nodes, and of repeated round trips, in seconds. */
const OF_NODES_S = 1;
const OF_ROUND_TRIPS_S = 0.5;
const FIRST_VARIANCE = OF_NODES_S ** 2;
/** Variance that an estimate gains per second of age. After about six hours, it is as uncertain as for a new node. */
const VARIANCE_PER_S = FIRST_VARIANCE / 20_000;
/** Longer round trips count as this many seconds, so that a stuck HTLC does not outweigh a hundred others. */
const MAX_ROUND_TRIP_S = 20;
/** The mean per node before the first round trip, in seconds, and the number of nodes that it counts as. */
const FIRST_MEAN_S = 0.3;
const FIRST_COUNT = 20;
/** The mean is taken over about this many nodes of the latest round trips. */
const MEAN_OF = 2_000;
/** Maximum number of remembered nodes; the one unseen for the longest time is dropped first. */
export const MAX_TIMES_REMEMBERED = 20_000;

/** How long an attempt took, and how long its nodes report to have held it. */
export interface AttemptTime {
  readonly roundTripS: number;
  /** Valid reports of the nodes, from the first peer on. A report of 0 counts as none. */
  readonly holdTimesS: readonly number[];
  /** Whether the recipient may have held the HTLC until other parts arrived. */
  readonly waited: boolean;
}

interface TimeEstimate {
  /** d(n) at the top of this file. */
  readonly seconds: number;
  readonly variance: number;
  /** l(n), between −d(n) and d(n). */
  readonly lean: number;
  readonly leanVariance: number;
  /** When the estimate last changed, in seconds. */
  readonly atS: number;
}

/** The state, in a form that can be written as JSON. Earlier releases wrote nodes without the last two members. */
export interface SettleTimesState {
  readonly mean: number;
  readonly count: number;
  readonly nodes: readonly (readonly [
    node: NodeId,
    seconds: number,
    variance: number,
    atS: number,
    lean?: number,
    leanVariance?: number,
  ])[];
}

/** A node, and how much slower it is than an average node, in seconds per round trip. */
export interface SlowNode {
  readonly node: NodeId;
  readonly excessS: number;
  /**
   * Whether the estimate uses hold times that this node itself reported, at most about six hours before it was last
   * seen.
   */
  readonly usesReports: boolean;
}

/** The state before the first round trip. */
export const NO_TIMES: SettleTimesState = { mean: FIRST_MEAN_S, count: FIRST_COUNT, nodes: [] };

/** A node's share of a span: the coefficients of d and l in its sum. */
interface SpanTerm {
  readonly node: NodeId;
  readonly ofSeconds: number;
  readonly ofLean: number;
}

/** A measured time, and the terms that add up to it. */
interface Span {
  readonly terms: readonly SpanTerm[];
  readonly seconds: number;
}

/** A function of its own, because V8 compiles a closure again each time that the state is written. */
const stateOf = ([node, time]: readonly [NodeId, TimeEstimate]): SettleTimesState['nodes'][number] => [
  node,
  time.seconds,
  time.variance,
  time.atS,
  time.lean,
  time.leanVariance,
];

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

  /** Learns from an attempt. @param nodes those that forwarded the HTLC, and the one that answered it */
  observe(nodes: readonly NodeId[], time: AttemptTime): void {
    if (nodes.length === 0 || !(time.roundTripS >= 0)) return;
    const [last, ...others] = spansOf(nodes, time);
    for (const span of time.waited ? others : [last!, ...others]) {
      this.#learn(span, nodes.length);
    }
  }

  /** At most `count` of the nodes that are slower than the average, the slowest first. */
  slowest(count: number): SlowNode[] {
    return [...this.#nodes]
      .map(([node, { leanVariance }]) => ({
        node,
        excessS: this.excessS(node),
        usesReports: leanVariance < FIRST_VARIANCE,
      }))
      .filter(({ excessS }) => excessS > 0)
      .sort((a, b) => b.excessS - a.excessS)
      .slice(0, count);
  }

  state(): SettleTimesState {
    return {
      mean: this.#mean,
      count: this.#count,
      nodes: Array.from(this.#nodes, stateOf),
    };
  }

  /** Replaces everything with what `state` returned. A time in the future counts as now. */
  restore({ mean, count, nodes }: SettleTimesState): void {
    this.#mean = mean;
    this.#count = count;
    this.#nodes.clear();
    const nowS = this.#now();
    for (const [node, seconds, variance, atS, lean = 0, leanVariance = FIRST_VARIANCE] of nodes)
      this.#nodes.set(node, { seconds, variance, lean, leanVariance, atS: Math.min(atS, nowS) });
  }

  /** @param count number of nodes of the round trip */
  #learn({ terms, seconds }: Span, count: number): void {
    const atS = this.#now();
    const befores: TimeEstimate[] = [];
    let nodes = 0;
    for (const { ofSeconds } of terms) nodes += ofSeconds;
    let error = seconds;
    // r at the top of this file.
    let uncertainty = (OF_ROUND_TRIPS_S ** 2 * nodes) / count;
    for (const { node, ofSeconds, ofLean } of terms) {
      const before = this.#estimate(node, atS);
      befores.push(before);
      error -= ofSeconds * before.seconds + ofLean * before.lean;
      uncertainty += ofSeconds ** 2 * before.variance + ofLean ** 2 * before.leanVariance;
    }
    for (const [index, { node, ofSeconds, ofLean }] of terms.entries()) {
      const before = befores[index]!;
      const gain = (ofSeconds * before.variance) / uncertainty;
      const leanGain = (ofLean * before.leanVariance) / uncertainty;
      const after = Math.max(0, before.seconds + gain * error);
      this.#remember(node, {
        seconds: after,
        variance: before.variance * (1 - ofSeconds * gain),
        lean: Math.min(after, Math.max(-after, before.lean + leanGain * error)),
        leanVariance: before.leanVariance * (1 - ofLean * leanGain),
        atS,
      });
    }
    this.#count = Math.min(MEAN_OF, this.#count + nodes);
    this.#mean += (seconds - this.#mean * nodes) / this.#count;
  }

  #estimate(node: NodeId, atS: number): TimeEstimate {
    const known = this.#nodes.get(node);
    if (known === undefined)
      return {
        seconds: this.#mean,
        variance: FIRST_VARIANCE,
        lean: 0,
        leanVariance: FIRST_VARIANCE,
        atS,
      };
    const { seconds, variance, lean, leanVariance } = known;
    const gained = VARIANCE_PER_S * Math.max(0, atS - known.atS);
    return {
      seconds,
      variance: Math.min(FIRST_VARIANCE, variance + gained),
      lean,
      leanVariance: Math.min(FIRST_VARIANCE, leanVariance + gained),
      atS: known.atS,
    };
  }

  #remember(node: NodeId, estimate: TimeEstimate): void {
    this.#nodes.delete(node);
    this.#nodes.set(node, estimate);
    if (this.#nodes.size <= MAX_TIMES_REMEMBERED) return;
    const [oldest] = this.#nodes.keys();
    this.#nodes.delete(oldest!);
  }
}

/**
 * The spans into which reports divide a round trip, ordered from the node that answered back to us. A node held the
 * HTLC at most for the round trip, to which longer reports are reduced, and at least as long as the next node: shorter
 * reports count as none.
 */
function spansOf(nodes: readonly NodeId[], { roundTripS, holdTimesS }: AttemptTime): Span[] {
  const totalS = Math.min(MAX_ROUND_TRIP_S, roundTripS);
  const spans: Span[] = [];
  let terms: SpanTerm[] = [];
  let beyondS = 0;
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index]!;
    const heldS = Math.min(totalS, holdTimesS[index] ?? 0);
    if (heldS > 0 && heldS >= beyondS) {
      terms.push({ node, ofSeconds: 1 / 2, ofLean: 1 / 2 });
      spans.push({ terms, seconds: heldS - beyondS });
      terms = [{ node, ofSeconds: 1 / 2, ofLean: -1 / 2 }];
      beyondS = heldS;
    } else terms.push({ node, ofSeconds: 1, ofLean: 0 });
  }
  spans.push({ terms, seconds: totalS - beyondS });
  return spans;
}
