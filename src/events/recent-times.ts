/**
 * Durations measured in the last seconds, for live figures. At most `KEPT` durations are kept. If more were measured,
 * the quantiles cover only the last `KEPT` durations.
 */
import type { Clock } from '../model/clock.ts';

/** How long a measured duration counts as recent, in milliseconds. */
export const RECENT_MS = 10_000;
const KEPT = 1024;

/** Keeps recent durations, and computes their quantiles. */
export class RecentTimes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #ms = new Float64Array(KEPT);
  readonly #notedAtMs = new Float64Array(KEPT);
  #count = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Number of durations ever recorded. */
  get count(): number {
    return this.#count;
  }

  /** Records a duration in milliseconds. */
  readonly note = (ms: number): void => {
    const place = this.#count++ % KEPT;
    this.#ms[place] = ms;
    this.#notedAtMs[place] = this.#clock.monotonicMs();
  };

  /**
   * Quantiles of the recent durations by nearest rank: for each share, the smallest duration that at least this share
   * of the durations do not exceed. Undefined if there are no durations.
   * @param shares each in (0, 1]
   */
  quantiles<const S extends readonly number[]>(shares: S): { [K in keyof S]: number } | undefined {
    const from = this.#clock.monotonicMs() - RECENT_MS;
    const held = Math.min(this.#count, KEPT);
    const recent = this.#ms.subarray(0, held).filter((_, place) => this.#notedAtMs[place]! >= from);
    if (recent.length === 0) return undefined;
    recent.sort();
    return shares.map((share) => recent[Math.ceil(share * recent.length) - 1]!) as { [K in keyof S]: number };
  }
}
