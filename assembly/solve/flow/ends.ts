/** What the channels of the source, or of the destination, can take: alone and together. */
import { isEnabled } from '../../graph/direction';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';

/** What `overArcs` computes: the largest amount of one direction, the amount of all of them, or the largest fee. */
const WIDEST: u32 = 0;
const TOTAL: u32 = 1;
const FEES: u32 = 2;

/** The largest amount one direction out of the source (or into the destination) can take. */
export function widestArc(question: Question, work: Workspace, leaving: bool): i64 {
  return overArcs(question, work, leaving, WIDEST);
}

/** What all directions out of the source (or into the destination) can take together. */
export function totalRoom(question: Question, work: Workspace, leaving: bool): i64 {
  return overArcs(question, work, leaving, TOTAL);
}

/** Whether the source charges a fee for any of its own channels. Such a fee does not cross them. */
export function chargesItself(question: Question, work: Workspace): bool {
  return overArcs(question, work, true, FEES) > 0;
}

function overArcs(question: Question, work: Workspace, leaving: bool, what: u32): i64 {
  const graph = work.graph;
  const node = leaving ? question.source : question.destination;
  let result: i64 = 0;
  if (node < graph.nodeCount) {
    const starts = leaving ? graph.outStart : graph.inStart;
    const end = starts.after(node);
    for (let k = starts[node]; k < end; k++) {
      result = accumulate(work, result, leaving ? graph.outArcs[k] : k, what);
    }
  }
  const state = stateOf(work.scratch, node);
  let link = leaving ? state.extraOut : state.extraIn;
  while (link !== null) {
    // The first loop already counted graph arcs that layers enable.
    if (link.arc >= graph.arcCount) result = accumulate(work, result, link.arc, what);
    link = link.next;
  }
  return result;
}

function accumulate(work: Workspace, result: i64, arc: u32, what: u32): i64 {
  const record = recordOf(work, arc);
  if (!isEnabled(record)) return result;
  if (what === FEES)
    return max<i64>(result, max<i64>(record.feeBaseMsat, record.feeProportionalMillionths as i64));
  const highest = record.maxMsat;
  if (record.htlcMaximumMsat === 0) return result;
  if (what === WIDEST) return max<i64>(result, min<i64>(highest, record.htlcMaximumMsat));
  return min<i64>(result + highest, i64.MAX_VALUE >> 1);
}
