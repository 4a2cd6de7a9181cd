/**
 * Gives errors of a room the messages that a client would get. Commands do that themselves; this is for tests that
 * call the room directly.
 */
import { inWords } from '../src/commands/in-words.ts';

/** The same promise, but its errors have messages. */
export function told<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw inWords(error);
  });
}

/** The same function, but its errors have messages. */
export const toldBy =
  <T>(run: () => T) =>
  (): T => {
    try {
      return run();
    } catch (error) {
      throw inWords(error);
    }
  };
