/** What a client would be told of what a room throws: the door of the commands, for tests that ask the room itself. */
import { inWords } from '../src/commands/in-words.ts';

/** The same promise; what it rejects with has words. */
export function told<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw inWords(error);
  });
}

/** The same function; what it throws has words. */
export const toldBy =
  <T>(run: () => T) =>
  (): T => {
    try {
      return run();
    } catch (error) {
      throw inWords(error);
    }
  };
