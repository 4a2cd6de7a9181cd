/**
 * How much the queue group of solvers takes, as seen by a daemon that receives no loads: it may lack the
 * right to read them, or the solvers are simple ones that report none. Then the number of solvers and their load
 * are unknown.
 *
 * So the number of requests in progress is found by trying, as TCP finds its window (RFC 5681): one at first, one
 * more for each answer, half of it after a refusal. No request is sent before a solver has answered an empty
 * message.
 */

/** Maximum number of requests in progress. */
const MOST = 64;

/** The requests of one daemon to the group. */
export class GroupRoom {
  #isOpen = false;
  #window = 1;
  #underWay = 0;

  /** Whether someone is known to listen. */
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

  /** It ended: with an answer, because solvers are full, or because no suitable solver exists. */
  end(how: 'answered' | 'busy' | 'lost'): void {
    this.#underWay--;
    if (how === 'answered') this.#window = Math.min(this.#window + 1, MOST);
    else this.#window = Math.max(1, this.#window >> 1);
    if (how === 'lost') this.#isOpen = false;
  }
}
