/**
 * Priors of the balance of a direction. F(x) is the probability that it is at most the share x of the channel's
 * capacity.
 *
 *   uniform          F(x) = x
 *   bimodal, scale s density ∝ e^(−x/s) + e^(−(1−x)/s): most channels are nearly empty on one side (LND's bimodal
 *                    estimator assumes this form; LDK's assumes a polynomial with the same two peaks)
 *   one-sided, m     a share m of channels has everything on one side, the others are uniform
 *
 * If the bounds a ≤ x ≤ b are known, an amount y passes with probability (F(b) − F(y)) / (F(b) − F(a)), 1 for y ≤ a and
 * 0 for y > b. Balances that lie at an end exactly are handled by letting F jump there.
 *
 * The prior describes balances before this node paid through the channel. If a share d has moved out of the direction
 * since (negative: into it), the prior describes x + d, so a, b and y are increased by d. Without this shift, a nearly
 * full channel that carried a payment would look like a nearly empty one: balances above b would count as impossible.
 *
 * A node keeps a reserve r of each channel (BOLT 2, `channel_reserve_satoshis`), so an amount y passes if the balance is
 * at least y + r, and a, b and y are increased by r. One minimum is not: if it consists only of shares that have moved
 * into the direction (a + d ≤ 0), part of them may have become the reserve, so it says nothing about the balance before.
 */

/** A form of the prior. */
export type BalancePrior =
  | { readonly kind: 'uniform' }
  | { readonly kind: 'bimodal'; readonly scale: number }
  | { readonly kind: 'onesided'; readonly share: number };

/** What is known about a direction's balance, and an amount, as shares of the capacity, 0 … 1. */
export interface KnownShares {
  /** Share that certainly passes. */
  readonly least: number;
  /** Maximum share that can pass. */
  readonly most: number;
  readonly amount: number;
  /** Share of the capacity that this node has moved out of the direction; negative if into it. Default 0. */
  readonly moved?: number;
  /** Share of the capacity that the node at the start of the direction keeps. Default 0. */
  readonly reserve?: number;
}

/** Reserve of each side, as a share of the capacity: 1 %, the default of all implementations. */
export const USUAL_RESERVE = 0.01;

/** Shares this close to 0 or 1 count as 0 or 1, because moving shares back and forth causes rounding errors. */
const AT_END = 1e-9;
/** An interval narrower than this counts as a point. */
const POINT = 1e-12;

/** Probability that the amount passes under a prior, given the bounds. */
export function passingChance(
  prior: BalancePrior,
  { least, most, amount, moved = 0, reserve = 0 }: KnownShares,
): number {
  if (passesSurely(least, amount, moved)) return 1;
  if (amount > most) return 0;
  const lowest = lowestBefore(least, moved, reserve);
  const above = massAbove(prior, highestBefore(most, moved, reserve));
  const possible = massAbove(prior, lowest) - above;
  if (possible < POINT) return passesAtPoint(least, most, amount);
  return Math.max(0, massAbove(prior, Math.max(lowest, amount + moved + reserve)) - above) / possible;
}

/**
 * Several priors in columns, one number for each: inside 0 … 1, a balance is at least x with the probability
 *
 *     constant + linear · (1 − x) + peaks · (falling + rising)
 *
 * where falling and rising are those of `massAbove` for the scale, and `end` is e^(−1/scale).
 */
export interface PriorColumns {
  readonly constant: Float64Array;
  readonly linear: Float64Array;
  readonly peaks: Float64Array;
  readonly scale: Float64Array;
  readonly end: Float64Array;
}

/** Priors without peaks have a scale too, so that every number is finite. */
const ANY_SCALE = 1;

/** The columns of these priors. */
export function columnsOf(priors: readonly BalancePrior[]): PriorColumns {
  const column = (of: (prior: BalancePrior) => number): Float64Array => Float64Array.from(priors, of);
  const scaleOf = (prior: BalancePrior): number => (prior.kind === 'bimodal' ? prior.scale : ANY_SCALE);
  return {
    constant: column((prior) => (prior.kind === 'onesided' ? prior.share / 2 : 0)),
    linear: column((prior) => {
      if (prior.kind === 'onesided') return 1 - prior.share;
      return prior.kind === 'uniform' ? 1 : 0;
    }),
    peaks: column((prior) => (prior.kind === 'bimodal' ? 1 / 2 : 0)),
    scale: column(scaleOf),
    end: column((prior) => Math.exp(-1 / scaleOf(prior))),
  };
}

/** Writes `massAbove` under each prior to `masses`. The loop has no calls, so V8 keeps its numbers in registers. */
function massesAbove(priors: PriorColumns, x: number, masses: Float64Array): void {
  if (x <= AT_END || x >= 1 - AT_END) {
    masses.fill(x <= AT_END ? 1 : 0);
    return;
  }
  const { constant, linear, peaks, scale, end } = priors;
  for (let k = 0; k < masses.length; k++) {
    const atEnd = end[k]!;
    const near = Math.exp(-x / scale[k]!);
    const falling = (near - atEnd) / (1 - atEnd);
    const rising = (1 - atEnd / near) / (1 - atEnd);
    masses[k] = constant[k]! + linear[k]! * (1 - x) + peaks[k]! * (falling + rising);
  }
}

/**
 * Writes `passingChance` under each of these priors to `chances`. This runs for every hop of every route that is
 * planned or learned from, so it creates no objects.
 */
export function passingChances(
  priors: PriorColumns,
  chances: Float64Array,
  least: number,
  most: number,
  amount: number,
  moved: number,
  reserve: number,
): void {
  const isSure = passesSurely(least, amount, moved);
  if (isSure || amount > most) {
    chances.fill(isSure ? 1 : 0);
    return;
  }
  const lowest = lowestBefore(least, moved, reserve);
  const highest = highestBefore(most, moved, reserve);
  const needed = Math.max(lowest, amount + moved + reserve);
  if (aboveHighest.length !== chances.length)
    [aboveHighest, aboveLowest] = [new Float64Array(chances.length), new Float64Array(chances.length)];
  massesAbove(priors, highest, aboveHighest);
  massesAbove(priors, lowest, aboveLowest);
  massesAbove(priors, needed, chances);
  const atPoint = passesAtPoint(least, most, amount);
  for (let k = 0; k < chances.length; k++) {
    const possible = aboveLowest[k]! - aboveHighest[k]!;
    chances[k] = possible < POINT ? atPoint : Math.max(0, chances[k]! - aboveHighest[k]!) / possible;
  }
}

/** Memory for the masses above the highest and the lowest possible balance. */
let [aboveHighest, aboveLowest] = [new Float64Array(0), new Float64Array(0)];

const passesSurely = (least: number, amount: number, moved: number): boolean =>
  amount <= 0 || (amount <= least && isShown(least, moved));

/** The chance if the prior considers all balances between the bounds impossible. */
const passesAtPoint = (least: number, most: number, amount: number): number =>
  amount <= least ? 1 : (most - amount) / Math.max(POINT, most - least);

/** Whether an HTLC has shown a minimum, which does not consist only of shares that have moved into the direction. */
const isShown = (least: number, moved: number): boolean => least + moved > AT_END;

/** The minimum of the balance before anything moved. */
const lowestBefore = (least: number, moved: number, reserve: number): number =>
  isShown(least, moved) ? least + moved + reserve : 0;

/** The maximum of the balance before anything moved. Shares that have moved in came from the other side. */
const highestBefore = (most: number, moved: number, reserve: number): number =>
  most < 1 ? most + moved + reserve : 1 + Math.min(0, moved);

/** Prior probability that the balance is within the bounds, and that it is and also suffices for the amount. */
export function massesOf(
  prior: BalancePrior,
  { least, most, amount, moved = 0, reserve = 0 }: KnownShares,
): { readonly possible: number; readonly passing: number } {
  const lowest = lowestBefore(least, moved, reserve);
  const above = massAbove(prior, highestBefore(most, moved, reserve));
  const passing = massAbove(prior, Math.max(lowest, amount + moved + reserve)) - above;
  return { possible: Math.max(0, massAbove(prior, lowest) - above), passing: Math.max(0, passing) };
}

/** Probability that a balance is at least x: 1 for x = 0, and 0 for x = 1. */
export function massAbove(prior: BalancePrior, x: number): number {
  if (x <= AT_END) return 1;
  if (x >= 1 - AT_END) return 0;
  switch (prior.kind) {
    case 'uniform':
      return 1 - x;
    case 'bimodal': {
      const end = Math.exp(-1 / prior.scale);
      const near = Math.exp(-x / prior.scale);
      const falling = (near - end) / (1 - end);
      const rising = (1 - end / near) / (1 - end);
      return (falling + rising) / 2;
    }
    case 'onesided':
      return prior.share / 2 + (1 - prior.share) * (1 - x);
  }
}
