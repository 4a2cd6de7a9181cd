/**
 * What a model allows of a count: tests that draw by a fixed seed compare what they counted with these bounds, and
 * not with a round number that would hide a wrong constant.
 */

/** A right program stays within this many standard deviations for all but 1 of 15,000 seeds. */
const SIGMAS = 4;

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Of `trials` independent trials, each a success with chance `chance`: how many successes are to be expected. */
export function binomialRange(trials: number, chance: number): Range {
  const mean = trials * chance;
  const slack = SIGMAS * Math.sqrt(trials * chance * (1 - chance));
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.min(trials, Math.floor(mean + slack)) };
}

/** A count as it is, if it lies in the range; otherwise the range, so that a failed comparison shows both. */
export const countWithin = (count: number, range: Range): number | Range =>
  count >= range.least && count <= range.most ? count : range;

/**
 * P(cheap · (1 + s·u) > dear · (1 + s·v)) for independent u and v, even on [−1, 1): how often noise of half-width `s`
 * turns a choice between two costs. For given v the left side wins where u > (dear · (1 + s·v) / cheap − 1) / s; that
 * share of u is integrated over v by the midpoint rule.
 */
export function chanceOfTurning(cheap: number, dear: number, s: number): number {
  const STEPS = 100_000;
  let sum = 0;
  for (let step = 0; step < STEPS; step++) {
    const v = (2 * (step + 0.5)) / STEPS - 1;
    const threshold = ((dear * (1 + s * v)) / cheap - 1) / s;
    sum += (1 - Math.max(-1, Math.min(1, threshold))) / 2;
  }
  return sum / STEPS;
}
