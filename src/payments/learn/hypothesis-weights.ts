/**
 * The weights of the hypotheses about balances (balance-hypotheses.ts): one row for each class of directions
 * (src/layers/direction-class.ts), and one row for all directions together.
 *
 * Predictions for a class use a mix of its own row and the common row. The shares of the two rows follow Bayes' rule, as
 * the weights do: each observation of the class favours the row that predicted it better.
 */
import { DIRECTION_CLASSES, type DirectionClass } from '../../layers/direction-class.ts';
import {
  evenWeights,
  FADES,
  HYPOTHESES,
  HYPOTHESIS_COUNT,
  type Hypothesis,
  halfLifeUnder,
  priorCurves,
  reweigh,
} from './balance-hypotheses.ts';

/** Initial share of a class's own weights when they are mixed with the common weights. */
const FIRST_OWN_SHARE = 0.2;

/** A hypothesis and its weight. */
export interface WeighedHypothesis extends Hypothesis {
  readonly weight: number;
}

/** An observation of a direction, whose likelihood depends on whether the balance sufficed. */
export interface BalanceObservation {
  readonly ofClass: DirectionClass;
  /** Probability that the balance suffices, under each hypothesis. */
  readonly chances: Float64Array;
  readonly wasCarried: boolean;
  /** Probability that the hop carries the HTLC if the balance suffices. */
  readonly present: number;
  /** Credibility of the observation, 0 … 1. */
  readonly trust: number;
}

/** The weights in a form that can be written as JSON. */
export interface HypothesisWeightsState {
  /**
   * Weights in the order of `HYPOTHESES`. The first row is for all directions, and the others for one class each. Each
   * row adds up to 1.
   */
  readonly weights: readonly (readonly number[])[];
  /** For each class, the share of its own weights when they are mixed with the common weights. */
  readonly ownShares: readonly number[];
}

/** Learns the weights from observations, and averages over the hypotheses. */
export class HypothesisWeights {
  /** Weights in the order of `HYPOTHESES`: a row for all directions, then a row for each class. */
  #weights: Float64Array[] = Array.from({ length: 1 + DIRECTION_CLASSES }, evenWeights);
  /** For each class, the shares of the common weights and of its own weights when they are mixed. */
  #shares: Float64Array[] = Array.from({ length: DIRECTION_CLASSES }, () => sharesWith(FIRST_OWN_SHARE));
  /** The likelihood of one observation under each hypothesis. Reused, because large arrays are slow to allocate. */
  readonly #factors = new Float64Array(HYPOTHESIS_COUNT);

  /** The mean of `chances` over all hypotheses, with their weights for a class. */
  mean(ofClass: DirectionClass, chances: Float64Array): number {
    const [all, own] = [this.#weights[0]!, this.#weights[1 + ofClass]!];
    const [ofAll, ofOwn] = this.#shares[ofClass]!;
    let chance = 0;
    for (let k = 0; k < chances.length; k++) chance += (ofAll! * all[k]! + ofOwn! * own[k]!) * chances[k]!;
    return chance;
  }

  #weightOf(ofClass: DirectionClass, k: number): number {
    const [ofAll, ofOwn] = this.#shares[ofClass]!;
    return ofAll! * this.#weights[0]![k]! + ofOwn! * this.#weights[1 + ofClass]![k]!;
  }

  /** Probabilities that a direction without known bounds can send 0, 1/cells … 1 of its capacity. */
  survival(ofClass: DirectionClass, cells: number): Float64Array {
    const sums = new Float64Array(cells + 1);
    for (const [index, curve] of priorCurves(cells).entries()) {
      let weight = 0;
      for (let at = 0; at < FADES.length; at++) weight += this.#weightOf(ofClass, index * FADES.length + at);
      for (let cell = 0; cell <= cells; cell++) sums[cell]! += weight * curve[cell]!;
    }
    return sums;
  }

  /** Updates the weights by Bayes' rule. */
  observe({ ofClass, chances, wasCarried, present, trust }: BalanceObservation): void {
    const factors = this.#factors;
    let [chance, factor] = [Number.NaN, 1];
    for (let k = 0; k < chances.length; k++) {
      // Hypotheses with the same prior often agree, and powers are slow.
      if (chances[k] !== chance) {
        chance = chances[k]!;
        factor = Math.max(1e-6, wasCarried ? present * chance : 1 - present * chance);
        if (trust !== 1) factor **= trust;
      }
      factors[k] = factor;
    }
    const ofAll = reweigh(this.#weights[0]!, factors, trust);
    const ofOwn = reweigh(this.#weights[1 + ofClass]!, factors, trust);
    reweigh(this.#shares[ofClass]!, [ofAll, ofOwn], trust);
  }

  /** A single half-life of bounds, in seconds: the inverse of the weighted mean of the hypotheses' rates. */
  get halfLifeS(): number {
    return halfLifeUnder(this.#weights[0]!);
  }

  /** The hypotheses with their weights for all classes together, heaviest first. */
  hypotheses(): WeighedHypothesis[] {
    return HYPOTHESES.map((hypothesis, k) => ({ ...hypothesis, weight: this.#weights[0]![k]! })).sort(
      (a, b) => b.weight - a.weight,
    );
  }

  /** The weights, to be restored by a later process. */
  state(): HypothesisWeightsState {
    return {
      weights: this.#weights.map((row) => [...row]),
      ownShares: this.#shares.map(([, ofOwn]) => ofOwn!),
    };
  }

  /** Restores what `state` returned. */
  restore({ weights, ownShares }: HypothesisWeightsState): void {
    this.#weights = weights.map((row) => Float64Array.from(row));
    this.#shares = ownShares.map(sharesWith);
  }
}

const sharesWith = (own: number): Float64Array => Float64Array.of(1 - own, own);
