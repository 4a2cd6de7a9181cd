/**
 * Hypotheses about balances. Each combines a prior (balance-prior.ts) with a way in which known bounds fade, as other
 * nodes' payments move money. Either a share φ of directions has changed completely: p = (1 − φ) · p(amount | bounds) +
 * φ · p(amount | no bounds). Or bounds drift apart with a half-life h: after t seconds, the distance of a minimum from
 * 0, and of a maximum from the capacity, is 2^(−t/h) of what it was.
 *
 * Each observation updates the weights by Bayes' rule, and then distributes a small share of the total weight evenly
 * among all hypotheses, so that the model follows a network that changes ("fixed share", Herbster and Warmuth 1998).
 */
import {
  type BalancePrior,
  columnsOf,
  type KnownShares,
  passingChance,
  passingChances,
  USUAL_RESERVE,
} from './balance-prior.ts';

/** A prior of balances, and a way in which bounds fade. */
export interface Hypothesis {
  readonly prior: BalancePrior;
  readonly fade: Fade;
}

/** What is known about a balance. */
export interface AgedShares extends KnownShares {
  /** Age of the knowledge about the balance, in seconds, scaled by the likely traffic. */
  readonly ageS: number;
}

/** Each scale is 10^¼ times the previous one, rounded. A coarser grid would miss scales between two of its own. */
const SCALES = [0.003, 0.0056, 0.01, 0.018, 0.032, 0.056, 0.1, 0.18, 0.32];
const SHARES = [0.25, 0.5, 0.75, 0.95];
const PRIORS: readonly BalancePrior[] = [
  { kind: 'uniform' },
  ...SCALES.map((scale) => ({ kind: 'bimodal', scale }) as const),
  ...SHARES.map((share) => ({ kind: 'onesided', share }) as const),
];

const COLUMNS = columnsOf(PRIORS);

/** A way in which bounds fade. */
export type Fade =
  /** This share of directions has changed completely. */
  | { readonly kind: 'stale'; readonly share: number }
  /** Bounds drift apart with this half-life, in seconds. */
  | { readonly kind: 'drift'; readonly halfLifeS: number };

/** The ways of fading, each combined with every prior. */
export const FADES: readonly Fade[] = [
  { kind: 'stale', share: 0 },
  { kind: 'stale', share: 0.03 },
  { kind: 'stale', share: 0.15 },
  { kind: 'drift', halfLifeS: 6 * 3600 },
  { kind: 'drift', halfLifeS: 3600 },
];

/** The reserve under every hypothesis. */
const reserve = USUAL_RESERVE;

/** All hypotheses, in the order of the weights: for each prior, every way of fading. */
export const HYPOTHESES: readonly Hypothesis[] = PRIORS.flatMap((prior) =>
  FADES.map((fade) => ({ prior, fade })),
);

/** Number of hypotheses, and so of weights. */
export const HYPOTHESIS_COUNT = HYPOTHESES.length;
/** The half-life that hypotheses without drift have in `halfLifeUnder`, in seconds: a day. */
const LONGEST_HALF_LIFE_S = 86_400;
/** Share of the total weight that each observation distributes evenly among all hypotheses. */
const RETURNED = 0.0001;

let knownCurves: Float64Array[] = [];

/**
 * Each prior's probability that a balance passes 0, 1, … `cells` parts of the capacity. The result for the last `cells`
 * is cached.
 */
export function priorCurves(cells: number): readonly Float64Array[] {
  if (knownCurves[0]?.length !== cells + 1) {
    const curve = (prior: BalancePrior): Float64Array =>
      Float64Array.from({ length: cells + 1 }, (_, cell) =>
        passingChance(prior, { least: 0, most: 1, amount: cell / cells, reserve }),
      );
    knownCurves = PRIORS.map(curve);
  }
  return knownCurves;
}

/** Equal weights for all hypotheses. */
export const evenWeights = (): Float64Array =>
  new Float64Array(HYPOTHESES.length).fill(1 / HYPOTHESES.length);

/**
 * Updates weights in place by Bayes' rule.
 * @param factors likelihood of the observation under each hypothesis
 * @param trust credibility of the observation, 0 … 1, already applied to `factors`; it scales the share that is
 *   distributed evenly
 * @returns the likelihood of the observation: the mean of `factors` with the weights before the update
 */
export function reweigh(weights: Float64Array, factors: ArrayLike<number>, trust: number): number {
  let sum = 0;
  for (let k = 0; k < weights.length; k++) {
    weights[k]! *= factors[k]!;
    sum += weights[k]!;
  }
  for (let k = 0; k < weights.length; k++)
    weights[k] = ((1 - trust * RETURNED) * weights[k]!) / sum + (trust * RETURNED) / weights.length;
  return sum;
}

/**
 * The probability that a balance passes an amount, under each hypothesis, in the order of `HYPOTHESES`.
 * @param chances receives the result, and is returned
 */
export function chancesUnder(
  { least, most, amount, moved = 0, ageS }: AgedShares,
  chances: Float64Array,
): Float64Array {
  passingChances(COLUMNS, fresh, 0, 1, amount, 0, reserve);
  if (least <= 0 && most >= 1) {
    for (let k = 0, prior = 0; prior < PRIORS.length; prior++)
      for (let at = 0; at < FADES.length; at++, k++) chances[k] = fresh[prior]!;
    return chances;
  }
  passingChances(COLUMNS, kept, least, most, amount, moved, reserve);
  for (let at = 0; at < FADES.length; at++) {
    const fade = FADES[at]!;
    const share = shareLeft(fade, ageS);
    const isStale = fade.kind === 'stale';
    if (!isStale)
      passingChances(COLUMNS, drifted, least * share, 1 - (1 - most) * share, amount, moved * share, reserve);
    for (let prior = 0; prior < PRIORS.length; prior++)
      chances[prior * FADES.length + at] = isStale
        ? share * kept[prior]! + (1 - share) * fresh[prior]!
        : drifted[prior]!;
  }
  return chances;
}

/** Memory for the chances under each prior, without known bounds, with them, and with drifted ones. */
const [fresh, kept, drifted] = [0, 1, 2].map(() => new Float64Array(PRIORS.length)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];

/**
 * The share that is left of what was known `ageS` seconds ago: the share of directions that have not changed, or, of a
 * drifting bound, the share of its distance from 0 or from the capacity.
 */
function shareLeft(fade: Fade, ageS: number): number {
  return fade.kind === 'stale' ? 1 - fade.share : 0.5 ** (Math.max(0, ageS) / fade.halfLifeS);
}

/** The rate at which bounds fade under each hypothesis: the inverse of its half-life, in 1/s. */
const FADE_RATES = Float64Array.from(HYPOTHESES, ({ fade }) =>
  fade.kind === 'drift' ? 1 / fade.halfLifeS : 1 / LONGEST_HALF_LIFE_S,
);

/** A single half-life of bounds, in seconds: the inverse of the weighted mean of the hypotheses' rates. */
export function halfLifeUnder(weights: Float64Array): number {
  let rate = 0;
  for (let k = 0; k < weights.length; k++) rate += weights[k]! * FADE_RATES[k]!;
  return 1 / rate;
}
