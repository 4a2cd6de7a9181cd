/**
 * Learned odds as a table, in the form that the kernel reads (assembly/solve/question/odds.ts): the cost, in nats, of
 * nodes of each level, and for each class of directions the chance S that a share of the capacity can be sent, and −ln
 * S.
 */
import { DIRECTION_CLASSES, type DirectionClass } from './direction-class.ts';

/** Number of cells of a curve. The points of a curve are the shares 0, 1/`ODDS_CELLS` … 1. */
export const ODDS_CELLS = 512;
const POINTS = ODDS_CELLS + 1;
/** Number of levels for the burden of a node. Level 0 is the burden of an unknown node. */
export const ODDS_LEVELS = 32;
/** The burden of level 1, in nats, and the factor from each level to the next. The last level is 8.3 nats. */
const FIRST_BURDEN = 0.002;
const STEP = 1.32;
/** Upper limit of a curve's risk, in nats. */
const MAX_RISK = 30;

/** Number of values in a table. */
export const ODDS_LENGTH = ODDS_LEVELS + 2 * DIRECTION_CLASSES * POINTS;

/** A table: the burdens of all levels, S of each class, −ln S of each class. */
export type OddsTable = Float32Array;

/**
 * Creates a table.
 * @param burden burden of an unknown node, in nats
 * @param survival returns the chances that a direction of a class can send the shares 0, 1/`ODDS_CELLS` … 1; they fall
 *   from 1
 */
export function oddsTable(burden: number, survival: (ofClass: DirectionClass) => Float64Array): OddsTable {
  const table = new Float32Array(ODDS_LENGTH);
  table[0] = burden;
  for (let level = 1; level < ODDS_LEVELS; level++) table[level] = burdenOfLevel(level);
  for (let ofClass = 0; ofClass < DIRECTION_CLASSES; ofClass++) {
    const first = ODDS_LEVELS + ofClass * POINTS;
    const risks = first + DIRECTION_CLASSES * POINTS;
    const curve = survival(ofClass as DirectionClass);
    let least = 1;
    for (let cell = 0; cell < POINTS; cell++) {
      least = Math.min(least, Math.max(0, curve[cell]!));
      table[first + cell] = least;
      table[risks + cell] = Math.min(MAX_RISK, -Math.log(Math.max(1e-13, least)));
    }
  }
  return table;
}

/** The cost of a level, in nats. */
const burdenOfLevel = (level: number): number => FIRST_BURDEN * STEP ** (level - 1);

/** The level of a burden in nats; at least 1. */
export function burdenLevel(nats: number): number {
  if (!(nats > FIRST_BURDEN)) return 1;
  return Math.min(ODDS_LEVELS - 1, 1 + Math.round(Math.log(nats / FIRST_BURDEN) / Math.log(STEP)));
}

/**
 * An amount that passes with at least this probability counts as certain to pass; one that fails with at least this
 * probability, as certain to fail.
 */
const CREDIBLE = 0.95;
/** Tolerance, in cells, for the rounding errors of adding `moved` to shares and subtracting it again. */
const ROUNDING = 1e-6;
/** Probability mass below which the bounds contradict the table. */
const MIN_MASS = 1e-9;

/** Bounds of what a direction can send, as shares of its capacity. */
export interface ShareBounds {
  readonly least: number;
  readonly most: number;
}

/** The chance that a direction of this class can send `cell` / `ODDS_CELLS` of its capacity, from a table. */
export const survivalOf =
  (table: OddsTable, ofClass: DirectionClass) =>
  (cell: number): number =>
    table[ODDS_LEVELS + ofClass * POINTS + cell]!;

/**
 * Given these bounds, the largest share that a direction passes with a chance of at least 95 %, and the smallest share
 * with a chance of at most 5 %, rounded to a cell. Each is found by bisection of the cells, so a call reads at most 20
 * points of the curve.
 *
 * @param survival the curve, which falls from 1 to 0
 * @param moved share that has left the direction since the curve applied: its balance plus `moved` follows the curve
 */
export function credibleShares(
  survival: (cell: number) => number,
  { least, most }: ShareBounds,
  moved: number,
): ShareBounds {
  const cellOf = (share: number): number => Math.min(ODDS_CELLS, Math.max(0, (share + moved) * ODDS_CELLS));
  const [low, high] = [Math.floor(cellOf(least) + ROUNDING), Math.ceil(cellOf(most) - ROUNDING)];
  const above = survival(high);
  const mass = survival(low) - above;
  if (!(mass > MIN_MASS)) return { least, most };
  /** The first cell whose chance is below `chance`. */
  const firstBelow = (chance: number): number => {
    let [before, below] = [low, high];
    while (below - before > 1) {
      const middle = (before + below) >> 1;
      if (survival(middle) - above >= chance * mass) before = middle;
      else below = middle;
    }
    return below;
  };
  // If no cell above the minimum is credible, the minimum stays: the first cell may be above the minimum.
  const credible = firstBelow(CREDIBLE) - 1;
  return {
    least: credible === low ? least : Math.max(least, credible / ODDS_CELLS - moved),
    most: Math.min(most, firstBelow(1 - CREDIBLE) / ODDS_CELLS - moved),
  };
}
