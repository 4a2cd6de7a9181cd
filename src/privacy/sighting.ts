/**
 * What one forwarding node sees of an HTLC: its incoming and outgoing channels, its amounts, and the remaining blocks
 * until it expires. The onion hides everything else.
 */

/** An HTLC as one forwarding node sees it. Directions are indexes of the public graph. */
export interface Sighting {
  /** The direction to the node, and the one from it. */
  readonly incoming: number;
  readonly outgoing: number;
  readonly incomingMsat: bigint;
  readonly outgoingMsat: bigint;
  /** Blocks left until each expires. */
  readonly incomingBlocks: number;
  readonly outgoingBlocks: number;
}

/** A route: directions, amounts, and remaining blocks on each. */
export interface SeenRoute {
  readonly directions: readonly number[];
  readonly amountsMsat: readonly bigint[];
  /** Blocks above the height at which the HTLC was sent. */
  readonly expiries: readonly number[];
}

/** What forwarding node `index` of a route sees. The sender is 0. */
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
