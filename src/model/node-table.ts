/**
 * Maps node ids to dense indexes: 33-byte keys (BOLT 7), numbered in the order in which they first appear.
 *
 * It is an open-addressed table with linear probing over typed arrays, at most half full. Keys are in one column of
 * bytes. A slot contains the node index + 1; 0 means that the slot is empty. The hash multiplies four words of the
 * point's x coordinate by factors that are drawn once per process, so colliding keys cannot be constructed. Nodes are
 * never removed.
 */
import { NODE_ID_BYTES } from './node-id.ts';

/** Maximum number of nodes. Adding more throws. */
export const MAX_NODES = 2 ** 24;

const multipliers = crypto.getRandomValues(new Uint32Array(4));

function wordAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24);
}

/** Spreads every bit over the whole word (the finaliser of MurmurHash3), so that the low bits can index a table. */
export function mixWord(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Hash of the id at `offset`, over the first and last eight bytes of the x coordinate. */
function hashNodeId(bytes: Uint8Array, offset: number): number {
  const sum =
    Math.imul(wordAt(bytes, offset + 1), multipliers[0]! | 1) +
    Math.imul(wordAt(bytes, offset + 5), multipliers[1]! | 1) +
    Math.imul(wordAt(bytes, offset + 25), multipliers[2]! | 1) +
    Math.imul(wordAt(bytes, offset + 29), multipliers[3]! | 1);
  return mixWord(sum | 0);
}

/** Compares two ids: negative, zero or positive if the first is smaller, equal or greater. */
export function compareNodeIds(a: Uint8Array, aOffset: number, b: Uint8Array, bOffset: number): number {
  for (let i = 0; i < NODE_ID_BYTES; i++) {
    const difference = a[aOffset + i]! - b[bOffset + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Maps node ids to dense indexes. An index never changes, because nodes are never removed. */
export class NodeTable {
  /** Number of nodes. Indexes are 0 … count - 1. */
  count = 0;
  /** Node ids, 33 bytes each. The array may be longer than `count` needs. */
  ids: Uint8Array;
  private slots: Uint32Array;

  /** An empty table. @param ids where the table keeps the ids until they need more room */
  constructor(expectedNodes = 1024, ids: Uint8Array = new Uint8Array(expectedNodes * NODE_ID_BYTES)) {
    this.slots = new Uint32Array(tableSize(expectedNodes));
    this.ids = ids;
  }

  /** A table of these ids, 33 bytes each. It does not copy them. */
  static of(ids: Uint8Array): NodeTable {
    const nodeCount = ids.length / NODE_ID_BYTES;
    const table = new NodeTable(nodeCount, ids);
    for (; table.count < nodeCount; table.count++)
      table.slots[table.slotOf(ids, table.count * NODE_ID_BYTES)] = table.count + 1;
    return table;
  }

  /** Index of the id at `offset`. -1 when it is unknown. */
  find(bytes: Uint8Array, offset: number): number {
    return this.slots[this.slotOf(bytes, offset)]! - 1;
  }

  /**
   * Index of the id at `offset`. Adds the id if it is unknown.
   * @throws RangeError when the table is full or when there are fewer than 33 bytes.
   */
  intern(bytes: Uint8Array, offset: number): number {
    if (offset + NODE_ID_BYTES > bytes.length) throw new RangeError('truncated node id');
    const slot = this.slotOf(bytes, offset);
    const found = this.slots[slot]!;
    if (found !== 0) return found - 1;
    if (this.count >= MAX_NODES) throw new RangeError(`more than ${MAX_NODES} nodes`);
    const index = this.count++;
    const target = index * NODE_ID_BYTES;
    if (target + NODE_ID_BYTES > this.ids.length) this.growIds();
    for (let i = 0; i < NODE_ID_BYTES; i++) this.ids[target + i] = bytes[offset + i]!;
    this.slots[slot] = index + 1;
    if (this.count * 2 >= this.slots.length) this.grow();
    return index;
  }

  /** The slot of the id. If the id is missing, the empty slot for it. */
  private slotOf(bytes: Uint8Array, offset: number): number {
    const { slots, ids } = this;
    const mask = slots.length - 1;
    let slot = hashNodeId(bytes, offset) & mask;
    for (;;) {
      const entry = slots[slot]!;
      if (entry === 0) return slot;
      if (compareNodeIds(ids, (entry - 1) * NODE_ID_BYTES, bytes, offset) === 0) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private growIds(): void {
    const ids = new Uint8Array(Math.max(16, 2 * this.count) * NODE_ID_BYTES);
    ids.set(this.ids);
    this.ids = ids;
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let index = 0; index < this.count; index++) {
      this.slots[this.slotOf(this.ids, index * NODE_ID_BYTES)] = index + 1;
    }
  }
}

/** Number of slots: the smallest power of two for which the table stays at most half full. */
export function tableSize(expectedEntries: number): number {
  let size = 16;
  while (size < expectedEntries * 2 + 2) size *= 2;
  return size;
}
