/**
 * The odds of attempts, learned from this node's own attempts.
 *
 * The chance that an attempt arrives is the product over its hops of
 *
 *     (1 − o(n)) · Σ_k w_k · p_k
 *
 * where o(n) is the chance that node n does not answer or does not keep its word, and p_k the chance that the direction
 * has the amount, as hypothesis k sees it. A hypothesis is a prior of balances (balance-prior.ts) and a share φ of
 * directions whose known bounds no longer hold, because others' payments moved money: p_k = (1 − φ) · p(amount | bounds)
 * + φ · p(amount | no bounds). The weights w follow what happened by Bayes' rule; each step returns a share of the weight
 * to all hypotheses, so that the model follows a network that changes ("fixed share", Herbster and Warmuth 1998).
 *
 * A node's o is the mean of a beta distribution around the rate of all nodes. Its counts fade with a half-life. A
 * failure that may be for want of balance or because the next node is away counts for each as likely as each is.
 */
import type { NodeId } from '../model/node-id.ts';
import { type BalancePrior, type KnownShares, passingChance } from './balance-prior.ts';
import { Recalibration, type RecalibrationState } from './recalibration.ts';

/** What is known of one hop when an attempt is sent. */
export interface KnownHop extends KnownShares {
  /** The node that the hop leads to. */
  readonly to: NodeId;
  /** Whether the balance is known exactly: an own channel. */
  readonly isOwn: boolean;
}

/** What became of an attempt. */
export type AttemptEnd =
  | { readonly kind: 'arrived' }
  /**
   * Hop `index` was not carried. `blames` says what the failure is about: the balance of the hop or the absence of its
   * next node (these cannot be distinguished), or the node that reported it.
   */
  | { readonly kind: 'failed'; readonly index: number; readonly blames: 'hop' | 'reporter' };

const SCALES = [0.003, 0.01, 0.03, 0.1, 0.3];
const SHARES = [0.25, 0.5, 0.75, 0.95];
const PRIORS: readonly BalancePrior[] = [
  { kind: 'uniform' },
  ...SCALES.map((scale) => ({ kind: 'bimodal', scale }) as const),
  ...SHARES.map((share) => ({ kind: 'onesided', share }) as const),
];
/** Shares of directions whose bounds no longer hold. */
const STALE = [0, 0.03, 0.15];
const HYPOTHESES: readonly Hypothesis[] = PRIORS.flatMap((prior) => STALE.map((stale) => ({ prior, stale })));
/** Number of hypotheses, and so of weights. */
export const HYPOTHESIS_COUNT = HYPOTHESES.length;
/** Share of the weight that each observation returns to all hypotheses. */
const RETURNED = 0.0005;

/** Without any observation, this share of nodes is away: near what probes of the main network find. */
const FIRST_AWAY = 0.02;
/** Observations that the first guess of the rate of all nodes counts for. */
const FIRST_COUNT = 50;
/** Observations that the rate of all nodes counts for where one node is judged. */
const PRIOR_COUNT = 2;
/** Half-life of what a node did, in seconds. */
const HALF_LIFE_S = 3600;
/** Nodes remembered; the one not seen for longest is forgotten first. */
export const MAX_NODES_REMEMBERED = 20_000;

/** What one node did: faded counts, and when they were last changed. */
interface NodeRecord {
  answered: number;
  failed: number;
  atS: number;
}

/** A hypothesis and the weight that it has. */
export interface WeighedHypothesis {
  readonly prior: BalancePrior;
  /** Share of directions whose known bounds no longer hold. */
  readonly stale: number;
  readonly weight: number;
}

/** The state of a model, as JSON. */
export interface OddsState {
  readonly version: 1;
  /** Attempts learned from. */
  readonly observed: number;
  /** Weights of the hypotheses, in their order. They add up to 1. */
  readonly weights: readonly number[];
  readonly correction: RecalibrationState;
  readonly nodes: readonly (readonly [node: NodeId, answered: number, failed: number, atS: number])[];
}

/** Learns from attempts, and states odds. */
export class OddsModel {
  readonly #now: () => number;
  #weights: Float64Array = new Float64Array(HYPOTHESES.length).fill(1 / HYPOTHESES.length);
  /** Sums over nodes: how much each was seen, at most 1, and how much of that failed. Nodes count alike. */
  #seen = FIRST_COUNT;
  #away = FIRST_COUNT * FIRST_AWAY;
  readonly #correction = new Recalibration();
  /** In the order in which they were last seen. */
  readonly #nodes = new Map<NodeId, NodeRecord>();

  #observed = 0;
  #revision = 0;

  /** @param now seconds @param state what an earlier model gave */
  constructor(now: () => number, state?: OddsState) {
    this.#now = now;
    if (state !== undefined) this.#restore(state);
  }

  /** Attempts learned from, over all starts. */
  get observed(): number {
    return this.#observed;
  }

  /** Another model, of this state, with the same clock. */
  like(state: OddsState): OddsModel {
    return new OddsModel(this.#now, state);
  }

  /** Takes a state in the place of everything that was learned. It must have been checked (odds-state.ts). */
  replace(state: OddsState): void {
    this.#nodes.clear();
    this.#seen = FIRST_COUNT;
    this.#away = FIRST_COUNT * FIRST_AWAY;
    this.#restore(state);
    this.#revision++;
  }

  /** Grows with everything that is learned or replaced. */
  get revision(): number {
    return this.#revision;
  }

  #restore({ weights, correction, nodes, observed }: OddsState): void {
    this.#weights = Float64Array.from(weights);
    this.#correction.restore(correction);
    this.#observed = observed;
    for (const [node, answered, failed, atS] of nodes) this.#note(node, { answered, failed, atS });
  }

  /** The chance that all hops carry their amounts, corrected by how earlier odds held. */
  chance(hops: readonly KnownHop[]): number {
    return this.#correction.corrected(this.#product(hops));
  }

  #product(hops: readonly KnownHop[]): number {
    return hops.reduce((product, hop) => product * this.hopChance(hop), 1);
  }

  /** The chance that one hop carries its amount: its node answers, and it has the balance. */
  hopChance(hop: KnownHop): number {
    return (1 - this.awayChance(hop.to)) * this.balanceChance(hop);
  }

  /** The chance that the direction has the balance. */
  balanceChance(hop: KnownHop): number {
    if (hop.isOwn) return 1;
    const chances = chancesUnder(hop);
    let chance = 0;
    for (let k = 0; k < chances.length; k++) chance += this.#weights[k]! * chances[k]!;
    return chance;
  }

  /** The chance that a node is away, or does not keep its word. */
  awayChance(node: NodeId): number {
    const rate = this.awayRate;
    const record = this.#nodes.get(node);
    if (record === undefined) return rate;
    const faded = fading(this.#now() - record.atS);
    const failed = record.failed * faded;
    return (PRIOR_COUNT * rate + failed) / (PRIOR_COUNT + failed + record.answered * faded);
  }

  /** Learns from an attempt that is over. `hops` is what was known when it was sent. */
  observe(hops: readonly KnownHop[], end: AttemptEnd): void {
    this.#observed++;
    this.#revision++;
    this.#correction.observe(this.#product(hops), end.kind === 'arrived');
    const reached = end.kind === 'arrived' ? hops.length : end.index;
    for (const hop of hops.slice(0, reached)) {
      if (!hop.isOwn) this.#weigh(hop, true);
      this.#count(hop.to, 1, 0);
    }
    if (end.kind === 'arrived') return;
    if (end.blames === 'reporter') {
      const reporter = hops[end.index - 1];
      if (reporter !== undefined) this.#count(reporter.to, 0, 1);
      return;
    }
    const hop = hops[end.index];
    if (hop === undefined) return;
    const away = this.awayChance(hop.to);
    const lacking = (1 - away) * (1 - this.balanceChance(hop));
    const blame = away / (away + lacking);
    if (!hop.isOwn) this.#weigh(hop, false);
    this.#count(hop.to, 0, blame);
  }

  /** Bayes' rule for the weights: whether a hop was carried. */
  #weigh(hop: KnownHop, wasCarried: boolean): void {
    const present = 1 - this.awayChance(hop.to);
    const weights = this.#weights;
    const chances = chancesUnder(hop);
    let sum = 0;
    for (let k = 0; k < weights.length; k++) {
      const carried = present * chances[k]!;
      weights[k]! *= Math.max(1e-6, wasCarried ? carried : 1 - carried);
      sum += weights[k]!;
    }
    for (let k = 0; k < weights.length; k++)
      weights[k] = ((1 - RETURNED) * weights[k]!) / sum + RETURNED / weights.length;
  }

  #count(node: NodeId, answered: number, failed: number): void {
    const atS = this.#now();
    const before = this.#nodes.get(node) ?? { answered: 0, failed: 0, atS };
    const faded = fading(atS - before.atS);
    this.#note(node, {
      answered: before.answered * faded + answered,
      failed: before.failed * faded + failed,
      atS,
    });
  }

  #note(node: NodeId, after: NodeRecord): void {
    const before = this.#nodes.get(node);
    this.#nodes.delete(node);
    this.#nodes.set(node, after);
    if (before !== undefined) this.#sumUp(before, -1);
    this.#sumUp(after, 1);
    if (this.#nodes.size <= MAX_NODES_REMEMBERED) return;
    const [oldest] = this.#nodes.keys();
    this.#sumUp(this.#nodes.get(oldest!)!, -1);
    this.#nodes.delete(oldest!);
  }

  #sumUp(record: NodeRecord, sign: 1 | -1): void {
    const seen = sign * Math.min(1, record.answered + record.failed);
    this.#seen += seen;
    this.#away += seen * failedShare(record);
  }

  /** The hypotheses with their weights, the heaviest first. */
  hypotheses(): WeighedHypothesis[] {
    return HYPOTHESES.map((hypothesis, k) => ({ ...hypothesis, weight: this.#weights[k]! })).sort(
      (a, b) => b.weight - a.weight,
    );
  }

  /** The chance that a node of which nothing is known is away. */
  get awayRate(): number {
    return this.#away / this.#seen;
  }

  /** The nodes that are most likely away, at most so many. */
  leastReliable(count: number): { readonly node: NodeId; readonly away: number; readonly seenAtS: number }[] {
    return [...this.#nodes]
      .map(([node, { atS }]) => ({ node, away: this.awayChance(node), seenAtS: atS }))
      .sort((a, b) => b.away - a.away)
      .slice(0, count);
  }

  /** What was learned, for another start. */
  state(): OddsState {
    return {
      version: 1,
      observed: this.#observed,
      weights: [...this.#weights],
      correction: this.#correction.state(),
      nodes: [...this.#nodes].map(([node, { answered, failed, atS }]) => [node, answered, failed, atS]),
    };
  }
}

const failedShare = ({ answered, failed }: NodeRecord): number =>
  answered + failed === 0 ? 0 : failed / (answered + failed);

/** What stays of a count after so many seconds. */
const fading = (seconds: number): number => 0.5 ** (Math.max(0, seconds) / HALF_LIFE_S);

interface Hypothesis {
  readonly prior: BalancePrior;
  readonly stale: number;
}

/** The chance of a hop's balance under each hypothesis, in their order. */
function chancesUnder({ least, most, amount }: KnownShares): Float64Array {
  const chances = new Float64Array(HYPOTHESES.length);
  for (const [index, prior] of PRIORS.entries()) {
    const kept = passingChance(prior, { least, most, amount });
    const fresh = least === 0 && most === 1 ? kept : passingChance(prior, { least: 0, most: 1, amount });
    for (const [at, stale] of STALE.entries())
      chances[index * STALE.length + at] = (1 - stale) * kept + stale * fresh;
  }
  return chances;
}
