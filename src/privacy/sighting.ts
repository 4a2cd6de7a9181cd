/**
 * What one forwarding node sees of an HTLC: its incoming and outgoing channels, its amounts, and the remaining blocks
 * until it expires. The onion hides everything else.
 */

/** An HTLC as one forwarding node sees it. Directions are given by their indexes in the public graph. */
export interface Sighting {
  /** The direction that leads to the node, and the direction that leaves it. */
  readonly incoming: number;
  readonly outgoing: number;
  readonly incomingMsat: bigint;
  readonly outgoingMsat: bigint;
  /** Blocks left until the incoming and the outgoing HTLC expire. */
  readonly incomingBlocks: number;
  readonly outgoingBlocks: number;
}

/** A route: its directions, and the amount and expiry of the HTLC on each. */
export interface SeenRoute {
  readonly directions: readonly number[];
  readonly amountsMsat: readonly bigint[];
  /** Expiry of each HTLC, in blocks above the height at which the payment was sent. */
  readonly expiries: readonly number[];
}

/** What the forwarding node at `index` of a route sees. The sender has index 0. */
export function sightingAt({ directions, amountsMsat, expiries }: SeenRoute, index: number): Sighting {
  return {
    incoming: directions[index - 1]!,
    outgoing: directions[index]!,
    incomingMsat: amountsMsat[index - 1]!,
    outgoingMsat: amountsMsat[index]!,
    incomingBlocks: expiries[index - 1]!,
    outgoingBlocks: expiries[index]!,
  };
}
