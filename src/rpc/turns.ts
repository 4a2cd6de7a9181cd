/**
 * Decides which connection starts its next request: connections take turns.
 *
 * One turn of the event loop starts at most `REQUESTS_PER_TURN` requests of all connections together. Between two
 * turns, the service handles answers, payments in progress and new clients, however many requests wait. A connection
 * that has used its share waits behind all others that have requests to start.
 */

/** Maximum number of requests started per turn of the event loop: a few milliseconds of work. */
const REQUESTS_PER_TURN = 64;

/** Shares the right to start requests among all connections of the service. */
export class Turns {
  #left = REQUESTS_PER_TURN;
  #begun = 0;
  #isScheduled = false;
  readonly #waiting = new Set<() => void>();

  /** Number of started requests. */
  get begun(): number {
    return this.#begun;
  }

  /**
   * Takes the right to start one request immediately. Returns false if this turn of the event loop has no right left,
   * or if other requests are waiting.
   */
  take(): boolean {
    if (this.#left === 0 || this.#waiting.size > 0) return false;
    this.#left--;
    this.#begun++;
    this.#schedule();
    return true;
  }

  /** Gives back one unused right. */
  giveBack(): void {
    this.#left++;
    this.#begun--;
  }

  /** Calls back once, on a later tick and in FIFO order, when one request may start. */
  wait(proceed: () => void): void {
    this.#waiting.add(proceed);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#left = REQUESTS_PER_TURN;
      this.#serve();
    });
  }

  /** Serves the waiting requests in order. A connection that queues again meanwhile comes after all others. */
  #serve(): void {
    for (const proceed of this.#waiting) {
      if (this.#left === 0) break;
      this.#left--;
      this.#begun++;
      this.#waiting.delete(proceed);
      proceed();
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}
