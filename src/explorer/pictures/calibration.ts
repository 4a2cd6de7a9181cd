/**
 * Checks whether predicted odds were true. An attempt with predicted probability p either arrived (o = 1) or did not (o
 * = 0).
 *
 *   Brier score     mean of (p − o)²
 *   log-loss        mean of −ln p where it arrived, −ln (1 − p) where it did not
 *   baselines       the same for a predictor that always states the final share of arrivals, and for a coin
 *
 * Odds in ppm are no finer than a millionth. So p is kept between 0.000 000 5 and 1 − 0.000 000 5 for the log-loss,
 * which would be infinite for an attempt at 0 % that arrived.
 */
import { type Interval, wilson, Z_999 } from '../../model/share-interval.ts';

/** One attempt that ended. */
export interface Outcome {
  /** From 0 to 1. */
  readonly predicted: number;
  /** The same before the correction by earlier outcomes. Undefined if odds are not learned. */
  readonly uncorrected?: number | undefined;
  readonly arrived: boolean;
  readonly amountMsat: number;
  /** UNIX seconds at which the odds were predicted. */
  readonly time: number;
}

/** A group of attempts: by bin, by amount or by age. */
export interface OddsGroup {
  readonly count: number;
  readonly arrived: number;
  /** Mean of the predicted odds, and the share that arrived. NaN for an empty group. */
  readonly meanPredicted: number;
  readonly share: number;
  readonly interval: Interval;
  readonly brier: number;
  readonly logLoss: number;
}

const SMALLEST = 5e-7;
const surprise = (probability: number): number =>
  -Math.log(Math.min(1 - SMALLEST, Math.max(SMALLEST, probability)));

/** The figures of a group of attempts. */
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

/** The attempts whose odds were learned, with the odds before the correction. */
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

/** A group with its name. */
export interface NamedGroup extends OddsGroup {
  readonly name: string;
}

/** Upper ends in msat, exclusive. */
const AMOUNTS: readonly (readonly [below: number, name: string])[] = [
  [1e6, 'below 1 000 sat'],
  [1e7, '1 000 to 10 000 sat'],
  [1e8, '10 000 to 100 000 sat'],
  [1e9, '100 000 to 1 M sat'],
  [Number.POSITIVE_INFINITY, '1 M sat and more'],
];

/** Upper ends in seconds, exclusive. */
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

/** By amount. */
export const byAmount = (outcomes: readonly Outcome[]): NamedGroup[] =>
  classed(outcomes, AMOUNTS, ({ amountMsat }) => amountMsat);

/** By the age of the prediction. Each group begins where the previous one ends. */
export const byAge = (outcomes: readonly Outcome[], now: number): NamedGroup[] =>
  classed(outcomes, AGES, ({ time }) => now - time);

/** Scores of simpler predictors. */
export interface Baselines {
  /** Always predicts the final share of arrivals, which is not known in advance. */
  readonly mean: { readonly brier: number; readonly logLoss: number };
  /** Always states 50 %. */
  readonly coin: { readonly brier: number; readonly logLoss: number };
}

/** The baselines for a share of arrivals. */
export function baselinesFor(share: number): Baselines {
  const entropy = share <= 0 || share >= 1 ? 0 : -share * Math.log(share) - (1 - share) * Math.log(1 - share);
  return { mean: { brier: share * (1 - share), logLoss: entropy }, coin: { brier: 0.25, logLoss: Math.LN2 } };
}

/** The conclusion about the odds. */
export type Verdict =
  | { readonly kind: 'tooFew'; readonly needed: number }
  | { readonly kind: 'plausible' }
  | { readonly kind: 'tooHigh' | 'tooLow'; readonly worst: OddsGroup };

/** Minimum number of attempts for a verdict. */
export const ENOUGH = 50;
/** A gap of less than 2 percentage points is harmless, even if it is certain. */
const HARMLESS = 0.02;

const gapOf = ({ meanPredicted, share }: OddsGroup): number => Math.abs(meanPredicted - share);

/**
 * Whether the odds of a group are wrong: they are outside of the 99.9 % interval of the outcome, by enough to matter.
 * Verdict, plot and tables all use this rule.
 */
export function isOff(group: OddsGroup): boolean {
  if (group.count === 0 || gapOf(group) < HARMLESS) return false;
  const { low, high } = wilson(group.arrived, group.count, Z_999);
  return group.meanPredicted < low || group.meanPredicted > high;
}

/**
 * Whether the predicted odds can be true: no group is off. The worst group has the largest gap among those that are.
 */
export function verdictOn(outcomes: readonly Outcome[]): Verdict {
  if (outcomes.length < ENOUGH) return { kind: 'tooFew', needed: ENOUGH };
  const wrong = [...binned(outcomes), groupOf(outcomes)].filter(isOff);
  const [worst] = wrong.sort((a, b) => gapOf(b) - gapOf(a));
  if (worst === undefined) return { kind: 'plausible' };
  return { kind: worst.meanPredicted > worst.share ? 'tooHigh' : 'tooLow', worst };
}
