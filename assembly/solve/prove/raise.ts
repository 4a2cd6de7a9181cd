/**
 * Decides on amounts below HTLC minimums: finds a path whose fees raise the amount over every minimum, or proves that
 * no answer exists.
 *
 * A label (x, d) of a node stands for a walk from the node to the destination: an answer sends at most x msat through
 * the node on this walk, which takes d blocks. Labels are made from the destination back, by number of channels:
 *
 *   x' = u + fee(u),  u = min(x, maximum of the direction)   if u ≥ its HTLC minimum;   d' = d + its blocks
 *
 * A label is dropped if another of its node has no fewer msat, no more blocks and no more channels. Fees grow with the
 * amount, so every path of every answer has, at each node, a label with at least its msat and at most its blocks. So if
 * no label reaches the source, no answer keeps the limits on fees, delay and hops, in one part or in several. A label
 * that reaches the source describes a walk. It is the path of an answer if it visits no node twice and the exact
 * amounts keep all limits.
 *
 * If limits on delay or hops stood in the way, labels of nodes that the source cannot reach within them are not made.
 *
 * Work: at most STEP_LIMIT directions and LABEL_LIMIT labels. This work does not count as effort, so the search for
 * remedies keeps all effort. Failure modes: a node runs out of places, the work limits are reached, or only walks that
 * are not paths reach the source. Then nothing is decided.
 *
 * Literature: the same as for labels.ts. New here: a larger amount dominates, regardless of cost.
 */
import { takePages } from '../../graph/arena';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { clampedAdd, feeMsat } from '../../graph/numbers';
import { nodeRoom, recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { affordBounds, canKeep } from '../path/bounds';
import { nextStamp } from '../path/search';
import { forgetCut } from '../question/effort';
import { MET_DELAY, MET_HOPS } from '../question/question';
import { pollCancel } from '../question/task';

/** Decision: a path was found. */
export const RAISED: u32 = 0;
/** Decision: it is proven that no answer keeps the limits. */
export const NEVER_RAISED: u32 = 1;
/** Decision: neither a path nor a proof was found. */
export const PERHAPS_RAISED: u32 = 2;

const LABEL_LIMIT: u32 = 1 << 15;
const LABELS_PER_NODE: u32 = 8;
const STEP_LIMIT: u32 = 1 << 18;

/** A label: a walk from a node to the destination; 28 bytes. */
@unmanaged
class Raised {
  /** Maximum amount at the node, msat. */
  amountMsat: i64;
  node: u32;
  /** The arc that leaves the node. */
  arc: u32;
  /** The label at the arc's head; 0 at the destination. */
  parent: u32;
  /** Delay to the destination, blocks. */
  delay: u32;
  /** Next label of the same node; 0 after the last. */
  next: u32;
}

/** The labels of a node; 12 bytes. */
@unmanaged
class NodeLabels {
  stamp: u32;
  count: u32;
  /** The newest label; 0 if there is none. */
  first: u32;
}

/** The state of a search. */
@unmanaged
export class Raising {
  labels: usize;
  labelCount: u32;
  /** `NodeLabels` by node; `tableNodes` is the number of nodes for which there is room. */
  table: usize;
  tableNodes: u32;
  stamp: u32;
  /** Number of directions scanned. */
  steps: u32;
  /** Number of channels of the labels that are being made. */
  hops: u32;
  /** Whether bounds of delay and hops from the source are known (bounds.ts). */
  isBounded: bool;
  /** Maximum amount at any node: amount plus fee limit, msat. */
  mostMsat: i64;
  /** Whether a label was skipped, or a walk reached the source. If so, finding no path proves nothing. */
  isOpen: bool;
  /** The label next to the source on the path found; 0 if there is none. */
  found: u32;
}

function labelAt(raising: Raising, index: u32): Raised {
  return changetype<Raised>(raising.labels + (index as usize) * offsetof<Raised>());
}

function labelsOf(raising: Raising, node: u32): NodeLabels {
  return changetype<NodeLabels>(raising.table + (node as usize) * offsetof<NodeLabels>());
}

/**
 * Decides the question for amounts below HTLC minimums. With RAISED, `arc` of each node's state leads along the path
 * from the source. Loads must be released.
 */
export function raise(question: Question, work: Workspace): u32 {
  const raising = work.raising;
  prepare(question, work);
  // Label 0 stands for no label.
  raising.labelCount = 1;
  addLabel(raising, question.destination, 0, 0, question.amountMsat, 0);
  let begin: u32 = 1;
  for (let hops: u32 = 0; hops < question.maxhops && begin < raising.labelCount && !isOver(raising); hops++) {
    const end = raising.labelCount;
    raising.hops = hops + 1;
    for (let index = begin; index < end && !isOver(raising); index++) settle(question, work, index);
    begin = end;
    if (pollCancel(work)) return PERHAPS_RAISED;
  }
  if (raising.found !== 0) return RAISED;
  return raising.isOpen || isOver(raising) ? PERHAPS_RAISED : NEVER_RAISED;
}

function prepare(question: Question, work: Workspace): void {
  const raising = work.raising;
  if (raising.labels === 0) raising.labels = takePages((LABEL_LIMIT as u64) * (offsetof<Raised>() as u64));
  const nodes = nodeRoom(work.scratch);
  if (nodes > raising.tableNodes) {
    raising.table = takePages((nodes as u64) * (offsetof<NodeLabels>() as u64));
    raising.tableNodes = nodes;
  }
  const limitsMet = work.findings.limitsMet;
  const isLimited = (limitsMet & (MET_DELAY | MET_HOPS)) !== 0;
  const countsHops = (limitsMet & MET_HOPS) !== 0;
  const cutBefore = work.effort.wasCut;
  raising.isBounded = isLimited && affordBounds(work, question.source, question.maxPathDelay, countsHops);
  // Without bounds, the search is only longer.
  forgetCut(work.effort, cutBefore);
  raising.stamp = nextStamp(work.search);
  raising.steps = 0;
  raising.mostMsat = clampedAdd(question.amountMsat, question.maxfeeMsat);
  raising.isOpen = false;
  raising.found = 0;
}

function isOver(raising: Raising): bool {
  return raising.found !== 0 || raising.steps >= STEP_LIMIT;
}

function settle(question: Question, work: Workspace, index: u32): void {
  const raising = work.raising;
  const graph = work.graph;
  const node = labelAt(raising, index).node;
  if (node < graph.nodeCount) {
    const first = graph.inStart[node];
    const last = graph.inEnabledEnd[node];
    raising.steps += last - first;
    for (let arc = first; arc < last && raising.found === 0; arc++) cross(question, work, index, arc);
  }
  let link = stateOf(work.scratch, node).extraIn;
  while (link !== null && raising.found === 0) {
    raising.steps++;
    cross(question, work, index, link.arc);
    link = link.next;
  }
}

/** Labels the tail of an arc, if a path may lead there. */
function cross(question: Question, work: Workspace, parent: u32, arc: u32): void {
  const raising = work.raising;
  const record = recordOf(work, arc);
  const tail = record.tail;
  if (!isEnabled(record) || tail === question.destination) return;
  const label = labelAt(raising, parent);
  const most = min<i64>(record.htlcMaximumMsat, record.maxMsat);
  // A single part must carry the whole amount.
  if (most <= 0 || (question.partLimit === 1 && question.amountMsat > most)) return;
  const passing = min<i64>(label.amountMsat, most);
  if (passing < record.htlcMinimumMsat) return;
  const delay = label.delay + (record.cltvExpiryDelta as u32);
  if (delay > question.maxPathDelay || (record.feeBaseMsat as i64) > question.maxfeeMsat) return;
  if (
    raising.isBounded &&
    !canKeep(work.bounds, tail, delay, raising.hops, question.maxPathDelay, question.maxhops)
  )
    return;
  if (tail === question.source) {
    reachSource(question, work, parent, arc, delay);
    return;
  }
  const brought = min<i64>(clampedAdd(passing, feeOf(record, passing)), raising.mostMsat);
  if (isDominated(raising, tail, brought, delay)) return;
  if (raising.labelCount >= LABEL_LIMIT || countOf(raising, tail) >= LABELS_PER_NODE) raising.isOpen = true;
  else addLabel(raising, tail, arc, parent, brought, delay);
}

function countOf(raising: Raising, node: u32): u32 {
  const at = labelsOf(raising, node);
  return at.stamp === raising.stamp ? at.count : 0;
}

function isDominated(raising: Raising, node: u32, brought: i64, delay: u32): bool {
  const at = labelsOf(raising, node);
  if (at.stamp !== raising.stamp) return false;
  // Labels are made in ascending order of their number of channels, so no earlier label has more channels.
  let index = at.first;
  while (index !== 0) {
    const other = labelAt(raising, index);
    if (other.amountMsat >= brought && other.delay <= delay) return true;
    index = other.next;
  }
  return false;
}

function addLabel(raising: Raising, node: u32, arc: u32, parent: u32, brought: i64, delay: u32): void {
  const at = labelsOf(raising, node);
  if (at.stamp !== raising.stamp) {
    at.stamp = raising.stamp;
    at.count = 0;
    at.first = 0;
  }
  const index = raising.labelCount++;
  const label = labelAt(raising, index);
  label.amountMsat = brought;
  label.node = node;
  label.arc = arc;
  label.parent = parent;
  label.delay = delay;
  label.next = at.first;
  at.first = index;
  at.count = at.count + 1;
}

/** If the walk is an answer, accepts it and writes it into the states of its nodes. */
function reachSource(question: Question, work: Workspace, parent: u32, arc: u32, delay: u32): void {
  const raising = work.raising;
  raising.isOpen = true;
  if (
    !isSimple(raising, parent, question.source) ||
    !keepsLimits(question, work, parent, recordOf(work, arc))
  )
    return;
  raising.found = parent;
  const start = stateOf(work.scratch, question.source);
  start.arc = arc;
  start.delay = delay;
  start.hops = 1;
  for (let index = parent; labelAt(raising, index).parent !== 0; index = labelAt(raising, index).parent) {
    const label = labelAt(raising, index);
    stateOf(work.scratch, label.node).arc = label.arc;
    start.hops = start.hops + 1;
  }
}

/** Whether the walk visits no node twice. */
function isSimple(raising: Raising, last: u32, source: u32): bool {
  for (let index = last; index !== 0; index = labelAt(raising, index).parent) {
    const node = labelAt(raising, index).node;
    if (node === source) return false;
    let later = labelAt(raising, index).parent;
    while (later !== 0) {
      if (labelAt(raising, later).node === node) return false;
      later = labelAt(raising, later).parent;
    }
  }
  return true;
}

/** Whether the exact amounts along the walk keep the limits of its directions and the fee limit. */
function keepsLimits(question: Question, work: Workspace, last: u32, first: DirectionRecord): bool {
  const reach = exactMsat(question, work, last);
  return (
    reach >= 0 &&
    canCross(first, reach) &&
    reach + feeOf(first, reach) - question.amountMsat <= question.maxfeeMsat
  );
}

/** Exact amount at the label's node, msat; −1 if an amount breaks a limit of a direction. */
function exactMsat(question: Question, work: Workspace, index: u32): i64 {
  const label = labelAt(work.raising, index);
  if (label.parent === 0) return question.amountMsat;
  const reach = exactMsat(question, work, label.parent);
  const record = recordOf(work, label.arc);
  return reach >= 0 && canCross(record, reach) ? reach + feeOf(record, reach) : -1;
}

function canCross(record: DirectionRecord, reach: i64): bool {
  return reach >= record.htlcMinimumMsat && reach <= min<i64>(record.htlcMaximumMsat, record.maxMsat);
}

function feeOf(record: DirectionRecord, reach: i64): i64 {
  return feeMsat(reach, record.feeBaseMsat, record.feeProportionalMillionths);
}
