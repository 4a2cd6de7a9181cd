/**
 * A kernel's copy of the layers: the slot of each layer id, and how chunks of changes are applied. The layer book never
 * reuses an id. Slots are reused.
 */

import { GLOBAL_LAYER_ID } from '../../layers/layer-book.ts';
import type { OddsTable } from '../../layers/learned-odds.ts';
import { SOURCEFREE } from '../../layers/resolved-layers.ts';
import { decodeChanges, type LayerChange, unpackCell, unpackOdds } from '../question/messages.ts';
import type { LayerDelta } from '../question/route-request.ts';
import type { Kernel } from './kernel.ts';
import { SOURCEFREE_SLOT } from './kernel-layout.ts';

/** The slot of global reservations, fixed by the kernel. */
const GLOBAL_SLOT = 0;

/** Keeps the layers of one kernel up to date from the deltas of `LayerFeed`. */
export class LayerSlots {
  readonly #kernel: Kernel;
  readonly #slots = new Map<number, number>([[GLOBAL_LAYER_ID, GLOBAL_SLOT]]);
  readonly #free: number[] = [];
  /** Learned odds, by layer id. */
  readonly #odds = new Map<number, OddsTable>();
  #next = GLOBAL_SLOT + 1;
  #at = -1;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Applies a delta. Returns false if the delta does not start at this copy's state; the copy then stays unchanged. */
  apply(delta: LayerDelta): boolean {
    if (delta.from === -1 && this.#at !== -1) this.#reset();
    if (delta.from !== this.#at) return false;
    for (const chunk of delta.chunks) for (const change of decodeChanges(chunk)) this.#change(change);
    this.#at = delta.to;
    return true;
  }

  /**
   * Applies these packed changes, runs `work`, and reverts the changes. They may concern only layers that are empty in
   * this copy: the layer of global reservations, and layers with ids below that of `auto.sourcefree`.
   * @throws RangeError for other layers
   */
  during<T>(own: Uint8Array, work: () => T): T {
    const kernel = this.#kernel;
    const changes = decodeChanges(own);
    const other = changes.find(([, id]) => !(id === GLOBAL_LAYER_ID || id < SOURCEFREE));
    if (other !== undefined) throw new RangeError(`layer ${other[1]} does not belong to a request`);
    try {
      kernel.reading(() => {
        for (const change of changes) this.#change(change);
      });
      return work();
    } finally {
      kernel.reading(() => {
        for (const layerId of new Set(changes.map(([, id]) => id))) this.#remove(layerId);
      });
    }
  }

  /**
   * The slots for a list of layer ids, in the form of a question's `layerIds` in a solver, with the layers' names.
   * Empty layers have no slot and are left out. If several layers have odds, those of the last layer are used.
   */
  resolve(
    ids: readonly number[],
    names: readonly string[],
  ): { layerIds: number[]; layerNames: string[]; odds?: OddsTable } {
    const layerIds: number[] = [];
    const layerNames: string[] = [];
    ids.forEach((id, index) => {
      const slot = id === SOURCEFREE ? SOURCEFREE_SLOT : this.#slots.get(id);
      if (slot === undefined) return;
      layerIds.push(slot);
      layerNames.push(names[index] ?? '');
    });
    const odds = ids.map((id) => this.#odds.get(id)).findLast((table) => table !== undefined);
    return odds === undefined ? { layerIds, layerNames } : { layerIds, layerNames, odds };
  }

  #reset(): void {
    for (const slot of this.#slots.values()) this.#kernel.clearLayer(slot);
    this.#free.push(...[...this.#slots.values()].filter((slot) => slot !== GLOBAL_SLOT));
    this.#slots.clear();
    this.#odds.clear();
    this.#slots.set(GLOBAL_LAYER_ID, GLOBAL_SLOT);
    this.#at = -1;
  }

  #change(change: LayerChange): void {
    switch (change[0]) {
      case 'channel':
        this.#kernel.setChannelCell(
          this.#slot(change[1]),
          change[2],
          change[3] === null ? undefined : unpackCell(change[3]),
        );
        break;
      case 'node':
        this.#kernel.setNodeCell(this.#slot(change[1]), change[2], change[3] ?? undefined);
        break;
      case 'odds':
        if (change[2] === null) this.#odds.delete(change[1]);
        else this.#changeOdds(change[1], change[2]);
        break;
      case 'removed':
        this.#remove(change[1]);
    }
  }

  /**
   * Overwrites the layer's table. Learned odds change every second while payments are made, and a solver collects
   * garbage so rarely that old tables would pile up for minutes.
   */
  #changeOdds(layerId: number, bytes: Uint8Array): void {
    const known = this.#odds.get(layerId);
    this.#odds.set(layerId, unpackOdds(bytes, known));
    if (known !== undefined) this.#kernel.rereadOdds(known);
  }

  #remove(layerId: number): void {
    this.#odds.delete(layerId);
    const slot = this.#slots.get(layerId);
    if (slot === undefined) return;
    this.#kernel.clearLayer(slot);
    // Global reservations keep their slot, which the kernel has fixed.
    if (slot === GLOBAL_SLOT) return;
    this.#slots.delete(layerId);
    this.#free.push(slot);
  }

  #slot(layerId: number): number {
    const known = this.#slots.get(layerId);
    if (known !== undefined) return known;
    const slot = this.#free.pop() ?? this.#next++;
    this.#kernel.ensureLayerSlots(slot + 1);
    this.#slots.set(layerId, slot);
    return slot;
  }
}
