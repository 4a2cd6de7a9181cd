/**
 * Whether directions keep the terms that gossip states of them: fee, delay, limits, being open at all. A direction that refused
 * an attempt by its terms will most likely refuse the next one, until gossip reports the new terms; those of other directions
 * of the same node are not in doubt for it. So this is counted by directions, and not as the node's reliability.
 *
 *     never seen       r, the share of directions seen that did not keep their terms
 *     kept them        r · (1 − KEPT · 2^(−t / h))       t seconds ago, half-life h
 *     broke them       r + (BROKEN − r) · 2^(−t / h)
 *
 * The terms that a failure states are no part of it: they must not be used beyond their payment (lesson.ts).
 */

/** Before anything is seen, this share of directions does not keep its terms; and the directions that it counts for. */
const FIRST_RATE = 0.002;
const FIRST_COUNT = 50;
/** Certainty just after it was seen. */
const KEPT = 0.98;
const BROKEN = 0.98;
/** Half-life of what was seen, in seconds: nodes change their fees some times a day at most. */
const HALF_LIFE_S = 12 * 3600;
/** Directions remembered; the one not seen for longest is forgotten first. */
export const MAX_DIRECTIONS_REMEMBERED = 20_000;

/** What was seen last of a direction, and when, seconds. */
export interface SeenTerms {
  readonly isKept: boolean;
  readonly atS: number;
}

/** What is known of the terms of directions, by their keys (src/layers/cell.ts). */
export class DirectionTerms {
  readonly #now: () => number;
  /** In the order in which they were last seen. */
  readonly #seen = new Map<bigint, SeenTerms>();
  #broken = 0;

  /** @param now seconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The chance that an unseen direction does not keep its terms. */
  get rate(): number {
    return (FIRST_COUNT * FIRST_RATE + this.#broken) / (FIRST_COUNT + this.#seen.size);
  }

  /** The chance that a direction does not keep its terms. */
  brokenChance(direction: bigint): number {
    const { rate } = this;
    const seen = this.#seen.get(direction);
    if (seen === undefined) return rate;
    const fresh = 0.5 ** (Math.max(0, this.#now() - seen.atS) / HALF_LIFE_S);
    return seen.isKept ? rate * (1 - KEPT * fresh) : rate + (BROKEN - rate) * fresh;
  }

  /** Notes whether a direction kept its terms. */
  note(direction: bigint, isKept: boolean): void {
    this.#set(direction, { isKept, atS: this.#now() });
  }

  /** Takes over what another start knew. */
  restore(entries: Iterable<readonly [direction: bigint, seen: SeenTerms]>): void {
    this.#seen.clear();
    this.#broken = 0;
    for (const [direction, seen] of entries) this.#set(direction, seen);
  }

  /** All of it, the one not seen for longest first. */
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
