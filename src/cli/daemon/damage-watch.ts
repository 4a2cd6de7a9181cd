/**
 * Searches the database for damage after the start and once a day, beside other work. A fault of the disk or of memory
 * can strike while the node runs, and an index that lacks a payment's key would let that payment be made again.
 */
import { DataDirectoryError } from '../files/data-directory.ts';

/** Milliseconds between the end of a search and the next one. */
export const SEARCH_EVERY_MS = 86_400_000;

/** What the watch works with. */
export interface DamageWatchOptions {
  /** Searches once. The first search may end at once, when the start has done it. */
  readonly search: () => Promise<void>;
  /** Called with the damage that was found. There is no further search then. */
  readonly onDamage: (error: DataDirectoryError) => void;
  /** Called when a search failed. The next one follows on schedule. */
  readonly onUnsearched: (error: Error) => void;
  /** Default: a day. */
  readonly everyMs?: number;
}

/** Begins to search. @returns a function that ends the watch; a search in progress ends with the database */
export function watchForDamage(options: DamageWatchOptions): () => void {
  const { search, onDamage, onUnsearched, everyMs = SEARCH_EVERY_MS } = options;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const run = async (): Promise<void> => {
    try {
      await search();
    } catch (error) {
      if (isOver) return;
      if (error instanceof DataDirectoryError) {
        isOver = true;
        onDamage(error);
      } else {
        onUnsearched(error as Error);
      }
    }
    if (!isOver) timer = setTimeout(run, everyMs).unref();
  };
  void run();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
