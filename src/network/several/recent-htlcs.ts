/** Counts how HTLCs ended during the last day, minute by minute. */

/** HTLCs that ended in a period. */
export interface HtlcSums {
  settled: number;
  failed: number;
  /** The amount that settled HTLCs took from our channels, and their fees. */
  amountMsat: bigint;
  feeMsat: bigint;
}

const MINUTE_MS = 60_000;
/** Number of minutes kept. */
const KEPT = 24 * 60;

/** Counts HTLCs by the minute of their end. */
export class RecentHtlcs {
  readonly #minutes = new Map<number, HtlcSums>();
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Counts an HTLC that ended. */
  note(isSettled: boolean, { amountMsat, feeMsat }: Pick<HtlcSums, 'amountMsat' | 'feeMsat'>): void {
    const minute = Math.floor(this.#nowMs() / MINUTE_MS);
    let sums = this.#minutes.get(minute);
    if (sums === undefined) {
      sums = nothing();
      this.#minutes.set(minute, sums);
      for (const old of this.#minutes.keys()) if (old <= minute - KEPT) this.#minutes.delete(old);
    }
    if (isSettled) {
      sums.settled++;
      sums.amountMsat += amountMsat;
      sums.feeMsat += feeMsat;
    } else {
      sums.failed++;
    }
  }

  /** Sums over the last `minutes` minutes, at most a day. */
  since(minutes: number): HtlcSums {
    const first = Math.floor(this.#nowMs() / MINUTE_MS) - minutes;
    const sums = nothing();
    for (const [minute, { settled, failed, amountMsat, feeMsat }] of this.#minutes) {
      if (minute <= first) continue;
      sums.settled += settled;
      sums.failed += failed;
      sums.amountMsat += amountMsat;
      sums.feeMsat += feeMsat;
    }
    return sums;
  }
}

const nothing = (): HtlcSums => ({ settled: 0, failed: 0, amountMsat: 0n, feeMsat: 0n });
