/**
 * Checks the database for damage after the start and once a day, in the background. The disk or memory may fail while
 * the node runs, and if an index loses a payment's key, that payment could be made twice.
 */
import { DataDirectoryError } from '../files/data-directory.ts';

/** Milliseconds from the end of a check to the start of the next. */
export const SEARCH_EVERY_MS = 86_400_000;

/** What the watch needs. */
export interface DamageWatchOptions {
  /** Runs one check. The first call may return immediately, if the database was already checked at the start. */
  readonly search: () => Promise<void>;
  /** Called with the damage that a check found. After that, no more checks are made. */
  readonly onDamage: (error: DataDirectoryError) => void;
  /** Called when a check could not be completed. The next check follows on schedule. */
  readonly onUnsearched: (error: Error) => void;
  /** Pause between checks, in milliseconds. Default: one day. */
  readonly everyMs?: number;
}

/** Starts checking. @returns a function that ends the watch; it does not interrupt a check in progress */
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
