/**
 * Lower bounds of the cost of arcs that a search has not read yet.
 *
 * The arcs of large nodes are listed in order of cost, in blocks of eight (graph/order.ts). For an amount x between two
 * points of the order's bounds, and for all later arcs of the node that no override makes cheaper (`isReadFirst`),
 *
 *   c(x) ≥ m · ((1 − t) · bound at the lower point + t · bound at the upper point)
 *
 * | odds | bounds | m |
 * |---|---|---|
 * | of uniform balances | of costs | (1 − s) · min(w, R / R₀) |
 * | learned | of fees | (1 − s) · w |
 *
 * w, R and s are the search's prices (prices.ts); R₀ is the price of risk that the bounds of costs assume. The other
 * terms of a cost are not negative. A learned risk may be lower than that of uniform balances, so it counts as 0.
 * Overrides that may cost less than gossip's record are read first; overlay/overridden.ts knows at which nodes there are
 * any. There are no bounds if only fees are priced: searches then read nodes as a whole.
 */

import {
  amountAt,
  BLOCK_SHIFT,
  boundPlace,
  FIRST_POINT,
  isOrdered,
  POINTS,
  riskPriceUpTo,
} from '../../graph/block';
import { Column } from '../../graph/column';
import { DirectionRecord, FLAG_CHEAPER, FLAG_LIKELIER } from '../../graph/direction';
import { Workspace } from '../../workspace';
import { Crossing } from '../question/prices';

/** For amounts above this (200,000 sat, in msat), costs differ too much from those by which the arcs are ordered. */
const MOST: i64 = 200_000_000;
/** The same for learned odds (20,000 sat): a larger part of the cost is then risk, which the bounds of fees ignore. */
const MOST_LEARNED: i64 = 20_000_000;
/** Number of arcs of a block. */
export const BLOCK: u32 = 1 << BLOCK_SHIFT;

/** The weights of a block's bounds at the amount and prices of a search. */
@unmanaged
export class Blocks {
  /** The place, among the bounds of a block, of the bound at the point below the amount, or at the first point. */
  point: u32;
  /** Weights of this bound and of the next one. */
  lower: f64;
  upper: f64;
  /** Whether there are bounds. */
  areKnown: bool;
  /** An override with any of these flags may cost less than the bounds of its block. */
  reductions: u32;
}

/** Sets the weights for `amount` msat at the present prices. */
export function beginBlocks(work: Workspace, amount: i64): void {
  const blocks = work.blocks;
  const prices = work.prices;
  const x = amount as f64;
  blocks.areKnown = false;
  if (prices.exactFees || amount <= 0 || amount > (prices.areOddsLearned ? MOST_LEARNED : MOST)) return;
  let point: u32 = 0;
  while (point + 2 < POINTS && x >= amountAt(point + 1)) point++;
  const from = amountAt(point);
  const share = max<f64>(0.0, min<f64>((x - from) / (amountAt(point + 1) - from), 1.0));
  const weight = prices.areOddsLearned
    ? prices.feeWeight
    : min<f64>(prices.feeWeight, prices.riskPrice / riskPriceUpTo(point + 1));
  const scale = (1.0 - prices.noiseSpread) * weight * min<f64>(x / FIRST_POINT, 1.0);
  blocks.point = prices.areOddsLearned ? POINTS + point : point;
  blocks.lower = scale * (1.0 - share);
  blocks.upper = scale * share;
  blocks.areKnown = scale > 0.0;
  const areSomeLikelier = !prices.areOddsLearned && work.overridden.likelier > 0;
  blocks.reductions = areSomeLikelier ? FLAG_CHEAPER | FLAG_LIKELIER : FLAG_CHEAPER;
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

/** Whether the override of an arc is read before the blocks of its nodes. */
export function isReadFirst(blocks: Blocks, changed: DirectionRecord): bool {
  return ((changed.flags as u32) & blocks.reductions) !== 0;
}

/** Whether any arc into a node may have to be read before its blocks. */
export function areFirstInto(work: Workspace, node: u32): bool {
  return (work.blocks.reductions & FLAG_LIKELIER) !== 0 || work.overridden.cheaperInto[node] > 0;
}

/** The same for the arcs out of a node. */
export function areFirstOutOf(work: Workspace, node: u32): bool {
  return (work.blocks.reductions & FLAG_LIKELIER) !== 0 || work.overridden.cheaperFrom[node] > 0;
}

/** Minimum cost of all arcs into a node from a block on, without those that are read first, msat. */
export function leastInto(work: Workspace, node: u32, block: u32): f64 {
  const graph = work.graph;
  return leastFrom(work.blocks, graph.inBounds, boundPlace(graph.inStart[node], node, block));
}

/** As `leastInto`, for the arcs out of the node. */
export function leastOutOf(work: Workspace, node: u32, block: u32): f64 {
  const graph = work.graph;
  return leastFrom(work.blocks, graph.outBounds, boundPlace(graph.outStart[node], node, block));
}

/** The lower bound at a place of bounds, msat. */
function leastFrom(blocks: Blocks, bounds: Column<f32>, place: u32): f64 {
  const at = place + blocks.point;
  return blocks.lower * (bounds[at] as f64) + blocks.upper * (bounds.after(at) as f64);
}

/** For assertions: whether a direction of a block with this bound costs at least that, if it can carry the amount. */
export function isBounded(work: Workspace, record: DirectionRecord, amount: i64, least: f64): bool {
  const isUsable = amount <= record.htlcMaximumMsat && amount <= record.maxMsat;
  return !isUsable || Crossing.cost(work, record, amount, work.search.share) >= least;
}
