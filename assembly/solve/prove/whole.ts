/**
 * Proves that no single path can carry the whole amount, regardless of fees, delay and number of hops.
 *
 * It runs Dijkstra's algorithm from the destination back, ordered by amount. The minimum that must reach a node is
 *
 *   X(tail) = u + fee(u),  u = max(X(head), HTLC minimum)   over the directions that can carry u
 *
 * Fees grow with the amount, so every path brings at least X to each of its nodes, and each of its directions can carry
 * u. So if the source has no X, there is no path. The converse is false: a path may need more than X to reach an HTLC
 * minimum, and then exceed a maximum.
 *
 * Work: at most one search over the whole graph. This search avoids the one with several labels (labels.ts), which
 * takes many times as long to find nothing. The last proof is kept, since a question needs it at several prices.
 *
 * Invariant: the kept proof is valid while the terms of all directions are unchanged.
 */
import { FLAG_ENABLED } from '../../graph/direction';
import { AMOUNT_LIMIT, feeMsat } from '../../graph/numbers';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { heapClear, heapPop, heapPush } from '../path/heap';
import { nextStamp } from '../path/search';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';

/** The last proof that there is no path. */
@unmanaged
export class WholeProof {
  source: u32;
  destination: u32;
  amountMsat: i64;
  /** Version of the terms (overlay/scratch.ts) for which the proof is valid. */
  version: u32;
  isKept: bool;
}

/** Whether the last proof shows that no path can carry the amount. */
export function isKnownUnable(work: Workspace, source: u32, destination: u32, amount: i64): bool {
  const proof = work.wholeProof;
  return (
    proof.isKept &&
    proof.source === source &&
    proof.destination === destination &&
    proof.amountMsat === amount &&
    proof.version === work.scratch.termsVersion
  );
}

/** Whether it is proven that no path can carry the amount. */
export function isUnable(work: Workspace, source: u32, destination: u32, amount: i64): bool {
  if (isKnownUnable(work, source, destination, amount)) return true;
  if (reaches(work, source, destination, amount)) return false;
  const proof = work.wholeProof;
  proof.source = source;
  proof.destination = destination;
  proof.amountMsat = amount;
  proof.version = work.scratch.termsVersion;
  proof.isKept = true;
  return true;
}

/** Whether the source has an X (see the head of this file). */
function reaches(work: Workspace, source: u32, destination: u32, amount: i64): bool {
  const graph = work.graph;
  const scratch = work.scratch;
  const stamp = nextStamp(work.search);
  stateOf(scratch, destination).amountMsat = amount;
  stateOf(scratch, destination).stamp = stamp;
  heapPush(work, amount as f64, destination);
  while (work.heap.size > 0) {
    const node = heapPop(work);
    if (node === source) {
      heapClear(work);
      return true;
    }
    if (node < graph.nodeCount) {
      const first = graph.inStart[node];
      const last = graph.inEnabledEnd[node];
      spend(work.effort, DIRECTION_STEPS * (last - first) + NODE_STEPS);
      for (let arc = first; arc < last; arc++) bring(work, arc, node, stamp);
    }
    let link = stateOf(scratch, node).extraIn;
    while (link !== null) {
      bring(work, link.arc, node, stamp);
      link = link.next;
    }
  }
  return false;
}

/** Lowers the X of the arc's tail to the amount for the node `head` plus the fee, if that is less. */
function bring(work: Workspace, arc: u32, head: u32, stamp: u32): void {
  const record = recordOf(work, arc);
  if (((record.flags as u32) & FLAG_ENABLED) === 0) return;
  const crossing = max<i64>(stateOf(work.scratch, head).amountMsat, record.htlcMinimumMsat);
  if (crossing > record.htlcMaximumMsat || crossing > record.maxMsat) return;
  const brought = crossing + feeMsat(crossing, record.feeBaseMsat, record.feeProportionalMillionths);
  const state = stateOf(work.scratch, record.tail);
  if (brought >= AMOUNT_LIMIT || (state.stamp === stamp && state.amountMsat <= brought)) return;
  state.amountMsat = brought;
  state.stamp = stamp;
  heapPush(work, brought as f64, record.tail);
}
