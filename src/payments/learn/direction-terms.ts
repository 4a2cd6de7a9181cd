/**
 * Estimates whether directions keep their gossiped terms: fee, delay, limits, and being open. A direction that refused
 * an attempt because of its terms will probably refuse the next one, until gossip reports the new terms. The refusal
 * casts no doubt on the terms of the node's other directions. So terms are tracked per direction, and not as part of
 * the node's reliability.
 *
 *     never seen       r, the share of seen directions that did not keep their terms
 *     kept them        r · (1 − KEPT · 2^(−t / h))       t seconds ago, half-life h
 *     broke them       r + (BROKEN − r) · 2^(−t / h)
 *
 * The terms that failures report are not used here, because they apply only to the payment that failed (lesson.ts).
 */

/** The initial share of directions that do not keep their terms, and its weight in seen directions. */
const FIRST_RATE = 0.002;
const FIRST_COUNT = 50;
/** Certainty right after a direction was seen to keep, or break, its terms. */
const KEPT = 0.98;
const BROKEN = 0.98;
/** Half-life of an observation, in seconds. Nodes change their fees at most a few times a day. */
const HALF_LIFE_S = 12 * 3600;
/** Maximum number of remembered directions; the least recently seen one is forgotten first. */
export const MAX_DIRECTIONS_REMEMBERED = 20_000;

/** The latest observation of a direction, and its time in seconds. */
export interface SeenTerms {
  readonly isKept: boolean;
  readonly atS: number;
}

/** What is known about the terms of directions, by their keys (src/layers/cell.ts). */
export class DirectionTerms {
  readonly #now: () => number;
  /** Directions in the order in which they were last seen. */
  readonly #seen = new Map<bigint, SeenTerms>();
  #broken = 0;

  /** @param now returns the time in seconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Probability that an unseen direction does not keep its terms. */
  get rate(): number {
    return (FIRST_COUNT * FIRST_RATE + this.#broken) / (FIRST_COUNT + this.#seen.size);
  }

  /** Probability that a direction does not keep its terms. */
  brokenChance(direction: bigint): number {
    const { rate } = this;
    const seen = this.#seen.get(direction);
    if (seen === undefined) return rate;
    const fresh = 0.5 ** (Math.max(0, this.#now() - seen.atS) / HALF_LIFE_S);
    return seen.isKept ? rate * (1 - KEPT * fresh) : rate + (BROKEN - rate) * fresh;
  }

  note(direction: bigint, isKept: boolean): void {
    this.#set(direction, { isKept, atS: this.#now() });
  }

  /** Restores the state of an earlier run. A time in the future counts as now. */
  restore(entries: Iterable<readonly [direction: bigint, seen: SeenTerms]>): void {
    this.#seen.clear();
    this.#broken = 0;
    const nowS = this.#now();
    for (const [direction, { isKept, atS }] of entries)
      this.#set(direction, { isKept, atS: Math.min(atS, nowS) });
  }

  /** All entries, the least recently seen first. */
  entries(): Iterable<readonly [direction: bigint, seen: SeenTerms]> {
    return this.#seen.entries();
  }

  #set(direction: bigint, seen: SeenTerms): void {
    this.#forget(direction);
    this.#seen.set(direction, seen);
    if (!seen.isKept) this.#broken++;
    if (this.#seen.size <= MAX_DIRECTIONS_REMEMBERED) return;
    const [oldest] = this.#seen.keys();
    this.#forget(oldest!);
  }

  #forget(direction: bigint): void {
    if (this.#seen.get(direction)?.isKept === false) this.#broken--;
    this.#seen.delete(direction);
  }
}
