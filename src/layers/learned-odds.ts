/**
 * Learned odds as a table, in the form in which the kernel reads them (assembly/solve/question/odds.ts): what nodes of each level
 * cost, in nats, and for each class of directions the chance S that a share of the capacity can be sent, and −ln S.
 */
import { DIRECTION_CLASSES, type DirectionClass } from './direction-class.ts';

/** Cells of each curve; its points are the shares 0, 1/CELLS … 1. */
export const ODDS_CELLS = 512;
const POINTS = ODDS_CELLS + 1;
/** Levels of the burden of a node. Level 0 is that of an unknown node. */
export const ODDS_LEVELS = 32;
/** The least burden that has a level of its own, nats, and what each further level multiplies it by: up to 8.3 nats. */
const FIRST_BURDEN = 0.002;
const STEP = 1.32;
/** No curve says more, nats. */
const MOST_RISK = 30;

/** Length of a table. */
export const ODDS_LENGTH = ODDS_LEVELS + 2 * DIRECTION_CLASSES * POINTS;

/** A table: 32 burdens, S of each class, −ln S of each class. */
export type OddsTable = Float32Array;

/**
 * Makes a table.
 * @param burden of an unknown node, nats
 * @param survival the chances that a direction of this class can send the shares 0, 1/CELLS … 1, falling from 1
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
      table[risks + cell] = Math.min(MOST_RISK, -Math.log(Math.max(1e-13, least)));
    }
  }
  return table;
}

/** What a level costs, nats. */
const burdenOfLevel = (level: number): number => FIRST_BURDEN * STEP ** (level - 1);

/** The level of a burden of this many nats, from 1 on. */
export function burdenLevel(nats: number): number {
  if (!(nats > FIRST_BURDEN)) return 1;
  return Math.min(ODDS_LEVELS - 1, 1 + Math.round(Math.log(nats / FIRST_BURDEN) / Math.log(STEP)));
}
