/**
 * Which connection begins its next request: they take turns.
 *
 * One turn of the event loop begins `REQUESTS_PER_TURN` requests at most, of all connections together, so that
 * answers, payments under way and new clients are looked at between them however many requests wait. Who has
 * more than its share queues up behind everybody else who has something to begin.
 */

/** Requests begun in one turn of the event loop; a few milliseconds of work. */
const REQUESTS_PER_TURN = 64;

/** Shares out the right to begin requests among all connections of the service. */
export class Turns {
  #left = REQUESTS_PER_TURN;
  #isScheduled = false;
  readonly #waiting = new Set<() => void>();

  /** Whether a request may begin at once: not when others wait already. */
  take(): boolean {
    if (this.#left === 0 || this.#waiting.size > 0) return false;
    this.#left--;
    this.#schedule();
    return true;
  }

  /** Returns what was taken and not used. */
  giveBack(): void {
    this.#left++;
  }

  /** Calls back, once, when one request may begin; in a later turn, after all who wait already. */
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

  /** In order; who queues up again meanwhile gets another turn when all others have had theirs. */
  #serve(): void {
    for (const proceed of this.#waiting) {
      if (this.#left === 0) break;
      this.#left--;
      this.#waiting.delete(proceed);
      proceed();
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}
