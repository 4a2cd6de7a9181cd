/**
 * How well predicted chances matched outcomes: log loss, Brier score, and for each tenth of the predicted chance the
 * share that arrived, with its 95 % interval.
 */
import { wilson } from '../../src/model/share-interval.ts';

const MIN_CHANCE = 1e-6;
const TENTHS = 10;

/** One tenth of the range of predicted chances, and the attempts in it. */
export interface Tenth {
  readonly count: number;
  /** Mean of the predictions, and share that arrived. */
  readonly stated: number;
  readonly arrived: number;
  /** 95 % interval of the share that arrives. */
  readonly low: number;
  readonly high: number;
  /** Whether the mean prediction is inside the interval. */
  readonly holds: boolean;
}

/** Sums of predicted chances and outcomes. */
export class OddsScore {
  #count = 0;
  #loss = 0;
  #brier = 0;
  readonly #tenths = Array.from({ length: TENTHS }, () => ({ stated: 0, arrived: 0, count: 0 }));

  add(stated: number, hasArrived: boolean): void {
    const kept = Math.min(1 - MIN_CHANCE, Math.max(MIN_CHANCE, stated));
    this.#count++;
    this.#loss -= Math.log(hasArrived ? kept : 1 - kept);
    this.#brier += (stated - (hasArrived ? 1 : 0)) ** 2;
    const tenth = this.#tenths[Math.min(TENTHS - 1, Math.floor(stated * TENTHS))]!;
    tenth.count++;
    tenth.stated += stated;
    if (hasArrived) tenth.arrived++;
  }

  get count(): number {
    return this.#count;
  }

  /** Mean of −ln of the predicted chance of the outcome, with chances kept within 1e-6 … 1 − 1e-6. */
  get logLoss(): number {
    return this.#loss / this.#count;
  }

  /** Mean of (predicted − arrived)². */
  get brier(): number {
    return this.#brier / this.#count;
  }

  /** The tenths of the range of predicted chances that contain at least one attempt, in ascending order. */
  get tenths(): Tenth[] {
    return this.#tenths
      .filter(({ count }) => count > 0)
      .map(({ stated, arrived, count }) => {
        const { low, high } = wilson(arrived, count);
        const mean = stated / count;
        return {
          count,
          stated: mean,
          arrived: arrived / count,
          low,
          high,
          holds: mean >= low && mean <= high,
        };
      });
  }
}
