/**
 * A layer's knowledge of one channel's liquidity: its records, and the resulting bounds.
 *
 * The records form a linked list from newest to oldest, which takes one word per record, so a layer with a hundred
 * thousand constraints stays small. Folding reads the whole list. A history longer than `SHORT` keeps its fold and
 * extends it in O(1), as long as timestamps do not decrease.
 */
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import {
  addRecord,
  addRevisingRecord,
  type BoundsFold,
  type BoundsStep,
  type LiquidityKind,
} from './bounds-fold.ts';
import type { PerDirection } from './cell.ts';

/** One observation of a channel's liquidity, linked to the previous one. */
export class LiquidityRecord {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
  readonly kind: LiquidityKind;
  readonly amountMsat: bigint;
  /** UNIX seconds. */
  readonly timestamp: number;
  /** The previous record of the same channel, in order of insertion. */
  older: LiquidityRecord | undefined;

  constructor(
    shortChannelId: ShortChannelId,
    direction: Direction,
    kind: LiquidityKind,
    amountMsat: bigint,
    timestamp: number,
  ) {
    this.shortChannelId = shortChannelId;
    this.direction = direction;
    this.kind = kind;
    this.amountMsat = amountMsat;
    this.timestamp = timestamp;
    this.older = undefined;
  }
}

/** Histories up to this length are folded again on each read, which takes less memory and is not slower. */
const SHORT = 8;

function extend(
  folds: PerDirection<BoundsStep[]>,
  { kind, amountMsat, direction }: LiquidityRecord,
  add = addRecord,
): void {
  add(folds[0], kind, amountMsat, direction === 0);
  add(folds[1], kind, amountMsat, direction === 1);
}

/** The amount that a record moved in direction 0. Negative if it moved in direction 1. */
function movedBy({ kind, amountMsat, direction }: LiquidityRecord): bigint {
  if (kind !== 'impression') return 0n;
  return direction === 0 ? amountMsat : -amountMsat;
}

/** All observations of one channel in one layer, and the resulting bounds. */
export class ChannelHistory {
  #newest: LiquidityRecord | undefined;
  #size = 0;
  /**
   * Largest timestamp of all records so far. A record with a smaller timestamp must be applied before records that are
   * already folded.
   */
  #latest = 0;
  /** The amount that payments moved in direction 0, minus the amount moved in direction 1. */
  #movedMsat = 0n;
  #folds: PerDirection<BoundsStep[]> | undefined;
  #revisedFolds: PerDirection<BoundsStep[]> | undefined;

  get size(): number {
    return this.#size;
  }

  /** Largest timestamp of all records that were ever added, in UNIX seconds. */
  get latest(): number {
    return this.#latest;
  }

  /** The amount that impressions moved out of a direction, minus the amount moved into it. */
  movedMsat(direction: Direction): bigint {
    return direction === 0 ? this.#movedMsat : -this.#movedMsat;
  }

  /** Adds a record. O(1). */
  append(record: LiquidityRecord): void {
    if (record.timestamp < this.#latest) this.#dropFolds();
    if (this.#folds !== undefined) extend(this.#folds, record);
    if (this.#revisedFolds !== undefined) extend(this.#revisedFolds, record, addRevisingRecord);
    this.#latest = Math.max(this.#latest, record.timestamp);
    record.older = this.#newest;
    this.#newest = record;
    this.#size += 1;
    this.#movedMsat += movedBy(record);
  }

  /** Removes the newest record. The next fold is computed from all records. O(1). */
  pop(): void {
    if (this.#newest !== undefined) this.#movedMsat -= movedBy(this.#newest);
    this.#newest = this.#newest?.older;
    this.#size -= 1;
    this.#dropFolds();
  }

  /** Removes the records with timestamp < cutoff. O(size). */
  age(cutoff: bigint): void {
    let kept: LiquidityRecord | undefined;
    let next = this.#newest;
    this.#newest = undefined;
    this.#size = 0;
    this.#movedMsat = 0n;
    this.#dropFolds();
    while (next !== undefined) {
      const record = next;
      next = record.older;
      if (record.timestamp < cutoff) continue;
      if (kept === undefined) this.#newest = record;
      else kept.older = record;
      record.older = undefined;
      kept = record;
      this.#size += 1;
      this.#movedMsat += movedBy(record);
    }
  }

  /** The effect of all records on the bounds, in order of (timestamp, insertion), for each direction of the channel. */
  folds(): PerDirection<BoundsFold> {
    if (this.#size <= SHORT) return this.#foldAll(addRecord);
    this.#folds ??= this.#foldAll(addRecord);
    return [[...this.#folds[0]], [...this.#folds[1]]];
  }

  /** Like `folds`, but a maximum is dropped when a larger amount has passed. */
  revisedFolds(): PerDirection<BoundsFold> {
    if (this.#size <= SHORT) return this.#foldAll(addRevisingRecord);
    this.#revisedFolds ??= this.#foldAll(addRevisingRecord);
    return [[...this.#revisedFolds[0]], [...this.#revisedFolds[1]]];
  }

  #foldAll(add: typeof addRecord): PerDirection<BoundsStep[]> {
    const folds: PerDirection<BoundsStep[]> = [[], []];
    for (const record of this.#inOrder()) extend(folds, record, add);
    return folds;
  }

  #dropFolds(): void {
    this.#folds = undefined;
    this.#revisedFolds = undefined;
  }

  #inOrder(): LiquidityRecord[] {
    const records: LiquidityRecord[] = [];
    for (let record = this.#newest; record !== undefined; record = record.older) records.push(record);
    // The sort is stable, so records of the same second keep their order of insertion.
    return records.reverse().sort((a, b) => a.timestamp - b.timestamp);
  }
}
