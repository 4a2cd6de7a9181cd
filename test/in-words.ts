/**
 * Turns errors of a room into the words that a client would get. The commands do that; this is for tests that ask the
 * room itself.
 */
import { inWords } from '../src/commands/in-words.ts';

/** The same promise, whose errors have words. */
export function told<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw inWords(error);
  });
}

/** The same function, whose errors have words. */
export const toldBy =
  <T>(run: () => T) =>
  (): T => {
    try {
      return run();
    } catch (error) {
      throw inWords(error);
    }
  };
