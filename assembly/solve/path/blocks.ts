/**
 * Lower bounds of the cost of arcs that a search has not read yet.
 *
 * The arcs of large nodes are listed in order of cost, in blocks of eight (graph/order.ts). For an amount x between two
 * points of the order's bounds, and for all later arcs of the node without an override,
 *
 *   c(x) ≥ m · ((1 − t) · bound at the lower point + t · bound at the upper point)
 *   m = (1 − s) · min(w, R / R₀)
 *
 * w, R and s are the search's prices (prices.ts); R₀ is the price of risk that the bounds assume. The other terms of a
 * cost are not negative. Bias and loads occur only in overrides, which searches read first. There are no bounds if only
 * fees are priced, or for learned odds: searches then read nodes as a whole.
 */

import { amountAt, BLOCK_SHIFT, FIRST_POINT, isOrdered, POINTS, riskPriceUpTo } from '../../graph/block';
import { Column } from '../../graph/column';
import { Workspace } from '../../workspace';

/** For amounts above this (200,000 sat, in msat), costs differ too much from those by which the arcs are ordered. */
const MOST: i64 = 200_000_000;
/** Number of arcs of a block. */
export const BLOCK: u32 = 1 << BLOCK_SHIFT;

/** The weights of a block's bounds at the amount and prices of a search. */
@unmanaged
export class Blocks {
  /** The point below the amount, or the first one. */
  point: u32;
  /** Weights of the bounds at this point and at the next one. */
  lower: f64;
  upper: f64;
  /** Whether there are bounds. */
  areKnown: bool;
}

/** Sets the weights for `amount` msat at the present prices. */
export function beginBlocks(work: Workspace, amount: i64): void {
  const blocks = work.blocks;
  const prices = work.prices;
  const x = amount as f64;
  blocks.areKnown = false;
  if (prices.exactFees || prices.areOddsLearned || amount <= 0 || amount > MOST) return;
  let point: u32 = 0;
  while (point + 2 < POINTS && x >= amountAt(point + 1)) point++;
  const from = amountAt(point);
  const share = max<f64>(0.0, min<f64>((x - from) / (amountAt(point + 1) - from), 1.0));
  const risk = prices.riskPrice / riskPriceUpTo(point + 1);
  const scale =
    (1.0 - prices.noiseSpread) * min<f64>(prices.feeWeight, risk) * min<f64>(x / FIRST_POINT, 1.0);
  blocks.point = point;
  blocks.lower = scale * (1.0 - share);
  blocks.upper = scale * share;
  blocks.areKnown = scale > 0.0;
}

/** Whether the arcs of a node with this many usable arcs are read block by block. */
export function areBlocksRead(blocks: Blocks, arcs: u32): bool {
  return blocks.areKnown && isOrdered(arcs);
}

/**
 * Number of blocks to read at once when `read` blocks of a node have been read. It grows, so that a node is visited a
 * few times at most.
 */
export function blocksAtOnce(read: u32): u32 {
  return max<u32>(1, read >> 1);
}

/** Minimum cost of all arcs from a block on that have no override, msat. `place` is that of the block's first bound. */
export function leastFrom(blocks: Blocks, bounds: Column<f32>, place: u32): f64 {
  const at = place + blocks.point;
  return blocks.lower * (bounds[at] as f64) + blocks.upper * (bounds.after(at) as f64);
}
