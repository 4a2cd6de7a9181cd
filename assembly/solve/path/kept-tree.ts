/**
 * Keeps the tree of lower bounds from a source (ahead.ts) beyond one search.
 *
 * The questions of a batch can need paths for the same amount from the same source. Their trees are equal, regardless
 * of the destination. So from the second such search on, the tree is kept, and each search continues where the previous
 * one stopped. Questions outside a batch neither use nor leave a tree (`setTreesKept`): their answers do not depend on
 * earlier questions. The tree has its own labels and queue, since searches for shares or at other prices come in
 * between.
 *
 * A kept tree may grow further than its search needs, since later searches gain from it, until it has taken as many
 * steps as searches from destinations have taken meanwhile (`credit`). So it costs at most as much as it could have
 * saved. Its steps do not count towards the effort of the current question: no question gets less effort because
 * another came before it.
 *
 * Invariant: a kept tree is the one that the search would make. It depends on the source, the share, the prices, and
 * the records of directions. Trees are kept only at the prices of a request, without fee cap weights, limit prices,
 * noise and loads.
 *
 * So the cost of a path does not depend on earlier questions. The choice among paths of equal cost may depend on them,
 * and a question that is cut short may get further in a batch, since the tree saves steps.
 *
 * Memory: 16 bytes per node and a queue place per direction, allocated with the first kept tree.
 */
import { takePages } from '../../graph/arena';
import { nodeRoom } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { isNoisy } from '../question/prices';

/** The search has its own tree. */
export const OWN_TREE: u32 = 0;
/** The kept tree begins with this search. */
export const NEW_TREE: u32 = 1;
/** The search continues with the kept tree. */
export const KEPT_TREE: u32 = 2;
const LABEL_BYTES: usize = 16;

/** The kept tree, its key, and its remaining steps. */
@unmanaged
export class KeptTree {
  /** Whether the current question is part of a batch. */
  areKept: bool;
  /** Labels by node (`AheadLabel` in ahead.ts). */
  keptLabels: usize;
  labelRoom: u32;
  // Key of the tree, or of the last search, whose tree is kept if the next search has the same key.
  source: u32;
  share: i64;
  risk: f64;
  delay: f64;
  records: u32;
  odds: u32;
  isBegun: bool;
  /** Steps that the tree may still take for later searches. */
  credit: f64;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.share = -1;
  }
}

/** Sets whether trees are kept, as they are during a batch. */
export function setTreesKept(theKept: KeptTree, kept: bool): void {
  theKept.areKept = kept;
}

/** The tree for a search from `from` for `amount` msat: OWN_TREE, NEW_TREE or KEPT_TREE. */
export function treeFor(work: Workspace, from: u32, amount: i64): u32 {
  const kept = work.kept;
  const prices = work.prices;
  const scratch = work.scratch;
  if (
    !kept.areKept ||
    work.lanes.areApplied ||
    prices.exactFees ||
    prices.feeWeight !== 1.0 ||
    isNoisy(prices)
  )
    return OWN_TREE;
  if (prices.blockPrice !== 0.0 || prices.hopPrice !== 0.0) return OWN_TREE;
  const isSame =
    from === kept.source &&
    kept.records === scratch.recordsVersion &&
    kept.odds === prices.oddsVersion &&
    kept.risk === prices.riskPrice &&
    kept.delay === prices.delayRate;
  if (isSame && amount === kept.share) {
    if (kept.isBegun) {
      assert(nodeRoom(scratch) <= kept.labelRoom, 'each node has a label');
      return KEPT_TREE;
    }
    makeRoom(work);
    kept.isBegun = true;
    return NEW_TREE;
  }
  kept.source = from;
  kept.share = amount;
  kept.risk = prices.riskPrice;
  kept.delay = prices.delayRate;
  kept.records = scratch.recordsVersion;
  kept.odds = prices.oddsVersion;
  kept.isBegun = false;
  kept.credit = 0.0;
  return OWN_TREE;
}

function makeRoom(work: Workspace): void {
  const kept = work.kept;
  const scratch = work.scratch;
  if (nodeRoom(scratch) <= kept.labelRoom) return;
  kept.labelRoom = nodeRoom(scratch);
  kept.keptLabels = takePages((kept.labelRoom as u64) * (LABEL_BYTES as u64));
}

/** Credits the steps of a search from a destination to the tree. */
export function earn(kept: KeptTree, steps: u32): void {
  if (kept.areKept) kept.credit += steps as f64;
}

/** Whether the tree may grow for later searches. */
export function mayGrow(kept: KeptTree): bool {
  return kept.credit > 0.0;
}

/** Debits the steps by which the tree grew. */
export function pay(kept: KeptTree, steps: u32): void {
  kept.credit -= steps as f64;
}
