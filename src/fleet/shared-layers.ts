/**
 * The layers that all machines of a fleet share, as daemons and solvers see them: a copy that follows a numbered log.
 * Where there is no log, every layer belongs to its daemon alone and comes with the request.
 */
import type { LayerBook } from '../layers/layer-book.ts';

/** A copy of the shared layers. */
export interface SharedLayers {
  readonly book: LayerBook;
  /** Position in the log that the copy has reached. 0 while it holds nothing. */
  readonly position: number;
  /** Whether this layer is in the log. Then every machine knows it by its name. */
  isShared(name: string): boolean;
  /** Waits at most `waitMs` until the copy has reached the position. @returns whether it has */
  reach(position: number, waitMs: number): Promise<boolean>;
}

/** No layer is shared. */
export function noSharedLayers(book: LayerBook): SharedLayers {
  return {
    book,
    position: 0,
    isShared: () => false,
    reach: async (position) => position <= 0,
  };
}
