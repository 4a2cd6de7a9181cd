/**
 * The budget of one request. It covers the search, the reason why there is no answer, and the remedy. It is counted in
 * kernel steps (assembly/solve/question/effort.ts) instead of time, so that a request gets the same answer on every
 * machine, busy or idle.
 *
 *   the search for an answer   all of it
 *   the reason                 until `REASON_SHARE` of the whole is spent, but at least `MIN_REASON_SHARE`
 *   the remedy                 until `REMEDY_SHARE` of the whole is spent; `CONFIRM_SHARE` for its last search, and
 *                              `BRIEF_SHARE` for a search that may be left undecided
 *   a remedy of last resort    `PROBE_SHARE` of the whole; a sixth of that for each search
 *   a smaller remedy           all of it, if the remedy that was found is known, or likely, not to be the smallest
 *
 * Most searches without an answer end early, which leaves enough budget for the reason and a remedy. If the search
 * itself took long, the caller has waited long enough. A remedy is optional: most are found within a few searches, and
 * a long search for one delays other requests.
 */
import type { Reply } from './ask.ts';
import type { Kernel } from './kernel.ts';

/** The whole budget, as a number of searches over the whole graph, if that is more than `MIN_STEPS`. */
const REQUEST_SEARCHES = 2;
/**
 * The minimum budget, in steps. It applies even to graphs ten times the main network's size, where splitting an
 * amount into parts takes more steps than searching. On the main network, spending it takes about 150 ms, and half of
 * it suffices for amounts of 10,000,000 sat that have an answer in several parts.
 */
const MIN_STEPS = 12_000_000;
const REASON_SHARE = 0.22;
const MIN_REASON_SHARE = 0.09375;
const REMEDY_SHARE = 0.24;
/** Share of the budget reserved for the final search of a remedy. */
const CONFIRM_SHARE = 0.0625;
/** Share of the budget for a search whose answer is a small gain, if it is quick. */
const BRIEF_SHARE = 0.03;
/**
 * Share of the budget for a remedy of last resort (last-remedy.ts), and the minimum number of searches that this share
 * must cover.
 */
const PROBE_SHARE = 0.16;
const PROBES = 6;
/** Share of the best-answer search that is reserved for the lowest-fee answer, as in the kernel. */
const HELD_BACK = 0.125;
const NOISE_SHARE = 0.25;

/** Thrown when the budget is spent, or the host has requested a stop. */
export class Spent extends Error {}

/** The result of a search. */
type WithStatus = Pick<Reply, 'status'>;

/** The budget of one request. It starts when the object is created. */
export class RequestEffort {
  readonly #kernel: Kernel;
  /**
   * The kernel's step count at the start of the search for an answer. Earlier steps of searches with noise do not
   * count.
   */
  #start: number;
  /** Budget of the whole request, in steps. */
  readonly #whole: number;
  /** The kernel's step count at which the search for the reason ends. */
  #reasonEnd = 0;
  /** The kernel's step count at which the search for a remedy of last resort ends. */
  #probesEnd = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#start = kernel.effort;
    this.#whole = Math.max(REQUEST_SEARCHES * kernel.exports.searchSteps(), MIN_STEPS);
  }

  /** Starts the search for an answer, which may use the whole budget. */
  beginSearch(): void {
    this.#start = this.#kernel.effort;
    this.#kernel.exports.setEffort(this.#whole);
  }

  /**
   * Starts searches with noise. They have a separate share of the effort. So if a request with noise has no answer, the
   * reason and the remedy are the same as without noise.
   */
  beginNoise(): void {
    this.#kernel.exports.setEffort(this.#whole * NOISE_SHARE);
  }

  /** Starts looking for the reason. The searches for it share the part of the budget that is left for the reason. */
  beginReasons(): void {
    const least = this.#whole * MIN_REASON_SHARE;
    this.#reasonEnd = this.#kernel.effort + Math.max(this.#left(REASON_SHARE), least);
  }

  /**
   * Starts a search for the reason. False when nothing is left for it.
   * @param isKnown whether the reason is already known, so that the search can only help to find a remedy
   */
  beginReason(isKnown: boolean): boolean {
    const left = isKnown ? this.#left(REMEDY_SHARE) : this.#reasonEnd - this.#kernel.effort;
    this.#kernel.exports.setEffort(left);
    return left > 0;
  }

  /**
   * Runs a search for a remedy, within what is left of `REMEDY_SHARE`. A search that finds nothing before it runs out of
   * effort proves nothing about a request with these terms, so its result is not used.
   * @throws Spent when nothing is left, or the search ran out of effort without an answer
   */
  try<T extends WithStatus>(search: () => T): T {
    return this.#within(this.#left(REMEDY_SHARE), search);
  }

  /** Like `try`, within `BRIEF_SHARE` of the budget. @throws Spent */
  tryBriefly<T extends WithStatus>(search: () => T): T {
    return this.#within(Math.min(this.#left(REMEDY_SHARE), this.#whole * BRIEF_SHARE), search);
  }

  /** Like `try`, for the final search of a remedy. Part of the budget is always left for it. @throws Spent */
  confirm<T extends WithStatus>(search: () => T): T {
    return this.#within(this.confirmLimit, search);
  }

  /** Maximum number of steps of the final search of a remedy. */
  get confirmLimit(): number {
    return Math.max(this.#left(REMEDY_SHARE), this.#whole * CONFIRM_SHARE);
  }

  /** Starts looking for a remedy of last resort. */
  beginProbes(): void {
    this.#probesEnd = this.#kernel.effort + this.#whole * PROBE_SHARE;
  }

  /** Like `try`, for a remedy of last resort. @throws Spent */
  probe<T extends WithStatus>(search: () => T): T {
    const left = this.#probesEnd - this.#kernel.effort;
    return this.#within(Math.min(left, this.probeLimit), search);
  }

  /** Maximum number of steps of a search for a remedy of last resort. */
  get probeLimit(): number {
    return (this.#whole * PROBE_SHARE) / PROBES;
  }

  /**
   * Like `try`, but within all that is left of the budget. For a search for a smaller remedy, after a remedy was found
   * that is probably not the smallest. Few requests need this.
   * @throws Spent
   */
  correct<T extends WithStatus>(search: () => T): T {
    return this.#within(this.#left(1), search);
  }

  /**
   * Whether a search with this many steps stays within the share of the best-answer search that is reserved for the
   * lowest-fee answer (assembly/solve/answer.ts).
   */
  isShareOfSearch(steps: number): boolean {
    return steps <= this.#whole * HELD_BACK;
  }

  #within<T extends WithStatus>(left: number, search: () => T): T {
    if (left <= 0) throw new Spent();
    this.#kernel.exports.setEffort(left);
    const result = search();
    if (result.status !== 'ok' && this.#kernel.exports.wasSpent() !== 0) throw new Spent();
    return result;
  }

  #left(share: number): number {
    return this.#whole * share - (this.#kernel.effort - this.#start);
  }
}
