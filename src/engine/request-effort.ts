/**
 * What one request may cost: its search, the search for the reason why it has no answer, and that for a remedy, all out
 * of one budget. It is counted in steps of the kernel (assembly/solve/effort.ts) and not in time, so that a request has
 * one answer on every machine, busy or idle.
 *
 *   the search for an answer   all of it
 *   the reason                 while no more than `REASON_SHARE` of the whole is spent, but `LEAST_REASON_SHARE` in any case
 *   the remedy                 while no more than `REMEDY_SHARE` of the whole is spent
 *
 * Most requests without an answer are refused early, and then there is much to ask; where the search itself took long,
 * whoever waits has waited enough. A remedy is a courtesy: most are found within a few searches, and one that is not keeps
 * others waiting.
 */
import type { Kernel } from './kernel.ts';

/** In searches over the whole graph. */
const REQUEST_SEARCHES = 16;
/**
 * On small graphs, where sharing an amount among parts takes longer than searching; the main network is one of them. There
 * it is some 120 ms, and amounts of 10,000,000 sat that have an answer in several parts are decided with half of it.
 */
const LEAST_STEPS = 12_000_000;
const REASON_SHARE = 0.45;
const LEAST_REASON_SHARE = 0.125;
const REMEDY_SHARE = 0.3;
const NOISE_SHARE = 0.25;

/** Thrown when the budget is spent, or when the host asked to stop. */
export class Spent extends Error {}

/** The budget of one request, which begins when it is made. */
export class RequestEffort {
  readonly #kernel: Kernel;
  readonly #start: number;
  /** Steps of the whole request. */
  readonly #whole: number;
  /** Steps of the kernel at which the search for the reason ends. */
  #reasonEnd = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#start = kernel.effort;
    this.#whole = Math.max(REQUEST_SEARCHES * kernel.exports.searchSteps(), LEAST_STEPS);
  }

  /** Begins the search for an answer, which may take the whole budget. */
  beginSearch(): void {
    this.#kernel.exports.setEffort(this.#whole);
  }

  /** Begins searches with noise. They have a share of their own, since the search without noise needs the whole. */
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
   * @param isKnown whether the reason is known already, and only a remedy can come of it
   */
  beginReason(isKnown: boolean): boolean {
    const left = isKnown ? this.#left(REMEDY_SHARE) : this.#reasonEnd - this.#kernel.effort;
    this.#kernel.exports.setEffort(left);
    return left > 0;
  }

  /**
   * Runs a search for a remedy, within what is left. One that this cuts short says nothing of what a request with
   * these terms would get.
   * @throws Spent
   */
  try<T>(search: () => T): T {
    const left = this.#left(REMEDY_SHARE);
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
