/**
 * The tree of lower bounds from a source (ahead.ts), where it outlives its search.
 *
 * The questions of a batch can ask for paths of one amount from one source. Their trees are the same, regardless of the
 * destination. So from the second of such searches on, the tree is kept: each continues where the one before has stopped.
 * Other questions neither use it nor leave one (`setTreesKept`): their answers depend on no question before.
 * It has labels and a queue of its own, since other searches come between: for shares, or for other prices.
 *
 * A kept tree may also grow further than its search alone would let it, since those that follow gain from it. It may
 * take as many steps as searches from destinations have taken meanwhile (`credit`). So it costs at most as much as it
 * could have saved. Its steps are not taken off the effort of the question at hand: no question has less effort left
 * because another one came before it.
 *
 * Invariant: a kept tree is the one that the search would make. It depends on the source, the share, the prices, and
 * the records of directions. Trees are kept only at prices of requests, without weights of fee caps, prices of limits,
 * noise and loads: those change with every search.
 *
 * So what a path costs does not depend on the questions before. Which of several paths of the same cost is found may,
 * and a question of a batch that is cut short may get further, since the tree saves steps.
 *
 * Memory: 16 bytes for each node, and a place in the queue for each direction, from the first tree on that is kept.
 */
import { takePages } from '../../graph/arena';
import { nodeRoom } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { isNoisy } from '../question/prices';

/** The search has a tree of its own. */
export const OWN_TREE: u32 = 0;
/** The kept tree begins with this search. */
export const NEW_TREE: u32 = 1;
/** The search continues with the kept tree. */
export const KEPT_TREE: u32 = 2;
/** Bytes of a label of the kept tree. */
const LABEL_BYTES: usize = 16;

/** The kept tree: what it belongs to, and what it may still take. */
@unmanaged
export class KeptTree {
  /** Whether the present question is one of a batch. */
  areKept: bool;
  /** Labels by node (`AheadLabel` in ahead.ts). */
  keptLabels: usize;
  labelRoom: u32;
  // What the tree belongs to, or would, if the next search asked for the same.
  source: u32;
  share: i64;
  risk: f64;
  delay: f64;
  records: u32;
  odds: u32;
  isBegun: bool;
  /** Steps that the tree may still take for the searches that follow. */
  credit: f64;

  /** Sets what is not 0 in a new workspace. */
  begin(): void {
    this.share = -1;
  }
}

/** Sets whether trees are kept: whether the questions that follow are of a batch. */
export function setTreesKept(theKept: KeptTree, kept: bool): void {
  theKept.areKept = kept;
}

/** Which tree a search from `from` for `amount` msat has: OWN_TREE, NEW_TREE or KEPT_TREE. */
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

/** Notes the steps of a search from a destination: the tree may take as many. */
export function earn(kept: KeptTree, steps: u32): void {
  if (kept.areKept) kept.credit += steps as f64;
}

/** Whether the tree may grow for the searches that follow. */
export function mayGrow(kept: KeptTree): bool {
  return kept.credit > 0.0;
}

/** Takes the steps by which the tree grew off what it may take. */
export function pay(kept: KeptTree, steps: u32): void {
  kept.credit -= steps as f64;
}
