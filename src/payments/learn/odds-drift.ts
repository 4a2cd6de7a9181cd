/**
 * Watches whether stated odds hold. Over the last few hundred attempts, which fade one by one, it compares the mean of
 * what was stated with the share that arrived. If odds are true, the difference of their sums has mean 0 and the variance
 * Σ p (1 − p); in units of its standard deviation it is the deviation below.
 *
 * It also keeps the log loss of the odds before and after their correction (recalibration.ts), so that one sees what the
 * correction is worth.
 */

/** What stays of earlier attempts with each new one: some 500 count. */
const FADING = 0.998;
/** Minimum number of attempts before an alarm. */
const ENOUGH = 100;
/** Odds have drifted beyond these standard deviations and points of probability. Chance alone: 1 in 15,000. */
const ALARM_DEVIATION = 4;
const ALARM_GAP = 0.03;

/** Where stated odds stand. */
export interface Drift {
  /** Attempts that count, faded. */
  readonly attempts: number;
  /** Mean of the stated chances, and the share that arrived. Undefined without attempts. */
  readonly stated: number | undefined;
  readonly arrived: number | undefined;
  /** Mean −ln of the chance that was stated for what happened, before the correction and after it. */
  readonly lossBefore: number | undefined;
  readonly lossAfter: number | undefined;
  /** How far what arrived lies above what was stated, in standard deviations. */
  readonly deviation: number;
  /** Whether stated odds no longer hold. */
  readonly hasDrifted: boolean;
}

/** Faded sums over attempts. */
export class OddsDrift {
  #count = 0;
  #stated = 0;
  #arrived = 0;
  #lossBefore = 0;
  #lossAfter = 0;
  #surplus = 0;
  #variance = 0;

  /** @param before the chance before its correction @param after as it was stated */
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
