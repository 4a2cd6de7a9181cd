/**
 * What a model allows a count to be. A test that draws by a fixed seed compares its count with these bounds.
 * A round number in their place could hide a wrong constant.
 */

/** Standard deviations within which a right program stays for all but 1 of 15,000 seeds. */
const SIGMAS = 4;

export interface Range {
  readonly least: number;
  readonly most: number;
}

/**
 * How many successes to expect of `trials` independent trials, each of which succeeds with probability
 * `chance`.
 */
export function binomialRange(trials: number, chance: number): Range {
  const mean = trials * chance;
  const slack = SIGMAS * Math.sqrt(trials * chance * (1 - chance));
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.min(trials, Math.floor(mean + slack)) };
}

/** How many events to expect of a Poisson process of which `mean` are expected. */
export function poissonRange(mean: number): Range {
  const slack = SIGMAS * Math.sqrt(mean);
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.floor(mean + slack) };
}

/** A draw that was counted once: `count` of `trials` were met. */
export interface Drawn {
  /** The seed that fixes the draw. Absent where something else is drawn too. */
  readonly seed?: number;
  readonly trials: number;
  readonly count: number;
}

/**
 * How often to meet what was counted in one draw. The same seed and number of trials give the same count. Any
 * other draw gives about the same share: its difference to the first has the variance of both.
 */
export function likeDrawn({ seed, trials, count }: Drawn, nowSeed: number, nowTrials: number): Range {
  if (nowSeed === seed && nowTrials === trials) return { least: count, most: count };
  const share = count / trials;
  const mean = nowTrials * share;
  const slack = SIGMAS * Math.sqrt(share * (1 - share) * (nowTrials + nowTrials ** 2 / trials));
  return { least: Math.max(0, Math.ceil(mean - slack)), most: Math.min(nowTrials, Math.floor(mean + slack)) };
}

/** The count itself, if it lies in the range. Otherwise the range, so that a failed comparison shows both. */
export const countWithin = (count: number, range: Range): number | Range =>
  count >= range.least && count <= range.most ? count : range;

/**
 * P(cheap · (1 + s·u) > dear · (1 + s·v)) for independent u and v, even on [−1, 1). So it is how often noise
 * of half-width `s` reverses a choice between two costs. For given v, the left side is larger where u > (dear
 * · (1 + s·v) / cheap − 1) / s. That share of u is integrated over v by the midpoint rule.
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
