/**
 * Where persistent layers are kept: what the layer book asks of a store. The SQLite database is one; another database,
 * on this machine or not, can stand here.
 *
 * What a store promises:
 *   1. It is told of every change before it takes effect, and takes it at once, without waiting; a call that throws keeps
 *      the change from happening.
 *   2. Changes become safe in the order in which they were made, and what one call changes becomes safe whole or not at
 *      all. `durable` tells when; whoever must not answer before that awaits it.
 *   3. `attach` gives back what was safe: each layer with its entries in the order in which they were made.
 */
import type { Layer } from '../layers/layer.ts';
import type { LayerBook, LayerJournal } from '../layers/layer-book.ts';

/** Keeps persistent layers: it takes each mutation and gives all of them back at start. */
export interface LayerRepository extends LayerJournal {
  /**
   * Rebuilds the persistent layers in a book that has none yet, and journals the book from then on. Nothing else may
   * change the book before this resolves.
   * @throws StoreError corrupt when what is kept makes no sense.
   */
  attach(book: LayerBook): Promise<void>;

  /** Resolves when all that is known of the layer is safe. Rejects with FulguriteError storeFailed. */
  durable(layer: Layer): Promise<void>;
}
