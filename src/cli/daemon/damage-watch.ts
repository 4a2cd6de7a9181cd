/**
 * Checks the database for damage after the start and once a day, in the background. The disk or memory may fail while
 * the node runs, and if an index loses a payment's key, that payment could be made twice.
 */
import { DataDirectoryError } from '../files/data-directory.ts';

/** Milliseconds between the end of a check and the next one. */
export const SEARCH_EVERY_MS = 86_400_000;

/** What the watch needs. */
export interface DamageWatchOptions {
  /** Checks once. The first check may finish immediately, if the start has already done it. */
  readonly search: () => Promise<void>;
  /** Called with the damage found. No further check follows. */
  readonly onDamage: (error: DataDirectoryError) => void;
  /** Called when a check failed. The next one follows on schedule. */
  readonly onUnsearched: (error: Error) => void;
  /** Default: a day. */
  readonly everyMs?: number;
}

/** Starts checking. @returns a function that ends the watch; a check in progress ends with the database */
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
