/** A stack of layers kept with its override records, so that it can be restored by copying. */

/**
 * A kept stack. In memory, `layers` × KeptLayer follow, then, from the next cache line on, `records` direction records.
 */
@unmanaged
export class Shelf {
  /** Next older stack under the same key. */
  older: Shelf | null;
  /** Neighbours by address, under any key. */
  below: Shelf | null;
  above: Shelf | null;
  /** The layer used as key. */
  key: u32;
  /** Total bytes, including layers and records. */
  bytes: u32;
  /** Number of layers: those of the stack, plus the global reservations in front. */
  layers: u32;
  /** Number of direction records. */
  records: u32;
  /** The source whose own fees and delays are waived, or NONE. */
  sourceFree: u32;
  /** `recordsVersion` of these records. */
  version: u32;
  /** Value of `Shelves.fillings` when the stack was last filled. */
  filled: u32;

  @inline
  layer(place: u32): KeptLayer {
    return changetype<KeptLayer>(
      changetype<usize>(this) + offsetof<Shelf>() + (place as usize) * offsetof<KeptLayer>(),
    );
  }

  /** Address of the first record. */
  @inline
  get table(): usize {
    return changetype<usize>(this) + shelfHead(this.layers);
  }
}

/** A layer of a kept stack. */
@unmanaged
export class KeptLayer {
  /** Slot, or SOURCEFREE. */
  layer: u32;
  /** `LayerLog.version` at which the stack was kept. */
  version: u32;
  /** `LayerLog.burdens` at which the stack was kept. */
  burdens: u32;
}

/** Bytes before the records; whole cache lines. */
export function shelfHead(layers: u32): usize {
  return (offsetof<Shelf>() + (layers as usize) * offsetof<KeptLayer>() + 63) & ~63;
}
