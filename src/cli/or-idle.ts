/** A wait that fails when it can never end, so that a process says why it ends. */

/**
 * Waits as for the promise itself. When nothing is left that could end the wait (every thread, timer and socket is
 * gone), Node.js would end the process without a word, with exit code 13.
 * @throws Error then; also what the promise rejects with
 */
export function orIdle<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const idle = (): void =>
      reject(new Error('cannot shut down cleanly: a pending operation will never finish'));
    process.once('beforeExit', idle);
    promise.then(resolve, reject).finally(() => process.off('beforeExit', idle));
  });
}
