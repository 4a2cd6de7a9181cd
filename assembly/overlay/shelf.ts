/** A stack of layers kept with the override records that it makes, so that it can be put in place again by copying. */

/** A kept stack; `layers` × KeptLayer follow, then, at the next cache line, `records` records of directions. */
@unmanaged
export class Shelf {
  /** The next older stack that is found by the same layer. */
  older: Shelf | null;
  /** The stack that was kept after this one. */
  newer: Shelf | null;
  /** The layer that the stack is found by; NONE once the stack is given up. */
  key: u32;
  /** Bytes, with all that follows. */
  bytes: u32;
  /** Layers of the stack, and one more in front: that of global reservations. */
  layers: u32;
  /** Records of directions. */
  records: u32;
  /** The source whose own fees and delays are lifted; NONE where they are not. */
  sourceFree: u32;
  /** `recordsVersion` of these records. */
  version: u32;

  /** What is noted of a layer. */
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

/** Bytes in front of the records, whole cache lines. */
export function shelfHead(layers: u32): usize {
  return (offsetof<Shelf>() + (layers as usize) * offsetof<KeptLayer>() + 63) & ~63;
}
