/**
 * Where persistent layers are kept: what the layer book asks of a store. The SQLite database is one such
 * store. Another database, on this machine or elsewhere, can stand here.
 *
 * A store promises:
 *   1. It receives every change before the change takes effect. It takes it at once, without waiting. When the
 *      call throws, the change does not happen.
 *   2. Changes become safe in the order they were made. What one call changes becomes safe completely or
 *      not at all. `durable` resolves when it is safe. Callers that must not answer before that await it.
 *   3. `attach` gives back what was safe: each layer, with its entries in the order they were made.
 */
import type { Layer } from '../layers/layer.ts';
import type { LayerBook, LayerJournal } from '../layers/layer-book.ts';

/** How far a layer was taken over: not at all, perhaps in part because of a crash, or whole. */
export type ImportState = 'none' | 'begun' | 'whole';

/** Keeps persistent layers: takes each mutation, and gives all of them back at the start. */
export interface LayerRepository extends LayerJournal {
  /**
   * Rebuilds the persistent layers in a book that has none yet, and journals the book from then on. Nothing
   * else may change the book before this resolves.
   * @throws StoreError corrupt when what is kept makes no sense.
   */
  attach(book: LayerBook): Promise<void>;

  /**
   * Whether a layer of this name was taken over from the node behind us, now or in an earlier run. Call it when the
   * layers are attached.
   */
  imported(name: string): ImportState;

  /** Notes that the layer is being taken over, or that all of it was. It is noted in the order of changes. */
  noteImport(name: string, state: 'begun' | 'whole'): void;

  /** Resolves when everything known of the layer is safe. @throws FulguriteError storeFailed */
  durable(layer: Layer): Promise<void>;
}
