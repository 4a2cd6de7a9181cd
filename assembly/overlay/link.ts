/** A link of a doubly linked list of arcs (links.ts). */

/** One arc in a list. */
@unmanaged
export class Link {
  arc: u32;
  next: Link | null;
  previous: Link | null;
}
