/**
 * Writes a layer's data about a channel to the kernel's memory: the created channel, changed terms, knowledge, and
 * reservations. The fields of these records are those of assembly/overlay/cells.ts.
 */
import { type BoundsStep, capped } from '../../layers/bounds-fold.ts';
import type { ChannelCell } from '../../layers/cell.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Direction } from '../../model/short-channel-id.ts';
import type { KernelExports } from './kernel-exports.ts';
import { BASE_BEYOND, type KernelLayout } from './kernel-layout.ts';

/** The parts of the kernel's memory that a cell needs. */
export interface CellMemory {
  /** A view of all memory, renewed when the memory has grown. */
  view(): DataView;
  /** Address of the entry of a node's id, created if missing. */
  entryOf(id: NodeId): number;
}

/** Writes the channel cells of one kernel. */
export class CellWriter {
  readonly #kernel: KernelExports;
  readonly #layout: KernelLayout;
  readonly #memory: CellMemory;

  constructor(kernel: KernelExports, layout: KernelLayout, memory: CellMemory) {
    this.#kernel = kernel;
    this.#layout = layout;
    this.#memory = memory;
  }

  /** Writes a layer's data about a channel to its new, empty cell. */
  write(at: number, cell: ChannelCell): void {
    const k = this.#kernel;
    if (cell.created !== undefined) {
      const { node1, node2, capacityMsat } = cell.created;
      k.cellCreate(at, this.#memory.entryOf(node1), this.#memory.entryOf(node2), capped(capacityMsat));
    }
    for (const d of [0, 1] as const) {
      this.#writeUpdate(at, cell, d);
      this.#writeBounds(at, cell, d);
      this.#memory
        .view()
        .setInt32((k.cellSide(at, d) >>> 0) + this.#layout.directionCell.bias, cell.bias[d], true);
    }
  }

  #writeUpdate(at: number, cell: ChannelCell, d: Direction): void {
    const update = cell.updates[d];
    if (update === undefined) return;
    const block = this.#kernel.cellUpdate(at, d) >>> 0;
    const view = this.#memory.view();
    const layout = this.#layout.update;
    const { enabled, htlcMinimumMsat, htlcMaximumMsat, feeBaseMsat } = update;
    const { feeProportionalMillionths, cltvExpiryDelta } = update;
    let mask = 0;
    if (enabled !== undefined) {
      mask |= layout.hasEnabled;
      view.setUint32(block + layout.enabled, enabled ? 1 : 0, true);
    }
    if (htlcMinimumMsat !== undefined) {
      mask |= layout.hasHtlcMinimum;
      view.setBigInt64(block + layout.htlcMinimumMsat, capped(htlcMinimumMsat), true);
    }
    if (htlcMaximumMsat !== undefined) {
      mask |= layout.hasHtlcMaximum;
      view.setBigInt64(block + layout.htlcMaximumMsat, capped(htlcMaximumMsat), true);
    }
    if (feeBaseMsat !== undefined) {
      mask |= layout.hasFeeBase;
      view.setUint32(
        block + layout.feeBaseMsat,
        feeBaseMsat < BASE_BEYOND ? Number(feeBaseMsat) : BASE_BEYOND,
        true,
      );
    }
    if (feeProportionalMillionths !== undefined) {
      mask |= layout.hasFeeProportional;
      view.setUint32(block + layout.feeProportionalMillionths, feeProportionalMillionths, true);
    }
    if (cltvExpiryDelta !== undefined) {
      mask |= layout.hasCltvExpiryDelta;
      view.setUint32(block + layout.cltvExpiryDelta, cltvExpiryDelta, true);
    }
    view.setUint32(block + layout.mask, mask, true);
  }

  #writeBounds(at: number, cell: ChannelCell, d: Direction): void {
    for (const step of cell.bounds[d].toReversed()) this.#writeStep(at, step, d);
    const reservedMsat = capped(cell.reservedMsat[d]);
    const extraHtlcCostMsat = capped(cell.extraHtlcCostMsat?.[d] ?? 0n);
    if (reservedMsat === 0n && extraHtlcCostMsat === 0n) return;
    const held = this.#kernel.cellHeld(at, d) >>> 0;
    this.#memory.view().setBigInt64(held + this.#layout.held.reservedMsat, reservedMsat, true);
    this.#memory.view().setBigInt64(held + this.#layout.held.extraHtlcMsat, extraHtlcCostMsat, true);
  }

  /** Inserts a step before the steps already written. */
  #writeStep(at: number, step: BoundsStep, d: Direction): void {
    const block = this.#kernel.cellBounds(at, d) >>> 0;
    const view = this.#memory.view();
    const layout = this.#layout.boundsStep;
    view.setBigInt64(block + layout.minShift, step.minShift, true);
    view.setBigInt64(block + layout.minLow, step.minLow, true);
    view.setBigInt64(block + layout.minHigh, step.minHigh, true);
    view.setBigInt64(block + layout.maxShift, step.maxShift, true);
    view.setBigInt64(block + layout.maxLow, step.maxLow, true);
    view.setBigInt64(block + layout.maxHigh, step.maxHigh, true);
  }
}
