/**
 * How the daemon ends: on request, or because an essential part failed. The first cause starts the closing of
 * everything.
 */
export class Shutdown {
  #cause: Error | undefined;
  #begin = (): void => undefined;

  /** Stops the daemon. Does nothing before `listen`. */
  requestStop(): void {
    this.#begin();
  }

  /** Stops the daemon because a part failed. If called several times, the last failure is reported. */
  fail(cause: Error): void {
    this.#cause = cause;
    this.#begin();
  }

  /** Like `fail`, but an earlier failure, if any, remains the one reported. Without a cause, only stops the daemon. */
  failUnlessFailed(cause: Error | undefined): void {
    this.#cause ??= cause;
    this.#begin();
  }

  /**
   * Calls `close` once: when the daemon stops, or immediately if a part has already failed.
   * @returns a promise that resolves when everything is closed. It rejects if closing failed, or with the failure of
   *   the part
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
