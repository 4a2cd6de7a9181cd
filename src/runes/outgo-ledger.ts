/**
 * Possible spending of the last day, by the unique id of a rune. Before a request sends anything, its amount and fee
 * limit are counted. When its outcome is known, the count is reduced to the amount sent.
 *
 * Amounts are kept by minute, so a rune has at most about 1,440 entries, and an amount counts for a day and up to a
 * minute more. When the clock goes back, entries of later minutes are moved to the current minute. So the count is
 * never less than the amount spent, and the moved entries expire a day later by the new clock.
 */

import type { OutgoRow } from '../store/rune-repository.ts';

/** Writes an entry, replacing the entry of the same rune and minute. */
export type KeepOutgo = (entry: OutgoRow) => void;

/** A counted amount. */
export interface OutgoCharge {
  /** Reduces the count to the amount sent. Only the first call has an effect. */
  settle(sentMsat: bigint): void;
}

/** Milliseconds in a minute. */
export const MINUTE_MS = 60_000;
/** Number of minutes for which an entry counts after its own minute. */
export const OUTGO_MINUTES = 1440;

/** Counts amounts by rune and minute. */
export class OutgoLedger {
  readonly #entries = new Map<bigint, Map<number, bigint>>();
  readonly #keep: KeepOutgo;

  /** @param entries the stored entries @param keep called with each change */
  constructor(entries: readonly OutgoRow[], keep: KeepOutgo) {
    this.#keep = keep;
    for (const { uniqueId, minute, msat } of entries) this.#of(uniqueId).set(minute, msat);
  }

  /** Msat currently counted for a rune. @param nowMs UNIX time in milliseconds */
  spentMsat(uniqueId: bigint, nowMs: number): bigint {
    const minutes = this.#entries.get(uniqueId);
    if (minutes === undefined) return 0n;
    this.#update(uniqueId, minutes, minuteOf(nowMs));
    let sum = 0n;
    for (const msat of minutes.values()) sum += msat;
    return sum;
  }

  /** Counts an amount as spent in the current minute. */
  charge(uniqueId: bigint, msat: bigint, nowMs: number): OutgoCharge {
    const minute = minuteOf(nowMs);
    this.#add(uniqueId, minute, msat);
    let isOpen = true;
    return {
      settle: (sentMsat) => {
        if (isOpen && sentMsat < msat) this.#add(uniqueId, minute, sentMsat - msat);
        isOpen = false;
      },
    };
  }

  #add(uniqueId: bigint, minute: number, msat: bigint): void {
    const minutes = this.#of(uniqueId);
    const before = minutes.get(minute);
    // The entry has expired, or was moved because the clock went back.
    if (before === undefined && msat <= 0n) return;
    this.#set(uniqueId, minutes, minute, (before ?? 0n) + msat);
  }

  /** Drops expired entries, and moves entries of future minutes to the current one. */
  #update(uniqueId: bigint, minutes: Map<number, bigint>, now: number): void {
    for (const [minute, msat] of [...minutes]) {
      if (minute >= now - OUTGO_MINUTES && minute <= now) continue;
      this.#set(uniqueId, minutes, minute, 0n);
      if (minute > now) this.#set(uniqueId, minutes, now, (minutes.get(now) ?? 0n) + msat);
    }
    if (minutes.size === 0) this.#entries.delete(uniqueId);
  }

  #set(uniqueId: bigint, minutes: Map<number, bigint>, minute: number, msat: bigint): void {
    if (msat > 0n) minutes.set(minute, msat);
    else minutes.delete(minute);
    this.#keep({ uniqueId, minute, msat });
  }

  #of(uniqueId: bigint): Map<number, bigint> {
    const minutes = this.#entries.get(uniqueId) ?? new Map<number, bigint>();
    this.#entries.set(uniqueId, minutes);
    return minutes;
  }
}

const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS);
