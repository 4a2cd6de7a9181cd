/**
 * Where persistent layers are stored: what the layer book needs from a store. The SQLite database is one such store;
 * another database, local or remote, can replace it.
 *
 * A store promises:
 *   1. It receives every change before the change takes effect, and accepts it without waiting. If the call throws,
 *      the change does not happen.
 *   2. Changes become safe in the order they were made. What one call changes becomes safe completely or
 *      not at all. `durable` resolves when it is safe. Callers that must not answer before that await it.
 *   3. `attach` restores what was safe: each layer, with its entries in the order they were made.
 */
import type { Layer } from '../layers/layer.ts';
import type { LayerBook, LayerJournal } from '../layers/layer-book.ts';

/** How far a layer was imported: not at all, perhaps partially because of a crash, or completely. */
export type ImportState = 'none' | 'begun' | 'whole';

/** Stores persistent layers: receives each mutation, and restores all of them at the start. */
export interface LayerRepository extends LayerJournal {
  /**
   * Rebuilds the persistent layers in an empty book, and journals the book from then on. Nothing else may change the
   * book until this resolves.
   * @throws StoreError corrupt when the stored data is inconsistent.
   */
  attach(book: LayerBook): Promise<void>;

  /**
   * Whether a layer with this name was imported from our node, now or in an earlier run. Call this once the layers are
   * attached.
   */
  imported(name: string): ImportState;

  /** Records that the layer is being imported, or was imported completely. Recorded in the order of changes. */
  noteImport(name: string, state: 'begun' | 'whole'): void;

  /** Resolves once everything known about the layer is safe. @throws FulguriteError storeFailed */
  durable(layer: Layer): Promise<void>;
}
