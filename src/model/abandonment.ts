/**
 * Lets many callers wait for promises of their own, all of which can be abandoned at once, as when a connection is
 * lost.
 *
 * `Promise.race` with one long-lived promise does the same, but keeps every outcome for the lifetime of that promise.
 */
export class Abandonment {
  readonly #waiting = new Set<(reason: Error) => void>();
  #reason: Error | undefined;

  /**
   * Resolves or rejects like the promise, without keeping a reference to it. @throws the reason, if everything is
   * abandoned first
   */
  or<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason);
      else this.#waiting.add(reject);
      promise.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** Rejects all current and later waits with this error. */
  giveUp(reason: Error): void {
    this.#reason ??= reason;
    for (const reject of this.#waiting) reject(this.#reason);
    this.#waiting.clear();
  }
}
