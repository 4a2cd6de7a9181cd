/**
 * Lets many wait for promises of their own until all of them are given up at once, as when a connection is lost.
 *
 * `Promise.race` with one long-lived promise does the same, but keeps every outcome for as long as that promise lives.
 */
export class Abandonment {
  readonly #waiting = new Set<(reason: Error) => void>();
  #reason: Error | undefined;

  /** What the promise brings. Nothing of it is kept here. @throws the reason, when everything is given up before */
  or<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason);
      else this.#waiting.add(reject);
      promise.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** Current and later waiters get this error. */
  giveUp(reason: Error): void {
    this.#reason ??= reason;
    for (const reject of this.#waiting) reject(this.#reason);
    this.#waiting.clear();
  }
}
