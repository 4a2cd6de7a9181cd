/**
 * The liquidity records of a layer, in order of insertion. They are in columns, because the layer of shared lessons may
 * have hundreds of thousands, and a record as an object takes four times the memory.
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
/** Room for records at first. Most layers are private and have few. */
const FIRST_ROOM = 4;

/** The records of a layer. */
export class LiquidityRecords implements Iterable<LiquidityRecord> {
  /** Sequence number of the first place of the columns. */
  #first = 0;
  /** Number of places in use, including those of removed records. */
  #used = 0;
  #removed = 0;
  #ids = new BigUint64Array(FIRST_ROOM);
  #amountsMsat = new BigUint64Array(FIRST_ROOM);
  #timestamps = new Float64Array(FIRST_ROOM);
  #whats = new Uint8Array(FIRST_ROOM);
  /** How much smaller the sequence number of the previous record of the same channel is; 0 if there is none. */
  #distances = new Uint32Array(FIRST_ROOM);

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
    for (let at = 0; at < this.#used; at++)
      if (this.#whats[at] !== REMOVED) oldest = Math.min(oldest, this.#timestamps[at]!);
    return oldest;
  }

  /** The record with this sequence number. Undefined if it was removed. */
  at(sequence: number): LiquidityRecord | undefined {
    const at = sequence - this.#first;
    const what = this.#whats[at]!;
    if (what === REMOVED) return undefined;
    return {
      shortChannelId: this.#ids[at] as ShortChannelId,
      direction: (what & 1) as Direction,
      kind: KINDS[what >> 1]!,
      amountMsat: this.#amountsMsat[at]!,
      timestamp: this.#timestamps[at]!,
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
    if (this.#used === this.#ids.length) this.#resize(0, roomFor(this.#used));
    const at = this.#used++;
    this.#ids[at] = shortChannelId;
    this.#amountsMsat[at] = amountMsat;
    this.#timestamps[at] = timestamp;
    this.#whats[at] = 2 * KINDS.indexOf(kind) + direction;
    this.#distances[at] = 0;
    return this.#first + at;
  }

  /** Removes the newest record. */
  pop(): void {
    this.#used--;
  }

  /** The previous record of the same channel. Undefined if there is none. */
  olderThan(sequence: number): number | undefined {
    const distance = this.#distances[sequence - this.#first]!;
    return distance === 0 ? undefined : sequence - distance;
  }

  /** Links a record to the previous one of the same channel. */
  link(sequence: number, older: number | undefined): void {
    this.#distances[sequence - this.#first] = older === undefined ? 0 : sequence - older;
  }

  /**
   * A copy without the records with timestamp < cutoff, and the channels of these, one for each record. Links to removed
   * records remain, so the histories of these channels must be aged too.
   */
  since(cutoff: bigint): { readonly kept: LiquidityRecords; readonly removed: ShortChannelId[] } {
    const kept = new LiquidityRecords();
    const removed: ShortChannelId[] = [];
    const whats = this.#whats.slice(0, this.#used);
    for (let at = 0; at < this.#used; at++) {
      if (whats[at] === REMOVED || this.#timestamps[at]! >= cutoff) continue;
      removed.push(this.#ids[at] as ShortChannelId);
      whats[at] = REMOVED;
    }
    const start = whats.findIndex((what) => what !== REMOVED);
    const from = start < 0 ? this.#used : start;
    kept.#first = this.#first + from;
    kept.#used = this.#used - from;
    kept.#removed = this.#removed + removed.length - from;
    kept.#ids = this.#ids;
    kept.#amountsMsat = this.#amountsMsat;
    kept.#timestamps = this.#timestamps;
    kept.#whats = whats;
    kept.#distances = this.#distances;
    kept.#resize(from, roomFor(kept.#used));
    return { kept, removed };
  }

  /** Copies the columns from `from` on into new ones with this much room. */
  #resize(from: number, room: number): void {
    this.#ids = resized(this.#ids, from, new BigUint64Array(room));
    this.#amountsMsat = resized(this.#amountsMsat, from, new BigUint64Array(room));
    this.#timestamps = resized(this.#timestamps, from, new Float64Array(room));
    this.#whats = resized(this.#whats, from, new Uint8Array(room));
    this.#distances = resized(this.#distances, from, new Uint32Array(room));
  }
}

/** Room for this many records and a quarter more, because the columns of shared lessons take megabytes. */
const roomFor = (records: number): number => FIRST_ROOM + Math.ceil(1.25 * records);

/** A column that can be copied. */
interface Copyable {
  readonly length: number;
  subarray(from: number, to: number): this;
  set(values: this): void;
}

function resized<T extends Copyable>(column: T, from: number, into: T): T {
  into.set(column.subarray(from, Math.min(column.length, from + into.length)));
  return into;
}
