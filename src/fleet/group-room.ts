/**
 * Estimates the capacity of the queue group of solvers for a daemon that receives no loads: it may lack the right to
 * read them, or the solvers report none. Then the number of solvers and their load are unknown.
 *
 * So the number of requests in progress is adapted like TCP's window (RFC 5681): one at first, one more for each
 * answer, half after a refusal. No request is sent before a solver has answered an empty message.
 */

/** Maximum number of requests in progress. */
const MOST = 64;

/** The requests of one daemon to the group. */
export class GroupRoom {
  #isOpen = false;
  #window = 1;
  #underWay = 0;

  /** Whether the group is known to have a subscriber. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether one more request may be sent. */
  hasRoom(): boolean {
    return this.#isOpen && this.#underWay < this.#window;
  }

  /** Someone listens. */
  open(): void {
    this.#isOpen = true;
  }

  /** A request leaves. */
  begin(): void {
    this.#underWay++;
  }

  /** A request ended: with an answer, because solvers are full, or because no suitable solver exists. */
  end(how: 'answered' | 'busy' | 'lost'): void {
    this.#underWay--;
    if (how === 'answered') this.#window = Math.min(this.#window + 1, MOST);
    else this.#window = Math.max(1, this.#window >> 1);
    if (how === 'lost') this.#isOpen = false;
  }
}
