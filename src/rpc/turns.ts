/**
 * Decides which connection begins its next request: connections take turns.
 *
 * One turn of the event loop begins at most `REQUESTS_PER_TURN` requests of all connections together. Between two
 * turns the service attends to answers, payments in progress and new clients, however many requests wait. A
 * connection that has used its share waits behind all others that have something to begin.
 */

/** Requests that begin in one turn of the event loop: a few milliseconds of work. */
const REQUESTS_PER_TURN = 64;

/** Shares out the right to begin requests among all connections of the service. */
export class Turns {
  #left = REQUESTS_PER_TURN;
  #begun = 0;
  #isScheduled = false;
  readonly #waiting = new Set<() => void>();

  /** Requests that have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Takes a turn if a request may begin at once. False while others wait already. */
  take(): boolean {
    if (this.#left === 0 || this.#waiting.size > 0) return false;
    this.#left--;
    this.#begun++;
    this.#schedule();
    return true;
  }

  /** Returns turns that were taken and not used. */
  giveBack(): void {
    this.#left++;
    this.#begun--;
  }

  /** Calls back once, when one request may begin: in a later turn, after all that wait already. */
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
