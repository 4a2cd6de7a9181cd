/**
 * Maps short channel ids to channel indexes. It is an open-addressed table with linear probing over a typed array, at
 * most half full. Removal shifts the following entries back, so no markers of removed entries are left.
 *
 * The table holds only indexes. The ids themselves are in the column of ids by channel, which the table reads as pairs
 * of words, so that a lookup allocates nothing. An entry's id must stay in the column until the entry is removed.
 */
import { mixWord, tableSize } from '../node-table.ts';

const multipliers = crypto.getRandomValues(new Uint32Array(2));

function hashWords(word0: number, word1: number): number {
  return mixWord((Math.imul(word0, multipliers[0]! | 1) + Math.imul(word1, multipliers[1]! | 1)) | 0);
}

/** Maps short channel ids to channel indexes. */
export class ScidTable {
  count = 0;
  /** The column of ids, two words per channel. */
  private ids: Uint32Array;
  /** Channel index + 1 for each slot; 0 means that the slot is empty. */
  private entries: Uint32Array;
  private readonly scratch = new BigUint64Array(1);
  private readonly words = new Uint32Array(this.scratch.buffer);

  /** An empty table. @param ids the column of ids by channel, with room for the expected channels */
  constructor(ids: BigUint64Array) {
    this.ids = wordsOf(ids);
    this.entries = new Uint32Array(tableSize(ids.length));
  }

  /** A table of the first `count` ids of a column. */
  static of(ids: BigUint64Array, count = ids.length): ScidTable {
    const table = new ScidTable(ids);
    for (let index = 0; index < count; index++) table.set(index);
    return table;
  }

  /** Replaces the column of ids by a longer copy. */
  readFrom(ids: BigUint64Array): void {
    this.ids = wordsOf(ids);
  }

  /** Channel index of the id. -1 if unknown. */
  find(scid: bigint): number {
    this.scratch[0] = scid;
    if (this.scratch[0] !== scid) return -1;
    return this.entries[this.slotOf(this.words[0]!, this.words[1]!)]! - 1;
  }

  /** Maps the id at `index` of the column to `index`. The id may be new, or known with another index. */
  set(index: number): void {
    const slot = this.slotOf(this.ids[index * 2]!, this.ids[index * 2 + 1]!);
    const known = this.entries[slot] !== 0;
    this.entries[slot] = index + 1;
    if (known) return;
    this.count++;
    if (this.count * 2 >= this.entries.length) this.grow();
  }

  /** Removes an id. Unknown ids are ignored. */
  delete(scid: bigint): void {
    this.scratch[0] = scid;
    const { entries, ids } = this;
    const mask = entries.length - 1;
    let hole = this.slotOf(this.words[0]!, this.words[1]!);
    if (entries[hole] === 0) return;
    this.count--;
    for (let slot = (hole + 1) & mask; entries[slot] !== 0; slot = (slot + 1) & mask) {
      const at = (entries[slot]! - 1) * 2;
      const home = hashWords(ids[at]!, ids[at + 1]!) & mask;
      // An entry may fill the hole unless its home slot lies between the hole (exclusive) and its present slot
      // (inclusive).
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      entries[hole] = entries[slot]!;
      hole = slot;
    }
    entries[hole] = 0;
  }

  /** The slot of the key. If the key is missing, the empty slot for it. */
  private slotOf(word0: number, word1: number): number {
    const { entries, ids } = this;
    const mask = entries.length - 1;
    let slot = hashWords(word0, word1) & mask;
    for (;;) {
      const entry = entries[slot]!;
      if (entry === 0) return slot;
      const at = (entry - 1) * 2;
      if (ids[at] === word0 && ids[at + 1] === word1) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const { ids, entries } = this;
    this.entries = new Uint32Array(entries.length * 2);
    for (const entry of entries) {
      if (entry === 0) continue;
      const at = (entry - 1) * 2;
      this.entries[this.slotOf(ids[at]!, ids[at + 1]!)] = entry;
    }
  }
}

const wordsOf = ({ buffer, byteOffset, length }: BigUint64Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length * 2);
