/**
 * The layers that all machines of a fleet share, as daemons and solvers see them: a copy that follows a numbered log.
 * Where there is no log, every layer belongs to its daemon alone and comes with the request.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { LiquidityLesson } from '../layers/layer-replica.ts';

/** A copy of the shared layers. */
export interface SharedLayers {
  readonly book: LayerBook;
  /** Position in the log that the copy has reached. 0 while it holds nothing. */
  readonly position: number;
  /**
   * What was learned here of a layer that every machine knows by its name, and is not in the log yet. Undefined for a
   * layer that is not in the log, or not as it is here.
   */
  pendingLessons(name: string): readonly LiquidityLesson[] | undefined;
  /** Waits at most `waitMs` until the copy has reached the position. @returns whether it has */
  reach(position: number, waitMs: number): Promise<boolean>;
}

/** No layer is shared. */
export function noSharedLayers(book: LayerBook): SharedLayers {
  return {
    book,
    position: 0,
    pendingLessons: () => undefined,
    reach: async (position) => position <= 0,
  };
}
