/**
 * Puts what a room throws into the words that a client would be told. The commands do that; this is for tests
 * that ask the room itself.
 */
import { inWords } from '../src/commands/in-words.ts';

/** The same promise. What it rejects with has words. */
export function told<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw inWords(error);
  });
}

/** The same function. What it throws has words. */
export const toldBy =
  <T>(run: () => T) =>
  (): T => {
    try {
      return run();
    } catch (error) {
      throw inWords(error);
    }
  };
