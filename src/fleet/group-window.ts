/**
 * Estimates the capacity of the queue group for a daemon that receives no load reports, because it lacks the right to
 * read them, or because the solvers send none. Such a daemon knows neither the number of solvers nor their load.
 *
 * So the maximum number of requests in progress is adapted like TCP's window (RFC 5681): it starts at one, grows by one
 * with each answer, and is halved after a refusal or a lost request. No request is sent before a solver has answered an
 * empty request. After a lost request, a solver must answer an empty request again.
 */

/** Maximum number of requests in progress. */
const MAX_WINDOW = 64;

/** The requests of one daemon to the group. */
export class GroupWindow {
  #isOpen = false;
  #window = 1;
  #underWay = 0;

  /** Whether the group is known to have a subscriber. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  hasRoom(): boolean {
    return this.#isOpen && this.#underWay < this.#window;
  }

  /** A subscriber of the group has answered. */
  open(): void {
    this.#isOpen = true;
  }

  /** A request is being sent. */
  begin(): void {
    this.#underWay++;
  }

  /** A request ended: with an answer, with a refusal because solvers are full, or without either. */
  end(how: 'answered' | 'busy' | 'lost'): void {
    this.#underWay--;
    if (how === 'answered') this.#window = Math.min(this.#window + 1, MAX_WINDOW);
    else this.#window = Math.max(1, this.#window >> 1);
    if (how === 'lost') this.#isOpen = false;
  }
}
