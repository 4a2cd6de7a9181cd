/**
 * Sizes and places of blocks: which nodes have their arcs in order (order.ts), how many of these are a block, and for
 * which amounts a block has bounds.
 */

/** Nodes with at most this many usable arcs are read as a whole. */
export const FEW_ARCS: u32 = 12;
/** Nodes with more arcs than this are read as a whole too: places in the order have 16 bits. */
const MOST_ARCS: u32 = 0xffff;
/** Log2 of the number of arcs of a block. */
export const BLOCK_SHIFT: u32 = 3;
/** Number of amounts for which a block has lower bounds. */
export const POINTS: u32 = 3;
/** Numbers that a block has: a lower bound of costs for each of these amounts, then one of fees for each. */
const BOUNDS: u32 = 2 * POINTS;
/** The first of these amounts, msat; each of the others is ten times the one before. */
export const FIRST_POINT: f64 = 1e6;
/** Default price of risk: a base, msat per nat, and a share of the amount. */
const RISK_BASE: f64 = 2000.0;
const RISK_SHARE: f64 = 1e-3;

/** Price of risk that the bounds up to a point assume, msat per nat. */
export function riskPriceUpTo(point: u32): f64 {
  return RISK_BASE + RISK_SHARE * amountAt(point === 0 ? 0 : point - 1);
}

/** The amount of a point, msat. */
export function amountAt(point: u32): f64 {
  let amount = FIRST_POINT;
  for (let k: u32 = 0; k < point; k++) amount *= 10.0;
  return amount;
}

/** Whether the arcs of a node with this many usable arcs are in order. */
export function isOrdered(arcs: u32): bool {
  return arcs > FEW_ARCS && arcs <= MOST_ARCS;
}

/** Number of bounds of all blocks of all nodes, at most. */
export function boundRoom(nodes: u64, arcs: u64): u64 {
  return ((arcs >> BLOCK_SHIFT) + nodes + 1) * (BOUNDS as u64);
}

/** Place of a block's first bound. `first` is the node's first arc. Different blocks have different places. */
export function boundPlace(first: u32, node: u32, block: u32): u32 {
  return ((first >> BLOCK_SHIFT) + node + block) * BOUNDS;
}
