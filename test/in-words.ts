/**
 * Gives errors of a room the messages that a client would receive. Commands do this themselves; these
 * functions are for tests that call a room directly.
 */
import { inWords } from '../src/commands/in-words.ts';

/** Returns the promise with messages added to its errors. */
export function told<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw inWords(error);
  });
}

/** Returns the function with messages added to its errors. */
export const toldBy =
  <T>(run: () => T) =>
  (): T => {
    try {
      return run();
    } catch (error) {
      throw inWords(error);
    }
  };
