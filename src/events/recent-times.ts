/**
 * Durations measured in the last seconds, for live figures. At most `KEPT` times are kept. When
 * more come in, the quantiles are those of the last `KEPT` ones.
 */
import type { Clock } from '../model/clock.ts';

/** How long a time counts, in milliseconds. */
export const RECENT_MS = 10_000;
const KEPT = 1024;

/** Keeps the latest times, and computes their quantiles. */
export class RecentTimes {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #ms = new Float64Array(KEPT);
  readonly #notedAtMs = new Float64Array(KEPT);
  #count = 0;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** How many times were ever noted. */
  get count(): number {
    return this.#count;
  }

  /** Notes that something took this many milliseconds. */
  readonly note = (ms: number): void => {
    const place = this.#count++ % KEPT;
    this.#ms[place] = ms;
    this.#notedAtMs[place] = this.#clock.nowMs();
  };

  /**
   * Quantiles of the recent times, by nearest rank: the smallest time that at least that share of all times does not
   * exceed. Undefined when nothing happened lately.
   * @param shares each in (0, 1]
   */
  quantiles<const S extends readonly number[]>(shares: S): { [K in keyof S]: number } | undefined {
    const from = this.#clock.nowMs() - RECENT_MS;
    const held = Math.min(this.#count, KEPT);
    const recent = this.#ms.subarray(0, held).filter((_, place) => this.#notedAtMs[place]! >= from);
    if (recent.length === 0) return undefined;
    recent.sort();
    return shares.map((share) => recent[Math.ceil(share * recent.length) - 1]!) as { [K in keyof S]: number };
  }
}
