/**
 * Checks whether predicted odds were true. An attempt with predicted probability p either arrived (o = 1) or did not (o
 * = 0).
 *
 *   Brier score     mean of (p − o)²
 *   log-loss        mean of −ln p where it arrived, −ln (1 − p) where it did not
 *   baselines       the same for a predictor that always states the final share of arrivals, and for one that always
 *                   states 50 %
 *
 * Odds in ppm are no finer than a millionth. So for the log-loss, p is limited to the range from 0.000 000 5 to 1 −
 * 0.000 000 5. Without this limit, the log-loss of an attempt that arrived at 0 % would be infinite.
 */
import { type Interval, wilson, Z_999 } from '../../model/share-interval.ts';

/** A finished attempt. */
export interface Outcome {
  /** Predicted probability, from 0 to 1. */
  readonly predicted: number;
  /** Predicted probability before the correction by earlier outcomes. Undefined if odds are not learned. */
  readonly uncorrected?: number | undefined;
  readonly arrived: boolean;
  readonly amountMsat: number;
  /** UNIX seconds at which the odds were predicted. */
  readonly time: number;
}

/** A group of attempts, by predicted odds, amount or age. */
export interface OddsGroup {
  readonly count: number;
  readonly arrived: number;
  /** Mean of the predicted probabilities, and the share of attempts that arrived. NaN for an empty group. */
  readonly meanPredicted: number;
  readonly share: number;
  readonly interval: Interval;
  readonly brier: number;
  readonly logLoss: number;
}

const SMALLEST = 5e-7;
const surprise = (probability: number): number =>
  -Math.log(Math.min(1 - SMALLEST, Math.max(SMALLEST, probability)));

/** Computes the figures of a group of attempts. */
export function groupOf(outcomes: readonly Outcome[]): OddsGroup {
  let [arrived, predicted, squares, surprises] = [0, 0, 0, 0];
  for (const outcome of outcomes) {
    const hit = outcome.arrived ? 1 : 0;
    arrived += hit;
    predicted += outcome.predicted;
    squares += (outcome.predicted - hit) ** 2;
    surprises += surprise(outcome.arrived ? outcome.predicted : 1 - outcome.predicted);
  }
  const count = outcomes.length;
  return {
    count,
    arrived,
    meanPredicted: predicted / count,
    share: arrived / count,
    interval: wilson(arrived, count),
    brier: squares / count,
    logLoss: surprises / count,
  };
}

/** The attempts whose odds were corrected, each with its odds before the correction. */
export const beforeCorrection = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.flatMap((outcome) =>
    outcome.uncorrected === undefined ? [] : [{ ...outcome, predicted: outcome.uncorrected }],
  );

/** Number of groups of predicted odds: 0–10 %, … 90–100 %. */
export const BINS = 10;

/** The groups of predicted odds, least likely first. Some may be empty. */
export function binned(outcomes: readonly Outcome[]): OddsGroup[] {
  const bins: Outcome[][] = Array.from({ length: BINS }, () => []);
  for (const outcome of outcomes) {
    bins[Math.min(BINS - 1, Math.max(0, Math.floor(outcome.predicted * BINS)))]!.push(outcome);
  }
  return bins.map(groupOf);
}

/** A group of attempts with a name. */
export interface NamedGroup extends OddsGroup {
  readonly name: string;
}

/** Classes of amounts by their exclusive upper ends in msat. */
const AMOUNTS: readonly (readonly [below: number, name: string])[] = [
  [1e6, 'below 1 000 sat'],
  [1e7, '1 000 to 10 000 sat'],
  [1e8, '10 000 to 100 000 sat'],
  [1e9, '100 000 to 1 M sat'],
  [Number.POSITIVE_INFINITY, '1 M sat and more'],
];

/** Classes of ages by their exclusive upper ends in seconds. */
const AGES: readonly (readonly [below: number, name: string])[] = [
  [600, 'last 10 minutes'],
  [3600, 'last hour'],
  [86_400, 'last day'],
  [604_800, 'last week'],
  [Number.POSITIVE_INFINITY, 'older'],
];

function classed(
  outcomes: readonly Outcome[],
  classes: readonly (readonly [below: number, name: string])[],
  measure: (outcome: Outcome) => number,
): NamedGroup[] {
  const groups = new Map<string, Outcome[]>(classes.map(([, name]) => [name, []]));
  for (const outcome of outcomes) {
    const value = measure(outcome);
    groups.get(classes.find(([below]) => value < below)![1])!.push(outcome);
  }
  return [...groups].map(([name, members]) => ({ name, ...groupOf(members) }));
}

/** The attempts grouped by amount. */
export const byAmount = (outcomes: readonly Outcome[]): NamedGroup[] =>
  classed(outcomes, AMOUNTS, ({ amountMsat }) => amountMsat);

/** The attempts grouped by the age of the prediction. Each group begins where the previous group ends. */
export const byAge = (outcomes: readonly Outcome[], now: number): NamedGroup[] =>
  classed(outcomes, AGES, ({ time }) => now - time);

/** Scores of simpler predictors. */
export interface Baselines {
  /** A predictor that always predicts the final share of arrivals, which no real predictor knows in advance. */
  readonly mean: { readonly brier: number; readonly logLoss: number };
  /** A predictor that always predicts 50 %. */
  readonly coin: { readonly brier: number; readonly logLoss: number };
}

/** The baselines for a share of arrivals. */
export function baselinesFor(share: number): Baselines {
  const entropy = share <= 0 || share >= 1 ? 0 : -share * Math.log(share) - (1 - share) * Math.log(1 - share);
  return { mean: { brier: share * (1 - share), logLoss: entropy }, coin: { brier: 0.25, logLoss: Math.LN2 } };
}

/** The verdict on the predicted odds. */
export type Verdict =
  | { readonly kind: 'tooFew'; readonly needed: number }
  | { readonly kind: 'plausible' }
  | { readonly kind: 'tooHigh' | 'tooLow'; readonly worst: OddsGroup };

/** Minimum number of attempts for a verdict. */
export const ENOUGH = 50;
/** A gap between prediction and outcome below this threshold is harmless, even if it is not due to chance. */
const HARMLESS = 0.02;

const gapOf = ({ meanPredicted, share }: OddsGroup): number => Math.abs(meanPredicted - share);

/**
 * Whether the odds of a group are wrong. They are if they lie outside the 99.9 % interval of the outcome and the gap is
 * not harmless. The verdict, the plot and the tables all use this rule.
 */
export function isOff(group: OddsGroup): boolean {
  if (group.count === 0 || gapOf(group) < HARMLESS) return false;
  const { low, high } = wilson(group.arrived, group.count, Z_999);
  return group.meanPredicted < low || group.meanPredicted > high;
}

/**
 * The verdict on all attempts: the predicted odds may be right if no group is wrong. Otherwise the verdict names the
 * wrong group with the largest gap.
 */
export function verdictOn(outcomes: readonly Outcome[]): Verdict {
  if (outcomes.length < ENOUGH) return { kind: 'tooFew', needed: ENOUGH };
  const wrong = [...binned(outcomes), groupOf(outcomes)].filter(isOff);
  const [worst] = wrong.sort((a, b) => gapOf(b) - gapOf(a));
  if (worst === undefined) return { kind: 'plausible' };
  return { kind: worst.meanPredicted > worst.share ? 'tooHigh' : 'tooLow', worst };
}
