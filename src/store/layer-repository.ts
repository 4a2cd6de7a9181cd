/**
 * Where persistent layers are stored: what the layer book needs from a store. The SQLite database is one such store;
 * another database, local or remote, can replace it.
 *
 * A store promises:
 *   1. It receives every change before the change takes effect, and accepts it without waiting. If the call throws,
 *      the change does not happen.
 *   2. Changes become durable in the order in which they were made. The changes of one call become durable together or
 *      not at all. `durable` resolves once they are. A caller that must not answer earlier awaits it.
 *   3. `attach` restores what was durable: each layer, with its entries in the order in which they were made.
 */
import type { Layer } from '../layers/layer.ts';
import type { LayerBook, LayerJournal } from '../layers/layer-book.ts';

/** How far a layer was imported: not at all, perhaps partially because of a crash, or completely. */
export type ImportState = 'none' | 'begun' | 'whole';

/** Stores persistent layers: receives each mutation, and restores all layers at startup. */
export interface LayerRepository extends LayerJournal {
  /**
   * Rebuilds the persistent layers in an empty book, and journals the book from then on. Nothing else may change the
   * book until this resolves.
   * @throws StoreError corrupt when the stored data is inconsistent.
   */
  attach(book: LayerBook): Promise<void>;

  /**
   * How far the layer with this name was imported from our node, in this run or an earlier one. Call this only after
   * `attach`.
   */
  imported(name: string): ImportState;

  /**
   * Records that the layer is being imported, or was imported completely. These records and the changes of layers
   * become durable in the order in which they were made.
   */
  noteImport(name: string, state: 'begun' | 'whole'): void;

  /** Resolves once all changes of the layer so far are durable. @throws FulguriteError storeFailed */
  durable(layer: Layer): Promise<void>;
}
