/**
 * A set of pairs of different nodes, in any order. It is an open-addressed table with linear probing. A `Set` of numbers
 * above 2^31 takes more than twice the memory, and its outgrown tables stay until the next garbage collection.
 */
import { mixWord, tableSize } from './node-table.ts';

/** An odd factor that spreads node indexes over words: 2^32 divided by the golden ratio. */
const SPREAD = 0x9e37_79b1;

/** A set of pairs of different nodes, in any order. Pairs are never removed. */
export class PairSet {
  readonly #nodeCount: number;
  /** For each slot, a pair as a number; 0 means that the slot is empty. */
  readonly #slots: Float64Array;

  /** An empty set. @param mostPairs maximum number of pairs; they fill at most half of the table */
  constructor(nodeCount: number, mostPairs: number) {
    this.#nodeCount = nodeCount;
    this.#slots = new Float64Array(tableSize(mostPairs));
  }

  add(a: number, b: number): void {
    this.#slots[this.#slotOf(a, b)] = this.#numberOf(a, b);
  }

  has(a: number, b: number): boolean {
    return this.#slots[this.#slotOf(a, b)] !== 0;
  }

  #numberOf(a: number, b: number): number {
    return Math.min(a, b) * this.#nodeCount + Math.max(a, b);
  }

  /** The slot of the pair. If the pair is missing, the empty slot for it. */
  #slotOf(a: number, b: number): number {
    const mask = this.#slots.length - 1;
    const wanted = this.#numberOf(a, b);
    let slot = mixWord(Math.imul(Math.min(a, b), SPREAD) + Math.max(a, b)) & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== wanted) slot = (slot + 1) & mask;
    return slot;
  }
}
