/**
 * Lists over HTTP yield to other requests. The network buffers megabytes of an answer ahead of its reader, so clients
 * that request long lists without reading them cause as much work as clients that read. Lists over HTTP are therefore
 * made in small pieces. While other requests start, there is a pause after each piece of any list. While no other
 * requests start, lists are made without pauses.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listTurn } from '../rpc/list-turns.ts';

/** Milliseconds for which one piece of a list may block the event loop. */
export const PIECE_MS = 0.5;
/**
 * Pause between two pieces while other requests are served: milliseconds per waiting list, and the maximum. A single
 * list gets a fifth of the main thread's time, and many lists together get a seventeenth.
 */
const REST_MS = 2;
const MAX_REST_MS = 8;
/**
 * A chunk that is not complete takes precedence over other lists for at most this many pieces in a row. A chunk usually
 * takes about five.
 */
const MAX_AHEAD = 32;

/** Allows one piece of one list to be made at a time. */
export class ListPace {
  /** Returns a number that changes when a request starts. */
  readonly #begun: () => number;
  readonly #rest: (ms: number) => Promise<void>;
  readonly #waiting: (() => void)[] = [];
  #isServing = false;
  /** Number of pieces in a row that took precedence. */
  #ahead = 0;

  /** @param rest waits for a number of milliseconds */
  constructor(begun: () => number, rest: (ms: number) => Promise<void> = sleep) {
    this.#begun = begun;
    this.#rest = rest;
  }

  /** Resolves in FIFO order, when a list may start its next chunk. */
  turn(): Promise<void> {
    return this.#wait((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Resolves when a list may continue its current chunk. The list takes precedence over all other lists, so that few
   * chunks are incomplete at a time. Incomplete chunks survive garbage collections, and so make each collection take
   * longer. A list whose elements are all filtered out would never complete a chunk, so after some pieces it waits for
   * all others.
   */
  goOn(): Promise<void> {
    this.#ahead = (this.#ahead + 1) % MAX_AHEAD;
    if (this.#ahead === 0) return this.turn();
    return this.#wait((resolve) => this.#waiting.unshift(resolve));
  }

  #wait(queue: (resolve: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      queue(resolve);
      if (!this.#isServing) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    let before = this.#begun();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await listTurn();
      next();
      // In this pause, the list makes its piece and requests its next turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const now = this.#begun();
      if (now !== before) await this.#rest(Math.min(REST_MS * this.#waiting.length, MAX_REST_MS));
      before = now;
    }
    this.#isServing = false;
  }
}
