/**
 * What the channels of the source, or of the destination, can take: alone, together, and in a limited number of parts.
 *
 * A direction of capacity M takes parts of at most its HTLC maximum u: ⌊M / u⌋ of u, and one of the rest. The k largest
 * parts of all directions together are the maximum that k parts can carry, since further parts over a direction are
 * never larger. HTLC minimums and the cost of further HTLCs are ignored: they can only lower that maximum.
 *
 * To find out whether fees fit too, channels to dead ends are left out: to nodes without other neighbours, or whose other
 * neighbours have none. Their room would hide that the channels that lead on are full. Only the source needs this.
 */
import { isEnabled } from '../../graph/direction';
import { headOfArc } from '../../overlay/created-channels';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';

/**
 * What `overArcs` computes: the largest amount of one direction, the amount of all of them, the largest fee, or the
 * number and the sum of the parts of at least `share` msat.
 */
const WIDEST: u32 = 0;
const TOTAL: u32 = 1;
const FEES: u32 = 2;
const PARTS: u32 = 3;
const AMOUNT: u32 = 4;

/**
 * Dead ends are looked for at ends with at most FEW_CHANNELS channels. A neighbour with more than DEAD_END_CHANNELS is
 * none.
 */
const FEW_CHANNELS: u32 = 16;
const DEAD_END_CHANNELS: u32 = 4;

/**
 * The largest amount that one direction out of the source (or into the destination) can take. Ends with the first
 * direction that can take more than twice the amount of the question, because more makes no difference.
 */
export function widestArc(question: Question, work: Workspace, leaving: bool): i64 {
  return overArcs(question, work, leaving, WIDEST);
}

/** What all directions out of the source (or into the destination) can take together. */
export function totalRoom(question: Question, work: Workspace, leaving: bool): i64 {
  return overArcs(question, work, leaving, TOTAL);
}

/** As `totalRoom` of the source, without channels to dead ends. */
export function onwardRoom(question: Question, work: Workspace): i64 {
  return overArcs(question, work, true, TOTAL, 0, true);
}

/** As `widestArc` of the source, without channels to dead ends. */
export function widestOnward(question: Question, work: Workspace): i64 {
  return overArcs(question, work, true, WIDEST, 0, true);
}

/** Whether the source charges fees for its own channels. Such fees are not part of the amounts that they carry. */
export function chargesItself(question: Question, work: Workspace): bool {
  return overArcs(question, work, true, FEES) > 0;
}

/** The amount in equal shares, msat: the largest part of every answer delivers at least this. */
export function equalShare(question: Question): i64 {
  const parts = question.partLimit as i64;
  return (question.amountMsat + parts - 1) / parts;
}

/**
 * Whether the allowed number of parts can carry the amount over the directions out of the source (or into the
 * destination). Work: one pass over these directions if enough of them can carry an equal share, else about one for
 * each bit of that share in msat.
 */
export function canPartsCarry(question: Question, work: Workspace, leaving: bool): bool {
  const parts = question.partLimit as i64;
  const least = equalShare(question);
  if (overArcs(question, work, leaving, PARTS, least) >= parts) return true;
  // Binary search for the smallest share for which the number of parts of at least that size is within the limit.
  let share: i64 = 1;
  let beyond = least;
  while (share < beyond) {
    const middle = share + ((beyond - share) >> 1);
    if (overArcs(question, work, leaving, PARTS, middle) > parts) share = middle + 1;
    else beyond = middle;
  }
  const larger = overArcs(question, work, leaving, PARTS, share);
  const most = overArcs(question, work, leaving, AMOUNT, share) + (parts - larger) * (share - 1);
  return most >= question.amountMsat;
}

function overArcs(
  question: Question,
  work: Workspace,
  leaving: bool,
  what: u32,
  share: i64 = 0,
  isOnward: bool = false,
): i64 {
  const graph = work.graph;
  const node = leaving ? question.source : question.destination;
  const enough = what === WIDEST ? 2 * question.amountMsat : i64.MAX_VALUE;
  let result: i64 = 0;
  if (node < graph.nodeCount) {
    const starts = leaving ? graph.outStart : graph.inStart;
    const end = starts.after(node);
    const isSifted = isOnward && end - starts[node] <= FEW_CHANNELS;
    for (let k = starts[node]; k < end && result <= enough; k++) {
      const arc = leaving ? graph.outArcs[k] : k;
      if (!isSifted || !isDeadEnd(question, work, arc)) result = accumulate(work, result, arc, what, share);
    }
  }
  const state = stateOf(work.scratch, node);
  let link = leaving ? state.extraOut : state.extraIn;
  while (link !== null) {
    // The loop over the graph's arcs already counted those that layers enable.
    if (link.arc >= graph.arcCount) result = accumulate(work, result, link.arc, what, share);
    link = link.next;
  }
  return result;
}

function accumulate(work: Workspace, result: i64, arc: u32, what: u32, share: i64): i64 {
  const record = recordOf(work, arc);
  if (!isEnabled(record)) return result;
  if (what === FEES)
    return max<i64>(result, max<i64>(record.feeBaseMsat, record.feeProportionalMillionths as i64));
  const highest = record.maxMsat;
  if (record.htlcMaximumMsat === 0) return result;
  const largest = min<i64>(highest, record.htlcMaximumMsat);
  if (what === WIDEST) return max<i64>(result, largest);
  if (what === TOTAL) return min<i64>(result + highest, i64.MAX_VALUE >> 1);
  if (largest <= 0) return result;
  const rest = highest % largest;
  let parts: i64 = 0;
  let amount: i64 = 0;
  if (largest >= share) {
    parts = highest / largest;
    amount = highest - rest;
  }
  if (rest >= share) {
    parts++;
    amount += rest;
  }
  return min<i64>(result + (what === PARTS ? parts : amount), i64.MAX_VALUE >> 1);
}

/** Whether the arc leads from the source to a dead end: every path over the arc returns to the source, or stops. */
function isDeadEnd(question: Question, work: Workspace, arc: u32): bool {
  const node = headOfArc(work, arc);
  const from = question.source;
  const to = question.destination;
  const count = countOnward(work, node);
  if (node === to || count > DEAD_END_CHANNELS) return false;
  for (let i: u32 = 0; i < count; i++) {
    const next = onward(work, node, i);
    if (next === from || next === node) continue;
    const further = countOnward(work, next);
    if (next === to || further > DEAD_END_CHANNELS) return false;
    for (let j: u32 = 0; j < further; j++) {
      const last = onward(work, next, j);
      if (last !== node && last !== from) return false;
    }
  }
  return true;
}

/** Number of enabled arcs of the graph that leave a node. The largest u32 if layers add some. */
function countOnward(work: Workspace, node: u32): u32 {
  const graph = work.graph;
  if (node >= graph.nodeCount || stateOf(work.scratch, node).extraOut !== null) return u32.MAX_VALUE;
  return graph.outEnabledEnd[node] - graph.outStart[node];
}

/** The node to which one of these arcs leads. */
function onward(work: Workspace, node: u32, index: u32): u32 {
  const graph = work.graph;
  return graph.outHeads[graph.outStart[node] + index];
}
