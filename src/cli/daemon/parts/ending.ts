/**
 * How the daemon ends: because of a request, or because a part that it cannot do without failed. The first ending
 * closes everything.
 */
export class Ending {
  #cause: Error | undefined;
  #begin = (): void => undefined;

  /** Stops the daemon. Does nothing before `listen`. */
  requestStop(): void {
    this.#begin();
  }

  /** Stops the daemon because a part failed. The latest failure is reported. */
  fail(cause: Error): void {
    this.#cause = cause;
    this.#begin();
  }

  /** Like `fail`, but an earlier failure is reported rather than this one. */
  failUnlessFailed(cause: Error | undefined): void {
    this.#cause ??= cause;
    this.#begin();
  }

  /**
   * Calls `close` once, when the daemon is stopped from now on, or at once if a part has failed already.
   * @returns a promise that resolves when all is closed. It rejects if closing failed, or with the failure of the part
   */
  listen(close: () => Promise<void>): Promise<void> {
    let closing: Promise<void> | undefined;
    const ended = new Promise<void>((resolve, reject) => {
      this.#begin = () => {
        closing ??= close();
        closing.then(() => (this.#cause === undefined ? resolve() : reject(this.#cause)), reject);
      };
    });
    if (this.#cause !== undefined) this.#begin();
    return ended;
  }
}
