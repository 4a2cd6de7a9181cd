/**
 * Maps short channel ids to channel indexes. It is an open-addressed table of u64 keys with linear probing
 * over typed arrays, at most half full. Removal shifts the following entries back, so no markers of removed
 * entries are left. A key is kept as two words, so that a lookup allocates nothing.
 */
import { mixWord, tableSize } from '../node-table.ts';

const multipliers = crypto.getRandomValues(new Uint32Array(2));

function hashWords(word0: number, word1: number): number {
  return mixWord((Math.imul(word0, multipliers[0]! | 1) + Math.imul(word1, multipliers[1]! | 1)) | 0);
}

/** Maps short channel ids to channel indexes. */
export class ScidTable {
  count = 0;
  private keys: Uint32Array;
  /** Channel index + 1 for each slot; 0 means that the slot is empty. */
  private entries: Uint32Array;
  private readonly scratch = new BigUint64Array(1);
  private readonly words = new Uint32Array(this.scratch.buffer);

  constructor(expectedChannels = 1024) {
    const size = tableSize(expectedChannels);
    this.keys = new Uint32Array(size * 2);
    this.entries = new Uint32Array(size);
  }

  /** Channel index of the id. -1 if unknown. */
  find(scid: bigint): number {
    this.scratch[0] = scid;
    if (this.scratch[0] !== scid) return -1;
    return this.entries[this.slotOf(this.words[0]!, this.words[1]!)]! - 1;
  }

  /** Sets the index of an id, which may be new. */
  set(scid: bigint, index: number): void {
    this.scratch[0] = scid;
    const word0 = this.words[0]!;
    const word1 = this.words[1]!;
    const slot = this.slotOf(word0, word1);
    const known = this.entries[slot] !== 0;
    this.keys[slot * 2] = word0;
    this.keys[slot * 2 + 1] = word1;
    this.entries[slot] = index + 1;
    if (known) return;
    this.count++;
    if (this.count * 2 >= this.entries.length) this.grow();
  }

  /** Removes an id. Unknown ids are ignored. */
  delete(scid: bigint): void {
    this.scratch[0] = scid;
    const { entries, keys } = this;
    const mask = entries.length - 1;
    let hole = this.slotOf(this.words[0]!, this.words[1]!);
    if (entries[hole] === 0) return;
    this.count--;
    for (let slot = (hole + 1) & mask; entries[slot] !== 0; slot = (slot + 1) & mask) {
      const home = hashWords(keys[slot * 2]!, keys[slot * 2 + 1]!) & mask;
      // An entry may fill the hole unless its home slot lies between the hole (exclusive) and its present slot
      // (inclusive).
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      entries[hole] = entries[slot]!;
      keys[hole * 2] = keys[slot * 2]!;
      keys[hole * 2 + 1] = keys[slot * 2 + 1]!;
      hole = slot;
    }
    entries[hole] = 0;
  }

  /** The slot of the key. If the key is missing, the empty slot for it. */
  private slotOf(word0: number, word1: number): number {
    const { entries, keys } = this;
    const mask = entries.length - 1;
    let slot = hashWords(word0, word1) & mask;
    while (entries[slot] !== 0 && (keys[slot * 2] !== word0 || keys[slot * 2 + 1] !== word1)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private grow(): void {
    const { keys, entries } = this;
    this.keys = new Uint32Array(keys.length * 2);
    this.entries = new Uint32Array(entries.length * 2);
    for (let old = 0; old < entries.length; old++) {
      if (entries[old] === 0) continue;
      const slot = this.slotOf(keys[old * 2]!, keys[old * 2 + 1]!);
      this.keys[slot * 2] = keys[old * 2]!;
      this.keys[slot * 2 + 1] = keys[old * 2 + 1]!;
      this.entries[slot] = entries[old]!;
    }
  }
}
