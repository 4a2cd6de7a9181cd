/**
 * How well the last outcome at a node predicts its next one. If nodes are either up or away for hours, one failure
 * predicts the next almost certainly; if every node fails now and then, it predicts little. This file learns which is
 * the case.
 *
 * Hypothesis c: the chance that a node fails has a beta distribution with the mean r of all nodes and the weight of c
 * observations, so after `a` answers and `f` failures it is (c · r + f) / (c + a + f). A fraction of a failure is the
 * probability that there was one: 0.1 failures mean no failure with probability 0.9, and one failure with probability
 * 0.1, so the chance is interpolated between those of whole numbers. An answer makes the uncertain failure less likely, by
 * Bayes' rule: a node that was away would probably still be away. Each further outcome at a node that was seen before
 * updates the weights of the hypotheses by Bayes' rule, and then distributes a small share of the
 * total weight evenly.
 */

/** For each hypothesis, the weight of the rate of all nodes, in observations. */
const COUNTS = [0.1, 0.4, 1.6, 6.4] as const;
/** Number of hypotheses. Each has a weight. */
export const PERSISTENCE_COUNT = COUNTS.length;
/** Share of the total weight that each observation distributes evenly among all hypotheses. */
const RETURNED = 0.0001;

/** Faded counts of one node. */
export interface NodeCounts {
  readonly answered: number;
  readonly failed: number;
}

const NOTHING: NodeCounts = { answered: 0, failed: 0 };

/** Learns the weights of the hypotheses from the outcomes at all nodes. */
export class Persistence {
  #weights: number[] = COUNTS.map(() => 1 / COUNTS.length);

  /**
   * Probability that a node fails.
   * @param rate failure rate of all nodes @param kept share that is left of the counts, because they fade with age
   */
  failingChance(rate: number, seen: NodeCounts = NOTHING, kept = 1): number {
    return COUNTS.reduce((sum, count, at) => sum + this.#weights[at]! * failing(count, rate, seen, kept), 0);
  }

  /**
   * Learns from an outcome. If its cause is uncertain, `answered` and `failed` are fractions with a sum of at most 1.
   */
  observe(rate: number, seen: NodeCounts, { answered, failed }: NodeCounts, kept = 1): void {
    if (seen.answered + seen.failed === 0) return;
    const factors = COUNTS.map((count) => {
      const chance = Math.min(1 - MIN_CHANCE, Math.max(MIN_CHANCE, failing(count, rate, seen, kept)));
      return chance ** failed * (1 - chance) ** answered;
    });
    const weighed = this.#weights.map((weight, at) => weight * factors[at]!);
    const sum = weighed.reduce((total, weight) => total + weight, 0);
    this.#weights = weighed.map((weight) => ((1 - RETURNED) * weight) / sum + RETURNED / COUNTS.length);
  }

  /** What is left of the earlier failures once a node has answered. @param answered weight of the answer, 0 … 1 */
  failedAfter(rate: number, seen: NodeCounts, answered: number, kept: number): number {
    const whole = Math.floor(seen.failed);
    const part = seen.failed - whole;
    if (part === 0) return whole;
    const likelihood = (failed: number): number =>
      (1 - this.failingChance(rate, { answered: seen.answered, failed }, kept)) ** answered;
    const [without, having] = [(1 - part) * likelihood(whole), part * likelihood(whole + 1)];
    return whole + having / (without + having);
  }

  /** The weights of the hypotheses; they add up to 1. */
  get weights(): readonly number[] {
    return this.#weights;
  }

  /** Restores what `weights` returned. */
  restore(weights: readonly number[]): void {
    this.#weights = [...weights];
  }
}

/** Minimum probability of any outcome, because no outcome is impossible. */
const MIN_CHANCE = 1e-3;

function failing(count: number, rate: number, { answered, failed }: NodeCounts, kept: number): number {
  const after = (failures: number): number =>
    (count * rate + kept * failures) / (count + kept * (answered + failures));
  const whole = Math.floor(failed);
  return after(whole) + (failed - whole) * (after(whole + 1) - after(whole));
}
