/**
 * The layers shared by all machines of a fleet, as daemons and solvers see them: a copy that follows a numbered log.
 * Without a log, every layer belongs to its daemon alone and is sent with the request.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { LiquidityLesson } from '../layers/layer-replica.ts';

/** A copy of the shared layers. */
export interface SharedLayers {
  readonly book: LayerBook;
  /** The copy's position in the log. 0 while it is empty. */
  readonly position: number;
  /**
   * Lessons for a shared layer, learned here and not yet in the log. Undefined if the log lacks the layer itself, or a
   * change to it that is not a lesson.
   */
  pendingLessons(name: string): readonly LiquidityLesson[] | undefined;
  /** Waits at most `waitMs` until the copy has reached the position. @returns whether it has */
  reach(position: number, waitMs: number): Promise<boolean>;
}

/** For a daemon without a log: no layers are shared. */
export function noSharedLayers(book: LayerBook): SharedLayers {
  return {
    book,
    position: 0,
    pendingLessons: () => undefined,
    reach: async (position) => position <= 0,
  };
}
