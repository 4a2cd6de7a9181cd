/**
 * Lists over HTTP give way. The network takes megabytes of an answer ahead of its reader. So a crowd that asks for long
 * lists and reads none of them has as much work done for it as readers have. Lists over HTTP are therefore made in small
 * pieces. While other requests begin, all those lists together rest after each piece. Alone, they are made without rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listTurn } from '../rpc/list-turns.ts';

/** Milliseconds for which one piece of a list keeps the event loop. */
export const PIECE_MS = 0.5;
/**
 * Milliseconds between two pieces while others are served, for each list that waits, and at most. One list gets a fifth
 * of the main thread's time, a crowd of them a seventeenth.
 */
const REST_MS = 2;
const MOST_REST_MS = 8;
/** Maximum number of pieces of one chunk after which others wait for no more. A chunk takes some five. */
const MOST_AHEAD = 32;

/** Lets one piece of one list be made at a time. */
export class ListPace {
  /** A number that changes when a request begins. */
  readonly #begun: () => number;
  readonly #rest: (ms: number) => Promise<void>;
  readonly #waiting: (() => void)[] = [];
  #isServing = false;
  /** Pieces that went before others. */
  #ahead = 0;

  /** @param rest waits for a number of milliseconds */
  constructor(begun: () => number, rest: (ms: number) => Promise<void> = sleep) {
    this.#begun = begun;
    this.#rest = rest;
  }

  /** Resolves when a list may begin its next chunk: after all that wait already. */
  turn(): Promise<void> {
    return this.#wait((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Resolves when a list may continue with the chunk that it has begun: before all others, so that few chunks are ever
   * half made. What is half made survives collections of garbage, and so makes them long. A list that gives no text,
   * because a filter drops it all, waits for all others now and then.
   */
  goOn(): Promise<void> {
    this.#ahead = (this.#ahead + 1) % MOST_AHEAD;
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
      // The piece is made meanwhile, and its list asks for its next turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const now = this.#begun();
      if (now !== before) await this.#rest(Math.min(REST_MS * this.#waiting.length, MOST_REST_MS));
      before = now;
    }
    this.#isServing = false;
  }
}
