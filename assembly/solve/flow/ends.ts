/** What the channels of the source, or of the destination, can take: alone and together. */
import { isEnabled } from '../../graph/direction';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';

/** The largest amount one direction out of the source (or into the destination) can take. */
export function widestArc(question: Question, work: Workspace, leaving: bool): i64 {
  return overArcs(question, work, leaving, true);
}

/** What all directions out of the source (or into the destination) can take together. */
export function totalRoom(question: Question, work: Workspace, leaving: bool): i64 {
  return overArcs(question, work, leaving, false);
}

function overArcs(question: Question, work: Workspace, leaving: bool, widest: bool): i64 {
  const graph = work.graph;
  const node = leaving ? question.source : question.destination;
  let result: i64 = 0;
  if (node < graph.nodeCount) {
    const starts = leaving ? graph.outStart : graph.inStart;
    const end = starts.after(node);
    for (let k = starts[node]; k < end; k++) {
      result = accumulate(work, result, leaving ? graph.outArcs[k] : k, widest);
    }
  }
  const state = stateOf(work.scratch, node);
  let link = leaving ? state.extraOut : state.extraIn;
  while (link !== null) {
    // The first loop already counted graph arcs that layers enable.
    if (link.arc >= graph.arcCount) result = accumulate(work, result, link.arc, widest);
    link = link.next;
  }
  return result;
}

function accumulate(work: Workspace, result: i64, arc: u32, widest: bool): i64 {
  const record = recordOf(work, arc);
  if (!isEnabled(record)) return result;
  const highest = record.maxMsat;
  if (record.htlcMaximumMsat === 0) return result;
  if (widest) return max<i64>(result, min<i64>(highest, record.htlcMaximumMsat));
  return min<i64>(result + highest, i64.MAX_VALUE >> 1);
}
