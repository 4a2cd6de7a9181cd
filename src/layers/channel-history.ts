/**
 * A layer's knowledge of one channel's liquidity: its records, and the resulting bounds.
 *
 * The records are in the columns of their layer (liquidity-records.ts), linked from newest to oldest. Folding reads the
 * whole list. A history longer than `SHORT` keeps its fold and extends it in O(1), as long as timestamps do not decrease.
 */
import type { Direction } from '../model/short-channel-id.ts';
import { addRecord, addRevisingRecord, type BoundsFold, type BoundsStep } from './bounds-fold.ts';
import type { PerDirection } from './cell.ts';
import type { LiquidityRecord, LiquidityRecords } from './liquidity-records.ts';

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

const byTime = (a: LiquidityRecord, b: LiquidityRecord): number => a.timestamp - b.timestamp;

/** All observations of one channel in one layer, and the resulting bounds. Each method gets the records of the layer. */
export class ChannelHistory {
  /** Sequence number of the newest record. */
  #newest: number | undefined;
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

  /** Adds the record with this sequence number. O(1). */
  append(records: LiquidityRecords, sequence: number): void {
    const record = records.at(sequence)!;
    if (record.timestamp < this.#latest) this.#dropFolds();
    if (this.#folds !== undefined) extend(this.#folds, record);
    if (this.#revisedFolds !== undefined) extend(this.#revisedFolds, record, addRevisingRecord);
    this.#latest = Math.max(this.#latest, record.timestamp);
    this.#include(records, sequence, record);
  }

  #include(records: LiquidityRecords, sequence: number, record: LiquidityRecord): void {
    records.link(sequence, this.#newest);
    this.#newest = sequence;
    this.#size += 1;
    this.#movedMsat += movedBy(record);
  }

  /** Removes the newest record. The next fold is computed from all records. O(1). */
  pop(records: LiquidityRecords): void {
    if (this.#newest === undefined) return;
    this.#movedMsat -= movedBy(records.at(this.#newest)!);
    this.#newest = records.olderThan(this.#newest);
    this.#size -= 1;
    this.#dropFolds();
  }

  /** Keeps only the records that still exist. O(size). */
  age(records: LiquidityRecords): void {
    const kept = this.#sequences(records).filter((sequence) => records.at(sequence) !== undefined);
    this.#newest = undefined;
    this.#size = 0;
    this.#movedMsat = 0n;
    this.#dropFolds();
    for (const sequence of kept) this.#include(records, sequence, records.at(sequence)!);
  }

  /** The effect of all records on the bounds, in order of (timestamp, insertion), for each direction of the channel. */
  folds(records: LiquidityRecords): PerDirection<BoundsFold> {
    if (this.#size <= SHORT) return this.#foldAll(records, addRecord);
    this.#folds ??= this.#foldAll(records, addRecord);
    return [[...this.#folds[0]], [...this.#folds[1]]];
  }

  /** Like `folds`, but a maximum is dropped when a larger amount has passed. */
  revisedFolds(records: LiquidityRecords): PerDirection<BoundsFold> {
    if (this.#size <= SHORT) return this.#foldAll(records, addRevisingRecord);
    this.#revisedFolds ??= this.#foldAll(records, addRevisingRecord);
    return [[...this.#revisedFolds[0]], [...this.#revisedFolds[1]]];
  }

  #foldAll(records: LiquidityRecords, add: typeof addRecord): PerDirection<BoundsStep[]> {
    const folds: PerDirection<BoundsStep[]> = [[], []];
    for (const record of this.#inOrder(records)) extend(folds, record, add);
    return folds;
  }

  #dropFolds(): void {
    this.#folds = undefined;
    this.#revisedFolds = undefined;
  }

  #inOrder(records: LiquidityRecords): LiquidityRecord[] {
    const inOrder: LiquidityRecord[] = [];
    for (const sequence of this.#sequences(records)) inOrder.push(records.at(sequence)!);
    // The sort is stable, so records of the same second keep their order of insertion.
    return inOrder.sort(byTime);
  }

  /** Sequence numbers of the records, oldest first. */
  #sequences(records: LiquidityRecords): number[] {
    const sequences: number[] = [];
    let next = this.#newest;
    while (next !== undefined && next >= records.first) {
      sequences.push(next);
      next = records.olderThan(next);
    }
    return sequences.reverse();
  }
}
