/**
 * Monitors whether predicted probabilities hold. Over the last few hundred attempts, with exponential fading, it
 * compares the mean prediction with the share of attempts that arrived. If predictions p are right, the number of
 * arrivals minus the sum of the predictions has mean 0 and variance Σ p (1 − p). `deviation` is this difference in
 * standard deviations.
 *
 * It also tracks the log loss of the odds before and after their correction (recalibration.ts), which shows how much
 * the correction helps.
 */

/**
 * With each new attempt, the weight of all earlier ones is multiplied by this factor, so that about 500 attempts count.
 */
const FADING = 0.998;
/** Minimum number of attempts before an alarm. */
const ENOUGH = 100;
/**
 * Odds have drifted if the difference exceeds both this many standard deviations and this share of the attempts. By
 * chance alone, a difference of four standard deviations has a probability of 1 in 15,000.
 */
const ALARM_DEVIATION = 4;
const ALARM_GAP = 0.03;

/** How well predictions hold. */
export interface Drift {
  /** Sum of the attempts' faded weights. */
  readonly attempts: number;
  /** Mean prediction, and the share of attempts that arrived. Undefined if there are no attempts. */
  readonly stated: number | undefined;
  readonly arrived: number | undefined;
  /** Mean −ln of the probability predicted for the actual outcome, before and after the correction. */
  readonly lossBefore: number | undefined;
  readonly lossAfter: number | undefined;
  /** How far the number of arrivals exceeds the predicted number, in standard deviations. */
  readonly deviation: number;
  /** Whether predictions no longer hold. */
  readonly hasDrifted: boolean;
}

/** Sums over attempts, with exponential fading. */
export class OddsDrift {
  #count = 0;
  #stated = 0;
  #arrived = 0;
  #lossBefore = 0;
  #lossAfter = 0;
  #surplus = 0;
  #variance = 0;

  /** @param before the prediction before its correction @param after the corrected prediction */
  observe(before: number, after: number, hasArrived: boolean): void {
    const came = hasArrived ? 1 : 0;
    this.#count = FADING * this.#count + 1;
    this.#stated = FADING * this.#stated + after;
    this.#arrived = FADING * this.#arrived + came;
    this.#lossBefore = FADING * this.#lossBefore + loss(before, hasArrived);
    this.#lossAfter = FADING * this.#lossAfter + loss(after, hasArrived);
    this.#surplus = FADING * this.#surplus + came - after;
    this.#variance = FADING * FADING * this.#variance + after * (1 - after);
  }

  get now(): Drift {
    const count = this.#count;
    const mean = (sum: number): number | undefined => (count === 0 ? undefined : sum / count);
    const deviation = this.#variance > 0 ? this.#surplus / Math.sqrt(this.#variance) : 0;
    const gap = count === 0 ? 0 : Math.abs(this.#surplus) / count;
    return {
      attempts: count,
      stated: mean(this.#stated),
      arrived: mean(this.#arrived),
      lossBefore: mean(this.#lossBefore),
      lossAfter: mean(this.#lossAfter),
      deviation,
      hasDrifted: count >= ENOUGH && gap > ALARM_GAP && Math.abs(deviation) > ALARM_DEVIATION,
    };
  }
}

function loss(chance: number, hasArrived: boolean): number {
  return -Math.log(Math.max(1e-6, hasArrived ? chance : 1 - chance));
}
