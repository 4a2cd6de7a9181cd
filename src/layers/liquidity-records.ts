/**
 * The liquidity records of a layer, in order of insertion. They are in columns, because the layer of shared lessons may
 * have hundreds of thousands, and a record as an object takes four times the memory. The columns are in blocks, so that
 * they grow without being copied, and old records are freed block by block.
 *
 * A record has a sequence number, which stays the same as long as the record exists. Records of the same channel are
 * linked from newest to oldest (channel-history.ts).
 */
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import type { LiquidityKind } from './bounds-fold.ts';

/** One observation of a channel's liquidity. */
export interface LiquidityRecord {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
  readonly kind: LiquidityKind;
  readonly amountMsat: bigint;
  /** UNIX seconds. */
  readonly timestamp: number;
}

const KINDS: readonly LiquidityKind[] = ['minimum', 'maximum', 'impression'];
/** The value of `whats` for a removed record. For others, it is twice the index of the kind, plus the direction. */
const REMOVED = 255;
/** Number of records in a full block. */
const BLOCK = 4096;
/** Room of the first block at first. Most layers are private and have few records. */
const FIRST_ROOM = 4;

/** The columns of up to `BLOCK` records. */
interface Block {
  readonly ids: BigUint64Array;
  readonly amountsMsat: BigUint64Array;
  readonly timestamps: Float64Array;
  readonly whats: Uint8Array;
  /** How much smaller the sequence number of the previous record of the same channel is; 0 if there is none. */
  readonly distances: Uint32Array;
}

/** The records of a layer. */
export class LiquidityRecords implements Iterable<LiquidityRecord> {
  /** All blocks but the last are full. */
  #blocks: Block[] = [];
  /** Sequence number of the first place of the first block. */
  #first = 0;
  /** Number of places in use, including those of removed records. */
  #used = 0;
  #removed = 0;

  get length(): number {
    return this.#used - this.#removed;
  }

  /** Sequence number after the newest record. Smaller numbers from `first` on may be of removed records. */
  get end(): number {
    return this.#first + this.#used;
  }

  get first(): number {
    return this.#first;
  }

  /** Smallest timestamp. Infinity if there are no records. */
  get oldest(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const [index, { whats, timestamps }] of this.#blocks.entries()) {
      const used = this.#usedIn(index);
      for (let at = 0; at < used; at++) if (whats[at] !== REMOVED) oldest = Math.min(oldest, timestamps[at]!);
    }
    return oldest;
  }

  /** The record with this sequence number. Undefined if it was removed. */
  at(sequence: number): LiquidityRecord | undefined {
    const { ids, amountsMsat, timestamps, whats } = this.#blockOf(sequence);
    const at = this.#placeOf(sequence);
    const what = whats[at]!;
    if (what === REMOVED) return undefined;
    return {
      shortChannelId: ids[at] as ShortChannelId,
      direction: (what & 1) as Direction,
      kind: KINDS[what >> 1]!,
      amountMsat: amountsMsat[at]!,
      timestamp: timestamps[at]!,
    };
  }

  *[Symbol.iterator](): Iterator<LiquidityRecord> {
    for (let sequence = this.#first; sequence < this.end; sequence++) {
      const record = this.at(sequence);
      if (record !== undefined) yield record;
    }
  }

  /** Adds a record. @returns its sequence number */
  push({ shortChannelId, direction, kind, amountMsat, timestamp }: LiquidityRecord): number {
    this.#makeRoom();
    const sequence = this.#first + this.#used++;
    const { ids, amountsMsat, timestamps, whats, distances } = this.#blockOf(sequence);
    const at = this.#placeOf(sequence);
    ids[at] = shortChannelId;
    amountsMsat[at] = amountMsat;
    timestamps[at] = timestamp;
    whats[at] = 2 * KINDS.indexOf(kind) + direction;
    distances[at] = 0;
    return sequence;
  }

  /** Removes the newest record. */
  pop(): void {
    this.#used--;
  }

  /** The previous record of the same channel. Undefined if there is none. */
  olderThan(sequence: number): number | undefined {
    const distance = this.#blockOf(sequence).distances[this.#placeOf(sequence)]!;
    return distance === 0 ? undefined : sequence - distance;
  }

  /** Links a record to the previous one of the same channel. */
  link(sequence: number, older: number | undefined): void {
    this.#blockOf(sequence).distances[this.#placeOf(sequence)] = older === undefined ? 0 : sequence - older;
  }

  /**
   * The records without those with timestamp < cutoff, and the channels of the latter, one for each record. Links to
   * removed records remain, so the histories of these channels must be aged too.
   *
   * The result shares columns with this object, which keeps its records. Only one of the two may be used to add more,
   * and the links of the aged channels are those of the object that linked them last.
   */
  since(cutoff: bigint): { readonly kept: LiquidityRecords; readonly removed: ShortChannelId[] } {
    const kept = new LiquidityRecords();
    const removed: ShortChannelId[] = [];
    for (const [index, block] of this.#blocks.entries())
      kept.#blocks.push(withoutOld(block, this.#usedIn(index), cutoff, removed));
    const isGone = ({ whats }: Block, index: number) =>
      whats.subarray(0, this.#usedIn(index)).every((what) => what === REMOVED);
    const firstLeft = kept.#blocks.findIndex((block, index) => !isGone(block, index));
    const from = firstLeft < 0 ? this.#used : firstLeft * BLOCK;
    kept.#blocks.splice(0, Math.ceil(from / BLOCK));
    kept.#first = this.#first + from;
    kept.#used = this.#used - from;
    kept.#removed = this.#removed + removed.length - from;
    return { kept, removed };
  }

  #makeRoom(): void {
    const last = this.#blocks.at(-1);
    const used = this.#usedIn(this.#blocks.length - 1);
    if (last === undefined) this.#blocks.push(newBlock(FIRST_ROOM));
    else if (used === BLOCK) this.#blocks.push(newBlock(BLOCK));
    else if (used === last.ids.length)
      this.#blocks[this.#blocks.length - 1] = enlarged(last, Math.min(BLOCK, 2 * used));
  }

  /** Number of places in use in the block at this index. */
  #usedIn(index: number): number {
    return Math.min(BLOCK, this.#used - index * BLOCK);
  }

  #blockOf(sequence: number): Block {
    return this.#blocks[Math.floor((sequence - this.#first) / BLOCK)]!;
  }

  #placeOf(sequence: number): number {
    return (sequence - this.#first) % BLOCK;
  }
}

function newBlock(room: number): Block {
  return {
    ids: new BigUint64Array(room),
    amountsMsat: new BigUint64Array(room),
    timestamps: new Float64Array(room),
    whats: new Uint8Array(room),
    distances: new Uint32Array(room),
  };
}

function enlarged(block: Block, room: number): Block {
  const larger = newBlock(room);
  larger.ids.set(block.ids);
  larger.amountsMsat.set(block.amountsMsat);
  larger.timestamps.set(block.timestamps);
  larger.whats.set(block.whats);
  larger.distances.set(block.distances);
  return larger;
}

/**
 * The block with its records with timestamp < cutoff marked as removed, whose channels are added to `removed`. The
 * given block is not changed.
 */
function withoutOld(block: Block, used: number, cutoff: bigint, removed: ShortChannelId[]): Block {
  let whats: Uint8Array | undefined;
  for (let at = 0; at < used; at++) {
    if (block.whats[at] === REMOVED || block.timestamps[at]! >= cutoff) continue;
    removed.push(block.ids[at] as ShortChannelId);
    whats ??= block.whats.slice();
    whats[at] = REMOVED;
  }
  return whats === undefined ? block : { ...block, whats };
}
