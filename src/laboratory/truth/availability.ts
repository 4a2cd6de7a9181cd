/**
 * When nodes are offline.
 *
 * Each node alternates between being offline and online, both for exponentially distributed times. The mean times are L
 * offline and L · (1 − p) / p online, so that a share p of the nodes is offline at any time. Initially, each node is
 * offline with probability p. With L = 0 a node keeps its initial state. The timeline of a node depends only on its own
 * draws, not on the order of queries.
 */
import type { Draws } from '../../model/draws.ts';
import { exponential } from '../distributions.ts';
import { PURPOSE } from '../purposes.ts';

interface Timeline {
  isAway: boolean;
  untilUs: number;
  count: number;
}

/** Determines whether a node is online. For each node, times must not decrease from call to call. */
export class Availability {
  readonly #draws: Draws;
  readonly #share: number;
  readonly #meanUs: number;
  readonly #timelines = new Map<number, Timeline>();
  readonly #set = new Map<number, boolean>();

  /**
   * @param share share of the nodes that are offline at any time
   * @param meanUs mean duration of an absence in microseconds; 0 for the whole run
   */
  constructor(draws: Draws, share: number, meanUs: number) {
    this.#draws = draws;
    this.#share = share;
    this.#meanUs = meanUs;
  }

  /** Sets a node's state until the next call for this node. */
  set(node: number, isOnline: boolean): void {
    this.#set.set(node, isOnline);
  }

  isOnline(node: number, nowUs: number): boolean {
    const set = this.#set.size === 0 ? undefined : this.#set.get(node);
    if (set !== undefined) return set;
    if (this.#share === 0) return true;
    const timeline = this.#timelineOf(node);
    while (nowUs >= timeline.untilUs) {
      timeline.isAway = !timeline.isAway;
      timeline.count++;
      timeline.untilUs += this.#length(node, timeline);
    }
    return !timeline.isAway;
  }

  #timelineOf(node: number): Timeline {
    const known = this.#timelines.get(node);
    if (known !== undefined) return known;
    const isAway = this.#draws.happens(this.#share, PURPOSE.offline, node);
    const fresh: Timeline = { isAway, untilUs: 0, count: 0 };
    fresh.untilUs = this.#length(node, fresh);
    this.#timelines.set(node, fresh);
    return fresh;
  }

  #length(node: number, { isAway, count }: Timeline): number {
    if (this.#meanUs === 0) return Number.POSITIVE_INFINITY;
    const mean = isAway ? this.#meanUs : (this.#meanUs * (1 - this.#share)) / this.#share;
    return Math.max(
      1,
      Math.floor(exponential(this.#draws.uniform(PURPOSE.offlineLength, node, count), mean)),
    );
  }
}
