/** Makes a wait fail if it can never end, so that a process can report why it exits. */

/**
 * Waits for the promise. If nothing is left that could settle it (no thread, timer or socket), rejects, because
 * Node.js would silently exit with code 13.
 * @throws Error when the promise can never settle; otherwise rejects like the promise
 */
export function orIdle<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const idle = (): void =>
      reject(new Error('cannot shut down cleanly: a pending operation will never finish'));
    process.once('beforeExit', idle);
    promise.then(resolve, reject).finally(() => process.off('beforeExit', idle));
  });
}
