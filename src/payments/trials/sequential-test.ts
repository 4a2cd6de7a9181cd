/**
 * Tests which of two variants succeeds more often: checked after every payment, and decided as early as possible.
 *
 * A fair coin assigns each payment its variant, independently of the payment. For each payment, let f be 1 if it failed
 * and 0 if not, m the share of earlier payments of both variants that failed, and ε = 1 for the variant on trial, −1
 * for the usual one. Payments to recipients that probably do not answer have an m of their own, so that failures that no
 * variant could have prevented hardly add to the noise. After n of N payments,
 *
 *     U = Σ ε · (f − m)        V = Σ (f − m)²        W = U / √V · √(n / N)
 *
 * If the variants are equal, the signs ε are fair coins whatever happened to the payments, even in a bad hour in which
 * many fail. So U is a sum of symmetric, independent terms, and the probability that it ever exceeds a bound up to the
 * Nth payment is at most twice the probability that it exceeds the bound at the end (Lévy's inequality). √V · √(N / n)
 * estimates the standard deviation at the end, so W exceeds c with a probability of about 2 · (1 − Φ(c)):
 *
 *     worse   W ≥ 2.05    4.0 %
 *     better  W ≤ −2.9    0.4 %
 *
 * The bounds differ because it matters more to stop a worse variant than to adopt a better one. After N payments, the
 * test ends without a decision. There is no decision before `MIN_PAYMENTS` payments.
 */

/** Number of payments in a trial, for both variants together. */
export const TRIAL_PAYMENTS = 3_000;
const WORSE = 2.05;
const BETTER = -2.9;
const MIN_PAYMENTS = 200;
/** Payments assumed at the start. One of them failed. */
const FIRST_PAYMENTS = 20;
/** The same for payments to recipients that probably do not answer. */
const FIRST_DOUBTFUL = 2;

/** The two variants: the usual settings, and the settings on trial. */
export type Arm = 'usual' | 'trial';

/** Payments of one variant, and how many of them are complete. */
export interface ArmCount {
  readonly payments: number;
  readonly complete: number;
}

/** The state of a trial. */
export type TrialVerdict =
  | 'open'
  /** `worse` and `better`: the variant on trial succeeds less or more often than the usual one. */
  | 'worse'
  | 'better'
  /** `TRIAL_PAYMENTS` payments were made, and the variants did not differ enough. */
  | 'alike';

/** Counts by variant. */
export type ArmCounts = Readonly<Record<Arm, ArmCount>>;

/** A sequential test of two variants. Its verdict is final. */
export class SequentialTest {
  readonly #counts = { usual: { payments: 0, complete: 0 }, trial: { payments: 0, complete: 0 } };
  /** Payments so far, and how many of them failed; separately those to recipients that probably do not answer. */
  readonly #others = { failed: 1, payments: FIRST_PAYMENTS };
  readonly #doubtful = { failed: 1, payments: FIRST_DOUBTFUL };
  /** U and V of the comment at the top of this file. */
  #difference = 0;
  #variance = 0;
  #verdict: TrialVerdict = 'open';

  get counts(): ArmCounts {
    return this.#counts;
  }

  get verdict(): TrialVerdict {
    return this.#verdict;
  }

  /** The statistic W. It is above 0 if the variant on trial fails more often. */
  get statistic(): number {
    if (this.#variance === 0) return 0;
    return (this.#difference / Math.sqrt(this.#variance)) * Math.sqrt(this.#payments / TRIAL_PAYMENTS);
  }

  get #payments(): number {
    return this.#counts.usual.payments + this.#counts.trial.payments;
  }

  /**
   * Counts a finished payment. Nothing is counted after the verdict.
   * @param isDoubtful whether the recipient probably did not answer, as was known when the payment began
   */
  observe(arm: Arm, isComplete: boolean, isDoubtful = false): void {
    if (this.#verdict !== 'open') return;
    const earlier = isDoubtful ? this.#doubtful : this.#others;
    const failed = isComplete ? 0 : 1;
    const surprise = failed - earlier.failed / earlier.payments;
    earlier.failed += failed;
    earlier.payments++;
    this.#difference += arm === 'trial' ? surprise : -surprise;
    this.#variance += surprise ** 2;
    const count = this.#counts[arm];
    count.payments++;
    if (isComplete) count.complete++;
    this.#decide();
  }

  #decide(): void {
    if (this.#payments < MIN_PAYMENTS) return;
    if (this.statistic >= WORSE) this.#verdict = 'worse';
    else if (this.statistic <= BETTER) this.#verdict = 'better';
    else if (this.#payments >= TRIAL_PAYMENTS) this.#verdict = 'alike';
  }
}
