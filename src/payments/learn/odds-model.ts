/**
 * The odds of attempts, learned from our own attempts and from the history of our attached node (`learnHistory`).
 *
 * The chance that an attempt arrives is the product over its hops of
 *
 *     (1 − o(n)) · (1 − f) · Σ_k w_k · p_k
 *
 * where o(n) is the chance that node n does not answer (node-outcomes.ts), f the chance that the direction does not keep
 * the terms that gossip states (direction-terms.ts), p_k the chance, under hypothesis k, that the balance suffices
 * (balance-hypotheses.ts), and w_k the weight of hypothesis k (hypothesis-weights.ts). The age of bounds is scaled by the
 * traffic that the channel likely has (known-hops.ts).
 *
 * The more failures a node has reported of directions that leave it, the less each new observation of them counts: after
 * n failures within about a day it has the weight 1 / (1 + n / NODE_SHARE)², an exponent in Bayes' rule. So a node that
 * fails payments on purpose counts for no more than about ten failures, however many attempts pass it.
 *
 * For the same reason, a node that reports mostly failures is less credible when it reports that the next node is away.
 *
 * A failed hop is judged by what was known when the attempt ended: if several parts that crossed the same direction at
 * once fail, they fail for the same reason, so the first failure teaches nearly everything.
 */
import type { DirectionClass } from '../../layers/direction-class.ts';
import type { SeenAnswer } from '../../model/node-history.ts';
import type { NodeId } from '../../model/node-id.ts';
import { type AgedShares, chancesUnder, HYPOTHESIS_COUNT } from './balance-hypotheses.ts';
import { DirectionTerms, type SeenTerms } from './direction-terms.ts';
import {
  HypothesisWeights,
  type HypothesisWeightsState,
  type WeighedHypothesis,
} from './hypothesis-weights.ts';
import { fading, MAX_NODES_REMEMBERED, NodeOutcomes, type NodeRecordState } from './node-outcomes.ts';
import { type Drift, OddsDrift } from './odds-drift.ts';
import { Recalibration, type RecalibrationState } from './recalibration.ts';
import { Reporters } from './reporters.ts';
import {
  type AttemptTime,
  NO_TIMES,
  SettleTimes,
  type SettleTimesState,
  type SlowNode,
} from './settle-times.ts';

/** What is known about a hop of a path; for an attempt, what was known when it was sent. */
export interface KnownHop extends AgedShares {
  /** The node that the hop leads to. */
  readonly to: NodeId;
  /** Whether the hop is a channel of our own, whose balance is known exactly. */
  readonly isOwn: boolean;
  /** Key of the direction. Undefined unless the route relies on its gossiped terms. */
  readonly direction?: bigint | undefined;
  /** The class of the direction, from gossip. */
  readonly ofClass: DirectionClass;
}

/** The outcome of an attempt. */
export type AttemptEnd =
  | { readonly kind: 'arrived' }
  /**
   * Hop `index` did not carry the HTLC. `blames` is the presumed cause. `hop`: lack of balance, or absence of the next
   * node (which are indistinguishable). `terms`: the direction did not keep its terms. `reporter`: the node that
   * reported the failure.
   */
  | {
      readonly kind: 'failed';
      readonly index: number;
      readonly blames: 'hop' | 'terms' | 'reporter';
      /** What was known about the failed hop when the attempt ended. Default: what was known when it was sent. */
      readonly knownAtEnd?: KnownHop | undefined;
    };

/** Names of the failures that show that a direction did not keep its gossiped terms. */
const OF_TERMS: ReadonlySet<string | undefined> = new Set([
  'fee_insufficient',
  'incorrect_cltv_expiry',
  'amount_below_minimum',
  'channel_disabled',
  'permanent_channel_failure',
  'required_channel_feature_missing',
]);

/** The presumed cause of a failure with this name. */
export function blameOf(name: string | undefined): 'hop' | 'terms' | 'reporter' {
  if (name === 'temporary_channel_failure' || name === 'unknown_next_peer') return 'hop';
  return OF_TERMS.has(name) ? 'terms' : 'reporter';
}

/** The state of a model, in a form that can be written as JSON. */
export interface OddsState extends HypothesisWeightsState {
  readonly version: 3;
  /** Number of attempts learned from. */
  readonly observed: number;
  readonly correction: RecalibrationState;
  /** UNIX seconds up to which our node's history has been learned. */
  readonly historyUntilS?: number;
  readonly nodes: readonly NodeRecordState[];
  /** Weights of the hypotheses about how long nodes stay away. Absent in state written by earlier releases. */
  readonly persistence?: readonly number[];
  /** How much time each node takes in a round trip. Absent in state written by earlier releases. */
  readonly times?: SettleTimesState;
  /** Directions and whether they kept their terms. Absent in state written by earlier releases. */
  readonly terms?: readonly (readonly [direction: string, isKept: boolean, atS: number])[];
}

/** Learns from attempts, and predicts probabilities. */
export class OddsModel {
  readonly #now: () => number;
  readonly #weights = new HypothesisWeights();
  readonly #nodes: NodeOutcomes;
  readonly #correction = new Recalibration();
  readonly #drift = new OddsDrift();
  readonly #terms: DirectionTerms;
  readonly #times: SettleTimes;
  readonly #reporters: Reporters;

  /** Directions that broke their terms, or whose terms were replaced, since the last `takeChangedTerms`. */
  readonly #changedTerms = new Set<bigint>();

  /**
   * Probabilities under each hypothesis, of the hops of one path. The memory is reused, because large arrays are slow to
   * allocate.
   */
  readonly #ofHops: Float64Array[] = [];

  #observed = 0;
  #revision = 0;
  #historyUntilS: number | undefined;

  /** @param now returns the time in seconds @param state the state of an earlier model */
  constructor(now: () => number, state?: OddsState) {
    this.#now = now;
    this.#nodes = new NodeOutcomes(now);
    this.#terms = new DirectionTerms(now);
    this.#times = new SettleTimes(now);
    this.#reporters = new Reporters(now, MAX_NODES_REMEMBERED);
    if (state !== undefined) this.#restore(state);
  }

  /** How well predictions have held since the start. */
  get drift(): Drift {
    return this.#drift.now;
  }

  /** Number of attempts learned from, including those of earlier processes. */
  get observed(): number {
    return this.#observed;
  }

  /** A new model with this state and the same clock. */
  like(state: OddsState): OddsModel {
    return new OddsModel(this.#now, state);
  }

  /**
   * Replaces everything learned with a state, which must have been checked (odds-state.ts). Its `historyUntilS` is
   * ignored, because it refers to the history of a different node.
   */
  replace({ historyUntilS: _ofAnother, ...state }: OddsState): void {
    for (const [direction] of this.#terms.entries()) this.#changedTerms.add(direction);
    this.#nodes.clear();
    this.#restore(state);
    this.#revision++;
  }

  /** A number that increases whenever something is learned or replaced. */
  get revision(): number {
    return this.#revision;
  }

  #restore(state: OddsState): void {
    const { correction, nodes, terms, persistence, times, observed, historyUntilS } = state;
    this.#historyUntilS ??= historyUntilS;
    this.#weights.restore(state);
    this.#correction.restore(correction);
    this.#observed = observed;
    this.#nodes.restore(nodes, persistence);
    this.#times.restore(times ?? NO_TIMES);
    this.#terms.restore(
      (terms ?? []).map(([direction, isKept, atS]) => [BigInt(direction), { isKept, atS }]),
    );
    for (const [direction, { isKept }] of this.#terms.entries())
      if (!isKept) this.#changedTerms.add(direction);
  }

  /** Probability that all hops carry their amounts, corrected by the outcomes of earlier predictions. */
  chance(hops: readonly KnownHop[]): number {
    return this.corrected(this.uncorrected(hops));
  }

  /** A probability, corrected by the outcomes of earlier predictions. */
  corrected(chance: number): number {
    return this.#correction.corrected(chance);
  }

  /** Like `chance`, but before the correction. */
  uncorrected(hops: readonly KnownHop[]): number {
    let product = 1;
    for (const hop of hops) product *= this.hopChance(hop);
    return product;
  }

  /** Probability that one hop carries its amount: its node responds, its terms hold, and its balance suffices. */
  hopChance(hop: KnownHop): number {
    return this.presentChance(hop) * this.balanceChance(hop);
  }

  /** Probability that the node responds and the direction keeps its terms. */
  presentChance({ to, direction }: Pick<KnownHop, 'to' | 'direction'>): number {
    return (1 - this.awayChance(to)) * (direction === undefined ? 1 : 1 - this.brokenTermsChance(direction));
  }

  /** Probability that a direction does not keep its gossiped terms. */
  brokenTermsChance(direction: bigint): number {
    return this.#terms.brokenChance(direction);
  }

  /** Probability that the balance of the direction suffices. */
  balanceChance(hop: KnownHop): number {
    return hop.isOwn ? 1 : this.#weights.mean(hop.ofClass, this.#chancesOf(hop, 0));
  }

  /** The probabilities that the balance of a hop suffices. Valid until the next call for the same `index`. */
  #chancesOf(hop: KnownHop, index: number): Float64Array {
    this.#ofHops[index] ??= new Float64Array(HYPOTHESIS_COUNT);
    return chancesUnder(hop, this.#ofHops[index]);
  }

  /** Probabilities that a direction without known bounds can send 0, 1/cells … 1 of its capacity. */
  survival(ofClass: DirectionClass, cells: number): Float64Array {
    return this.#weights.survival(ofClass, cells);
  }

  /** Nodes that have changed since the last call; after a replacement, all nodes. */
  takeChangedNodes(): NodeId[] {
    return this.#nodes.takeChanged();
  }

  /** Cost of passing a node besides its fees, in nats: −ln of the probability that it responds. */
  burden(node: NodeId): number {
    return -Math.log(Math.max(1e-6, 1 - this.awayChance(node)));
  }

  /** Expected seconds that a node adds to a round trip, compared with an average node. */
  excessSeconds(node: NodeId): number {
    return this.#times.excessS(node);
  }

  /** The burden of an unknown node. */
  get usualBurden(): number {
    return -Math.log(1 - this.awayRate);
  }

  /** A single half-life of bounds, in seconds: the inverse of the weighted mean of the hypotheses' rates. */
  get halfLifeS(): number {
    return this.#weights.halfLifeS;
  }

  /** Probability that a node is away or unreliable. */
  awayChance(node: NodeId): number {
    return this.#nodes.awayChance(node);
  }

  /**
   * Learns from a finished attempt. `hops` is what was known when the attempt was sent.
   * @param time undefined if it is unknown
   */
  observe(hops: readonly KnownHop[], end: AttemptEnd, time?: AttemptTime): void {
    this.#observed++;
    this.#revision++;
    if (time !== undefined) this.#timeOf(hops, end, time);
    let product = 1;
    for (const [index, hop] of hops.entries()) {
      const sufficient = hop.isOwn ? 1 : this.#weights.mean(hop.ofClass, this.#chancesOf(hop, index));
      product *= this.presentChance(hop) * sufficient;
    }
    const hasArrived = end.kind === 'arrived';
    this.#drift.observe(product, this.#correction.corrected(product), hasArrived);
    this.#correction.observe(product, hasArrived, this.#credenceOf(hops));
    const reached = end.kind === 'arrived' ? hops.length : Math.min(hops.length, end.index);
    for (let index = 0; index < reached; index++) {
      const hop = hops[index]!;
      if (!hop.isOwn) this.#weigh(hop, this.#ofHops[index]!, true, hops[index - 1]?.to);
      this.#nodes.observe(hop.to, 1, 0);
      this.#noteTerms(hop, true);
    }
    if (end.kind === 'arrived') return;
    if (end.blames === 'terms') {
      this.#noteTerms(hops[end.index], false);
      return;
    }
    if (end.blames === 'reporter') {
      const reporter = hops[end.index - 1];
      if (reporter !== undefined) this.#nodes.observe(reporter.to, 0, 1);
      return;
    }
    const hop = hops[end.index];
    if (hop === undefined) return;
    const known = end.knownAtEnd ?? hop;
    const ofHop = hop.isOwn ? undefined : this.#chancesOf(known, end.index);
    const away = this.awayChance(hop.to);
    const sufficient = ofHop === undefined ? 1 : this.#weights.mean(hop.ofClass, ofHop);
    const lacking = (1 - away) * (1 - sufficient);
    const from = hops[end.index - 1]?.to;
    const blame = (this.#reporters.credence(from) * sufficient * away) / (away + lacking);
    if (ofHop !== undefined) this.#weigh(hop, ofHop, false, from);
    this.#nodes.observe(hop.to, 0, blame, sufficient - blame);
  }

  /** UNIX seconds up to which our node's history has been learned. Undefined if none has been. */
  get historyUntilS(): number | undefined {
    return this.#historyUntilS;
  }

  /**
   * Learns whether nodes responded to our attached node. These responses count like responses to our own attempts,
   * faded by their age. Responses up to `historyUntilS` are skipped, so that none counts twice.
   * @returns the number of responses that counted
   */
  learnHistory(answers: readonly SeenAnswer[]): number {
    const nowS = this.#now();
    const sinceS = this.#historyUntilS ?? 0;
    const fresh = answers.filter(({ timestamp }) => timestamp > sinceS && timestamp <= nowS);
    for (const { node, hasAnswered, timestamp } of fresh) {
      const weight = fading(nowS - timestamp);
      this.#nodes.observe(node, hasAnswered ? weight : 0, hasAnswered ? 0 : weight);
    }
    if (fresh.length === 0) return 0;
    this.#historyUntilS = fresh.reduce((last, { timestamp }) => Math.max(last, timestamp), sinceS);
    this.#revision++;
    return fresh.length;
  }

  /**
   * Learns how long the nodes of a round trip take: those that forwarded the HTLC, and the one that answered it.
   */
  #timeOf(hops: readonly KnownHop[], end: AttemptEnd, time: AttemptTime): void {
    const nodes = hops.slice(0, end.kind === 'arrived' ? hops.length : end.index).map(({ to }) => to);
    this.#times.observe(nodes, time);
    for (const node of nodes) this.#nodes.noteChange(node);
  }

  #noteTerms(hop: KnownHop | undefined, isKept: boolean): void {
    if (hop?.direction === undefined) return;
    this.#terms.note(hop.direction, isKept);
    if (!isKept) this.#changedTerms.add(hop.direction);
  }

  /**
   * Directions found to break their terms since the last call, including those of a restored state; after a
   * replacement, also all earlier directions.
   */
  takeChangedTerms(): bigint[] {
    const changed = [...this.#changedTerms];
    this.#changedTerms.clear();
    return changed;
  }

  /** Credibility of the outcome of a path: the minimum over its forwarding nodes. */
  #credenceOf(hops: readonly KnownHop[]): number {
    let credence = 1;
    for (let index = 0; index < hops.length - 1; index++)
      credence = Math.min(credence, this.#reporters.credence(hops[index]!.to));
    return credence;
  }

  /**
   * Updates the weights by Bayes' rule, given whether the hop carried the HTLC.
   * @param chances probability that the hop's balance suffices, under each hypothesis @param from the node that the
   *   hop leaves
   */
  #weigh(hop: KnownHop, chances: Float64Array, wasCarried: boolean, from: NodeId | undefined): void {
    const credence = this.#reporters.credence(from);
    const trust = credence * this.#reporters.trust(from, wasCarried);
    const present = this.presentChance(hop);
    this.#weights.observe({ ofClass: hop.ofClass, chances, wasCarried, present, trust });
  }

  /** The hypotheses with their weights for all classes together, heaviest first. */
  hypotheses(): WeighedHypothesis[] {
    return this.#weights.hypotheses();
  }

  /** Probability that an unknown node is away. */
  get awayRate(): number {
    return this.#nodes.awayRate;
  }

  /** The `count` nodes most likely to be away. */
  leastReliable(count: number): { readonly node: NodeId; readonly away: number; readonly seenAtS: number }[] {
    return this.#nodes.leastReliable(count);
  }

  /** At most `count` of the nodes that are slower than the average, the slowest first. */
  slowest(count: number): SlowNode[] {
    return this.#times.slowest(count);
  }

  /** The learned state, to be restored by a later process. */
  state(): OddsState {
    return {
      version: 3,
      observed: this.#observed,
      ...this.#weights.state(),
      correction: this.#correction.state(),
      ...(this.#historyUntilS !== undefined && { historyUntilS: this.#historyUntilS }),
      nodes: this.#nodes.state(),
      persistence: this.#nodes.persistence,
      times: this.#times.state(),
      terms: Array.from(this.#terms.entries(), termsState),
    };
  }
}

// V8 would compile this again for each state if it were a closure of `state`.
const termsState = ([direction, { isKept, atS }]: readonly [bigint, SeenTerms]): NonNullable<
  OddsState['terms']
>[number] => [`${direction}`, isKept, atS];
