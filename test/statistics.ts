/**
 * The range of counts that a model allows. A test that draws with a fixed seed compares its count with these
 * bounds. Round numbers instead could hide a wrong constant.
 */

/** A correct program stays within this number of standard deviations for all but 1 of 15,000 seeds. */
const SIGMAS = 4;

export interface Range {
  readonly least: number;
  readonly most: number;
}

/**
 * The range to expect for the number of successes in `trials` independent trials that each succeed with probability
 * `chance`.
 */
export function binomialRange(trials: number, chance: number): Range {
  const mean = trials * chance;
  const slack = SIGMAS * Math.sqrt(trials * chance * (1 - chance));
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.min(trials, Math.floor(mean + slack)) };
}

/** The range to expect for the number of events of a Poisson process with this mean. */
export function poissonRange(mean: number): Range {
  const slack = SIGMAS * Math.sqrt(mean);
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.floor(mean + slack) };
}

/** The result of an earlier draw: `count` of `trials` were hits. */
export interface Drawn {
  /** The seed of the draw. Absent if the draw also depends on something else. */
  readonly seed?: number;
  readonly trials: number;
  readonly count: number;
}

/**
 * The range to expect for the number of hits, given the count of one earlier draw. The same seed and number of
 * trials give the same count. Any other draw gives about the same share: the difference has the variances of both
 * draws.
 */
export function likeDrawn({ seed, trials, count }: Drawn, nowSeed: number, nowTrials: number): Range {
  if (nowSeed === seed && nowTrials === trials) return { least: count, most: count };
  const share = count / trials;
  const mean = nowTrials * share;
  const slack = SIGMAS * Math.sqrt(share * (1 - share) * (nowTrials + nowTrials ** 2 / trials));
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.min(nowTrials, Math.floor(mean + slack)) };
}

/** The count itself if it is in the range. Otherwise the range, so that a failed comparison shows both. */
export const countWithin = (count: number, range: Range): number | Range =>
  count >= range.least && count <= range.most ? count : range;

/**
 * P(cheap · (1 + s·u) > dear · (1 + s·v)) for independent u and v, uniform in [−1, 1): how often noise of half-width
 * `s` reverses a choice between two costs. For a given v, the left side is larger if u > (dear · (1 + s·v) / cheap −
 * 1) / s. That share of u is integrated over v by the midpoint rule.
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
