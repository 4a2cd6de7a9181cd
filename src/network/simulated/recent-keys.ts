/**
 * A set of at most `capacity` keys of 16 bytes, which forgets the oldest first. It is an open-addressed table with linear
 * probing over typed arrays, because a `Set` of as many strings takes five times the memory.
 *
 * Each key has a row number below `capacity`. Callers keep what belongs to a key in columns of their own.
 */
import { mixWord, tableSize } from '../../model/node-table.ts';

/** Number of bytes of a key. */
export const KEY_BYTES = 16;
const WORDS = KEY_BYTES / 4;

/** A bounded set of keys, each with a row number. */
export class RecentKeys {
  readonly #capacity: number;
  /** The keys by row. Memory that is never written is never allocated. */
  readonly #keys: Uint32Array;
  /** Row + 1 for each slot; 0 means that the slot is empty. At most half of the slots are in use. */
  readonly #slots: Uint32Array;
  readonly #wanted = new Uint32Array(WORDS);
  readonly #bytes = new Uint8Array(this.#wanted.buffer);
  #size = 0;
  /** The row of the next key. Once all rows are in use, this is the row of the oldest key. */
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#keys = new Uint32Array(capacity * WORDS);
    this.#slots = new Uint32Array(tableSize(capacity));
  }

  get size(): number {
    return this.#size;
  }

  /** The row of a key. -1 if the key is not in the set. */
  rowOf(key: Uint8Array): number {
    return this.#slots[this.#find(key)]! - 1;
  }

  /** The key in a row. */
  keyAt(row: number): Uint8Array {
    return new Uint8Array(this.#keys.slice(row * WORDS, (row + 1) * WORDS).buffer);
  }

  /** Adds a key, unless it is in the set. @returns its row; if the set was full, a new key gets that of the oldest */
  add(key: Uint8Array): number {
    const known = this.rowOf(key);
    if (known >= 0) return known;
    const row = this.#next;
    this.#next = (row + 1) % this.#capacity;
    if (this.#size === this.#capacity) this.#remove(row);
    else this.#size++;
    const slot = this.#find(key);
    this.#keys.set(this.#wanted, row * WORDS);
    this.#slots[slot] = row + 1;
    return row;
  }

  /** All rows in use, oldest first. */
  *rows(): Iterable<number> {
    const oldest = this.#size === this.#capacity ? this.#next : 0;
    for (let n = 0; n < this.#size; n++) yield (oldest + n) % this.#capacity;
  }

  #remove(row: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hole = this.#homeOf(row);
    while (slots[hole] !== row + 1) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      // An entry may fill the hole unless its home slot lies between the hole (exclusive) and its present slot
      // (inclusive).
      if (((slot - this.#homeOf(slots[slot]! - 1)) & mask) < ((slot - hole) & mask)) continue;
      slots[hole] = slots[slot]!;
      hole = slot;
    }
    slots[hole] = 0;
  }

  /** The slot of a key. If the key is not in the set, the empty slot for it. */
  #find(key: Uint8Array): number {
    this.#bytes.set(key);
    const mask = this.#slots.length - 1;
    let slot = mixWord(this.#wanted[0]!) & mask;
    for (let entry = this.#slots[slot]!; entry !== 0; entry = this.#slots[slot]!) {
      if (this.#isWanted(entry - 1)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #isWanted(row: number): boolean {
    for (let word = 0; word < WORDS; word++)
      if (this.#keys[row * WORDS + word] !== this.#wanted[word]) return false;
    return true;
  }

  #homeOf(row: number): number {
    return mixWord(this.#keys[row * WORDS]!) & (this.#slots.length - 1);
  }
}
