/**
 * The budget of one request. It covers the search, the reason why there is no answer, and the remedy. It is counted
 * in steps of the kernel (assembly/solve/question/effort.ts) and not in time, so that a request gets the same answer on every
 * machine, busy or idle.
 *
 *   the search for an answer   all of it
 *   the reason                 until `REASON_SHARE` of the whole is spent, but at least `LEAST_REASON_SHARE`
 *   the remedy                 until `REMEDY_SHARE` of the whole is spent; `CONFIRM_SHARE` for its last search
 *   a remedy of last resort    `PROBE_SHARE` of the whole; a sixth of that for each search
 *   a lesser remedy            all of it, where the one that was found is known or likely to be wrong
 *
 * Most searches without an answer end early, which leaves enough budget for the reason and a remedy. When the
 * search itself took long, the caller has waited long enough. A remedy is a courtesy. Most remedies are found within
 * a few searches, and a long search for one delays other requests.
 */
import type { Kernel } from './kernel.ts';

/** The whole budget, in searches over the whole graph, where these are more than `LEAST_STEPS`. */
const REQUEST_SEARCHES = 2;
/**
 * The least budget, in steps. It counts on graphs up to ten times the main network's size, where splitting an
 * amount into parts takes more steps than searching. On the main network it takes some 150 ms. There, half of it decides
 * amounts of 10,000,000 sat that have an answer in several parts.
 */
const LEAST_STEPS = 12_000_000;
const REASON_SHARE = 0.22;
const LEAST_REASON_SHARE = 0.09375;
const REMEDY_SHARE = 0.24;
/** Share of the budget reserved for the final search of a remedy. */
const CONFIRM_SHARE = 0.0625;
/** Share for a remedy of last resort (last-remedy.ts), and how many searches it is enough for at least. */
const PROBE_SHARE = 0.16;
const PROBES = 6;
/** Share of the search for the best answer that is left for the answer of lowest fees, as in the kernel. */
const HELD_BACK = 0.125;
const NOISE_SHARE = 0.25;

/** Thrown when the budget is spent, or when the host asked to stop. */
export class Spent extends Error {}

/** The budget of one request, which begins when it is made. */
export class RequestEffort {
  readonly #kernel: Kernel;
  /** Steps of the kernel when the search for an answer began. What noise took before does not count. */
  #start: number;
  /** Steps of the whole request. */
  readonly #whole: number;
  /** Steps of the kernel at which the search for the reason ends. */
  #reasonEnd = 0;
  /** Steps of the kernel at which the search for a remedy of last resort ends. */
  #probesEnd = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#start = kernel.effort;
    this.#whole = Math.max(REQUEST_SEARCHES * kernel.exports.searchSteps(), LEAST_STEPS);
  }

  /** Begins the search for an answer, which may take the whole budget. */
  beginSearch(): void {
    this.#start = this.#kernel.effort;
    this.#kernel.exports.setEffort(this.#whole);
  }

  /**
   * Begins searches with noise. They get a share of their own, so that a request with noise that has no answer is
   * refused with the same reason and remedy as without.
   */
  beginNoise(): void {
    this.#kernel.exports.setEffort(this.#whole * NOISE_SHARE);
  }

  /** Begins to look for the reason. The searches for it share what is left. */
  beginReasons(): void {
    const least = this.#whole * LEAST_REASON_SHARE;
    this.#reasonEnd = this.#kernel.effort + Math.max(this.#left(REASON_SHARE), least);
  }

  /**
   * Begins a search for the reason. False when nothing is left for it.
   * @param isKnown whether the reason is known already. Then the search can only help to find a remedy
   */
  beginReason(isKnown: boolean): boolean {
    const left = isKnown ? this.#left(REMEDY_SHARE) : this.#reasonEnd - this.#kernel.effort;
    this.#kernel.exports.setEffort(left);
    return left > 0;
  }

  /**
   * Runs a search for a remedy, within what is left. A search that runs out of effort proves nothing about a
   * request with these terms, so its result is not used.
   * @throws Spent when nothing is left, or when the search ran out of effort
   */
  try<T>(search: () => T): T {
    return this.#within(this.#left(REMEDY_SHARE), search);
  }

  /** Like `try`, for the final search of a remedy. Something is always left for it. @throws Spent */
  confirm<T>(search: () => T): T {
    return this.#within(Math.max(this.#left(REMEDY_SHARE), this.#whole * CONFIRM_SHARE), search);
  }

  /** Begins to look for a remedy of last resort. */
  beginProbes(): void {
    this.#probesEnd = this.#kernel.effort + this.#whole * PROBE_SHARE;
  }

  /** As `try`, for a remedy of last resort. @throws Spent */
  probe<T>(search: () => T): T {
    const left = this.#probesEnd - this.#kernel.effort;
    return this.#within(Math.min(left, (this.#whole * PROBE_SHARE) / PROBES), search);
  }

  /**
   * As `try`, within all that is left, to find a lesser remedy than one that is known or likely to be wrong. Few requests
   * need it.
   * @throws Spent
   */
  correct<T>(search: () => T): T {
    return this.#within(this.#left(1), search);
  }

  /**
   * Whether a search that took so many steps would also have been run to its end within the search for the best answer,
   * which leaves a share for it (assembly/solve/answer.ts).
   */
  isShareOfSearch(steps: number): boolean {
    return steps <= this.#whole * HELD_BACK;
  }

  #within<T>(left: number, search: () => T): T {
    if (left <= 0) throw new Spent();
    this.#kernel.exports.setEffort(left);
    const result = search();
    if (this.#kernel.exports.wasSpent() !== 0) throw new Spent();
    return result;
  }

  #left(share: number): number {
    return this.#whole * share - (this.#kernel.effort - this.#start);
  }
}
