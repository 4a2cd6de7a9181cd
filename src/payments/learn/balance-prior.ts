/**
 * Priors of what a direction can send. F(x) is the probability that it can send at most the share x of the channel's
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
}

/** Shares this close to 0 or 1 count as 0 or 1, because moving shares back and forth causes rounding errors. */
const AT_END = 1e-9;
/** An interval narrower than this counts as a point. */
const POINT = 1e-12;

/** Probability that the amount passes under a prior, given the bounds. */
export function passingChance(prior: BalancePrior, { least, most, amount, moved = 0 }: KnownShares): number {
  return passingShare(prior, least, most, amount, moved);
}

/** As `passingChance`, but without an object, for code that runs for every hop and hypothesis. */
export function passingShare(
  prior: BalancePrior,
  least: number,
  most: number,
  amount: number,
  moved: number,
): number {
  if (amount <= least) return 1;
  if (amount > most) return 0;
  const above = massAbove(prior, most + moved);
  const width = massAbove(prior, least + moved) - above;
  if (width < POINT) return (most - amount) / Math.max(POINT, most - least);
  return Math.min(1, Math.max(0, (massAbove(prior, amount + moved) - above) / width));
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
