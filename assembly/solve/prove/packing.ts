/**
 * Proves that no parts keep all limits together, by putting a price on each limit.
 *
 * Every answer packs parts into limits that they share. Let part p deliver y msat over a path of at most the allowed
 * hops and blocks, and let u be the largest part that the path can carry, by HTLC maximums and by the fee limit F: a
 * direction whose fee for an amount is above F never carries it. Then
 *
 *   fees         Σ y · c ≤ F + saved        c = Σ over hops of ppm / 10⁶ + base / u
 *   parts        Σ y / u ≤ maxparts
 *   directions   Σ y ≤ capacity             over the parts that cross it
 *
 * `saved` is what rounding can save: less than 1 msat at each hop of each part that has a rate. For hops with a base
 * fee, 1 msat is subtracted from that fee instead.
 *
 * Let each limit have a price w for its whole. The length of a path is the price of 1 msat over it. If every path is
 * longer than m, the parts of any answer use limits worth more than amount · m. So if amount · m > Σ w, there is no
 * answer. This holds for any prices (linear programming duality). Good ones are found by multiplicative weights: a
 * shortest path is filled up, and limits become costlier the more they are used (Garg and Könemann 1998; Fleischer 2000).
 * First, only fees have a price, so the first search is for the lowest rate within the limits on hops and delay, which
 * decides most questions.
 *
 * The shortest path within hops and blocks is found with several labels per node, as in labels.ts. The price of parts
 * depends on the narrowest direction so far, so that is a criterion too. Where a node has no place left, two labels
 * become one that is at least as good as both, so that no path is longer than it was.
 *
 * Work: at most ROUND_LIMIT paths and the steps allowed. This work does not count as effort, so the search for remedies
 * keeps all effort.
 *
 * Failure modes: if the work ends first, nothing is proven. Directions count only the delivered amount, not the fees of
 * later hops, so a limit exceeded only because of fees is missed.
 */
import { takePages } from '../../graph/arena';
import { Column, newColumn } from '../../graph/column';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { exp, feeMsat } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { arcRoom, nodeRoom, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { canKeep } from '../path/bounds';
import { heapClear, heapLeastKey, heapPop, heapPush } from '../path/heap';
import { newQueue, Queue } from '../path/queue';
import { nextStamp } from '../path/search';
import { DIRECTION_STEPS, NODE_STEPS } from '../question/effort';
import { MAX_HOPS } from '../question/sizes';
import { pollCancel } from '../question/task';
import { mostOfPart } from './one-part';

const LABEL_LIMIT: u32 = 1 << 15;
const LABELS_PER_NODE: u32 = 12;
const ROUND_LIMIT: u32 = 400;
/** Relative error of doubles, with a safety margin. */
const TOLERANCE: f64 = 1e-9;
/** The largest part that keeps the fee limit is computed only if that limit is below this, msat. */
const SAFE_FEE: i64 = 1 << 42;
/** A limit on fees, msat, that counts as none. */
export const ANY_FEES: i64 = 1 << 60;
/**
 * `lookAhead` ends at these multiples of the fees per msat that the limit allows, and of those of the cheapest path:
 * hardly any path sought costs more.
 */
const AHEAD_REACH: f64 = 2.0;
const AHEAD_REACH_OF_PATH: f64 = 3.0;
/** Maximum steps of `lookAhead`, about as long as a first attempt at the proof takes. */
const AHEAD_STEPS: u32 = 200000;
/** Value of a node that `lookAhead` has not settled. */
const UNKNOWN: f64 = -1.0;

/** A path from a node to the destination; 40 bytes. */
@unmanaged
class Packed {
  /** Price per msat, without the price of parts. */
  length: f64;
  /** The largest part that the path can carry, msat. */
  widthMsat: f64;
  node: u32;
  /** The arc that leaves the node. */
  arc: u32;
  /** The label at the arc's head; 0 at the destination. */
  parent: u32;
  /** Blocks to the destination. */
  delay: u32;
  /** Channels to the destination. */
  hops: u32;
  /** Next label of the same node; 0 after the last. */
  next: u32;
}

/** The labels of a node; 12 bytes. */
@unmanaged
class PackedLabels {
  stamp: u32;
  count: u32;
  /** The newest label; 0 if there is none. */
  first: u32;
}

/** The prices of a proof, and its search. */
@unmanaged
export class Packing {
  labels: usize;
  labelCount: u32;
  queue: Queue;
  /** `PackedLabels` by node; `tableNodes` is the number of nodes for which there is room. */
  table: usize;
  tableNodes: u32;
  stamp: u32;
  /** A lower bound of the fees per msat of a path from the source, by node. Filled by `lookAhead`. */
  ahead: Column<f64>;
  /** Price of the capacity, by arc. Arcs that have a price are listed once in `priced`. */
  prices: Column<f64>;
  priced: Column<u32>;
  arcs: u32;
  pricedCount: u32;
  feePrice: f64;
  partPrice: f64;
  /** The fee limit, and what fees may come to in this bound (see the head of this file), msat. */
  feeMsat: i64;
  feeRoom: f64;
  /** Maximum amount that leaves the source, msat. */
  sentMsat: i64;
  /** Whether only directions on a path within the limits on delay and hops may be used. */
  isLimited: bool;
  /** Rounds done, and steps of the current call with their limit. */
  rounds: u32;
  steps: u32;
  stepLimit: u32;
  /** Whether the last search was cut short. */
  isOver: bool;
  /** The label of the source on the shortest path; 0 if there is no path. */
  found: u32;
}

function labelAt(packing: Packing, index: u32): Packed {
  return changetype<Packed>(packing.labels + (index as usize) * offsetof<Packed>());
}

function labelsOf(packing: Packing, node: u32): PackedLabels {
  return changetype<PackedLabels>(packing.table + (node as usize) * offsetof<PackedLabels>());
}

/**
 * Begins a proof.
 * @param feeMsat maximum fees of all parts together; ANY_FEES if fees are not limited
 * @param sentMsat maximum amount that leaves the source
 * @param isLimited whether the limits on delay and hops apply; if so, bounds must be known (bounds.ts)
 */
export function beginPacking(
  question: Question,
  work: Workspace,
  feeMsat: i64,
  sentMsat: i64,
  isLimited: bool,
): void {
  const packing = work.packing;
  makeRoom(work);
  for (let i: u32 = 0; i < packing.pricedCount; i++) packing.prices[packing.priced[i]] = 0.0;
  packing.pricedCount = 0;
  packing.feePrice = feeMsat < ANY_FEES ? 1.0 : 0.0;
  packing.partPrice = 0.0;
  packing.feeMsat = feeMsat;
  const hops = min<u32>(question.maxhops, MAX_HOPS);
  packing.feeRoom = (feeMsat as f64) + (question.partLimit as f64) * (hops as f64);
  packing.sentMsat = sentMsat;
  packing.isLimited = isLimited;
  packing.rounds = 0;
  lookAhead(question, work);
}

function makeRoom(work: Workspace): void {
  const packing = work.packing;
  if (packing.labels === 0) {
    packing.labels = takePages((LABEL_LIMIT as u64) * (offsetof<Packed>() as u64));
    packing.queue = newQueue();
  }
  const nodes = nodeRoom(work.scratch);
  if (nodes > packing.tableNodes) {
    packing.table = takePages((nodes as u64) * (offsetof<PackedLabels>() as u64));
    packing.ahead = newColumn<f64>(nodes);
    packing.tableNodes = nodes;
  }
  const arcs = arcRoom(work.scratch);
  if (arcs > packing.arcs) {
    packing.prices = newColumn<f64>(arcs);
    packing.priced = newColumn<u32>(arcs);
    packing.arcs = arcs;
    packing.pricedCount = 0;
  }
}

/**
 * Computes the lowest fees per msat from the source to each node, regardless of hops and blocks. They guide the
 * searches for shortest paths: no path is shorter than the price of its fees. Dijkstra's algorithm ends at a maximum of
 * fees or steps. Nodes farther away have at least the fees at which it ended.
 */
function lookAhead(question: Question, work: Workspace): void {
  const packing = work.packing;
  const scratch = work.scratch;
  const graph = work.graph;
  const stamp = nextStamp(work.search);
  let reach = (AHEAD_REACH * packing.feeRoom) / (question.amountMsat as f64);
  const isAnyFee = packing.feeMsat >= ANY_FEES;
  for (let node: u32 = 0; node < packing.tableNodes; node++) packing.ahead[node] = isAnyFee ? 0.0 : UNKNOWN;
  if (isAnyFee) return;
  stateOf(scratch, question.source).cost = 0.0;
  stateOf(scratch, question.source).stamp = stamp;
  heapPush(work, 0.0, question.source);
  let steps: u32 = 0;
  while (work.heap.size > 0 && heapLeastKey(work.heap) < reach) {
    const node = heapPop(work);
    const fees = stateOf(scratch, node).cost;
    if (steps > AHEAD_STEPS) {
      reach = fees;
      break;
    }
    packing.ahead[node] = fees;
    if (node === question.destination && fees > 0.0) reach = min<f64>(reach, AHEAD_REACH_OF_PATH * fees);
    if (node < graph.nodeCount) {
      const begin = graph.outStart[node];
      const end = graph.outStart.after(node);
      steps += 2 * DIRECTION_STEPS * (end - begin) + NODE_STEPS;
      for (let k = begin; k < end; k++)
        payAhead(question, work, recordOut(work, k), graph.outHeads[k], fees, stamp);
    }
    let link = stateOf(scratch, node).extraOut;
    while (link !== null) {
      payAhead(question, work, recordOf(work, link.arc), headOfArc(work, link.arc), fees, stamp);
      link = link.next;
    }
  }
  heapClear(work);
  for (let node: u32 = 0; node < packing.tableNodes; node++)
    if (packing.ahead[node] === UNKNOWN) packing.ahead[node] = reach;
}

function payAhead(
  question: Question,
  work: Workspace,
  record: DirectionRecord,
  head: u32,
  before: f64,
  stamp: u32,
): void {
  if (!isEnabled(record)) return;
  const state = stateOf(work.scratch, head);
  if (state.stamp === stamp && state.cost <= before) return;
  const largest = largestPart(question, work.packing, record, head);
  if (largest <= 0.0) return;
  const fees = before + feePerMsat(record, largest);
  if (state.stamp === stamp && state.cost <= fees) return;
  state.cost = fees;
  state.stamp = stamp;
  heapPush(work, fees, head);
}

/** A lower bound of the price of fees per msat from the source to the node. */
function priceAhead(packing: Packing, node: u32): f64 {
  return (packing.feePrice / packing.feeRoom) * packing.ahead[node];
}

/**
 * Continues the proof. True if no answer keeps all limits together; false if that is not proven within `steps` steps.
 * Loads must be released.
 */
export function isOverpacked(question: Question, work: Workspace, steps: u32): bool {
  const packing = work.packing;
  packing.steps = 0;
  packing.stepLimit = steps;
  while (packing.rounds < ROUND_LIMIT && packing.steps < steps && !pollCancel(work)) {
    const worth = worthOfLimits(packing);
    const most = (worth * (1.0 + TOLERANCE)) / (question.amountMsat as f64);
    findShortest(question, work, most);
    if (packing.isOver) return false;
    if (packing.found === 0) return true;
    packing.rounds++;
    fill(question, work);
  }
  return false;
}

/** Σ w: the price of all limits. */
function worthOfLimits(packing: Packing): f64 {
  let worth = packing.feePrice + packing.partPrice;
  for (let i: u32 = 0; i < packing.pricedCount; i++) worth += packing.prices[packing.priced[i]];
  return worth;
}

/** Raises the prices of the limits that the shortest path uses, as if it carried as much as the tightest one allows. */
function fill(question: Question, work: Workspace): void {
  const packing = work.packing;
  const parts = question.partLimit as f64;
  const width = labelAt(packing, packing.found).widthMsat;
  let cost: f64 = 0.0;
  let amount = min<f64>(question.amountMsat as f64, parts * width);
  for (
    let index = packing.found;
    labelAt(packing, index).parent !== 0;
    index = labelAt(packing, index).parent
  ) {
    const arc = labelAt(packing, index).arc;
    const record = recordOf(work, arc);
    const largest = largestPart(question, packing, record, headOfArc(work, arc));
    cost += feePerMsat(record, largest);
    amount = min<f64>(amount, capacity(question, record, largest));
  }
  if (cost * amount > packing.feeRoom) amount = packing.feeRoom / cost;
  amount *= stepOf(packing.rounds);
  packing.feePrice = dearer(packing.feePrice, (amount * cost) / packing.feeRoom);
  packing.partPrice = dearer(packing.partPrice, amount / (parts * width));
  for (
    let index = packing.found;
    labelAt(packing, index).parent !== 0;
    index = labelAt(packing, index).parent
  ) {
    const arc = labelAt(packing, index).arc;
    const record = recordOf(work, arc);
    const largest = largestPart(question, packing, record, headOfArc(work, arc));
    if (packing.prices[arc] === 0.0) packing.priced[packing.pricedCount++] = arc;
    packing.prices[arc] = dearer(packing.prices[arc], amount / capacity(question, record, largest));
  }
}

/**
 * Fraction of the fitting amount that a round uses. Small steps lead closer to the best prices, but take more rounds.
 */
function stepOf(rounds: u32): f64 {
  if (rounds > 300) return 0.125;
  if (rounds > 100) return 0.25;
  return rounds > 60 ? 0.5 : 1.0;
}

/** The price of a limit after a further `share` of it (at most 1) was used. */
function dearer(price: f64, share: f64): f64 {
  return (price + 1.0) * exp(share) - 1.0;
}

/** Maximum amount that all parts together can send across the direction, msat. */
function capacity(question: Question, record: DirectionRecord, largest: f64): f64 {
  return min<f64>(record.maxMsat as f64, largest * (question.partLimit as f64));
}

/** Minimum fee per msat delivered, if a part is at most `largest`; see the head of this file. */
function feePerMsat(record: DirectionRecord, largest: f64): f64 {
  const base = record.feeBaseMsat as f64;
  const ppm = record.feeProportionalMillionths;
  // If there is a rate, rounding can save 1 msat. Without a base fee to subtract it from, `feeRoom` includes it.
  const fixed = ppm === 0 ? base : max<f64>(base - 1.0, 0.0);
  return (ppm as f64) * 1e-6 + fixed / largest;
}

/** The largest part that the direction can carry, msat; 0 if it can carry none. */
function largestPart(question: Question, packing: Packing, record: DirectionRecord, head: u32): f64 {
  let most = mostOfPart(question, packing.sentMsat, record, head);
  const base = record.feeBaseMsat;
  const ppm = record.feeProportionalMillionths as i64;
  if (most <= 0 || (base as i64) > packing.feeMsat) return 0.0;
  if (packing.feeMsat < SAFE_FEE && feeMsat(most, base, ppm as u32) > packing.feeMsat)
    most = ((packing.feeMsat - (base as i64) + 1) * 1000000 - 1) / ppm;
  return most < max<i64>(record.htlcMinimumMsat, 1) ? 0.0 : (min<i64>(most, question.amountMsat) as f64);
}

/**
 * Finds the shortest path within hops and blocks, if it costs at most `most` per msat, and sets `found`. Sets `isOver`
 * if the search was cut short.
 */
function findShortest(question: Question, work: Workspace, most: f64): void {
  const packing = work.packing;
  const queue = packing.queue;
  packing.found = 0;
  packing.isOver = false;
  packing.stamp = nextStamp(work.search);
  // Label 0 stands for no label.
  packing.labelCount = 1;
  queue.clear(LABEL_LIMIT);
  addLabel(packing, question.destination, 0, 0, 0.0, question.amountMsat as f64, 0, 0, 0.0);
  for (let settled: u32 = 1; queue.size > 0; settled++) {
    const index = queue.first();
    if (labelAt(packing, index).node === question.source) {
      packing.found = index;
      return;
    }
    queue.pop();
    if ((settled & 255) === 0) packing.isOver = packing.steps > packing.stepLimit || pollCancel(work);
    if (packing.isOver) return;
    settle(question, work, index, most);
  }
}

function settle(question: Question, work: Workspace, index: u32, most: f64): void {
  const packing = work.packing;
  const graph = work.graph;
  const node = labelAt(packing, index).node;
  if (node < graph.nodeCount) {
    const first = graph.inStart[node];
    const last = graph.inEnabledEnd[node];
    packing.steps += 2 * DIRECTION_STEPS * (last - first) + NODE_STEPS;
    for (let arc = first; arc < last; arc++) cross(question, work, index, arc, node, most);
  }
  let link = stateOf(work.scratch, node).extraIn;
  while (link !== null) {
    cross(question, work, index, link.arc, node, most);
    link = link.next;
  }
}

/** Labels the tail of an arc, if a path may lead there. */
function cross(question: Question, work: Workspace, parent: u32, arc: u32, head: u32, most: f64): void {
  const packing = work.packing;
  const record = recordOf(work, arc);
  const tail = record.tail;
  if (!isEnabled(record) || tail === question.destination) return;
  const label = labelAt(packing, parent);
  let delay: u32 = 0;
  let hops: u32 = 0;
  if (packing.isLimited) {
    delay = label.delay + (record.cltvExpiryDelta as u32);
    hops = label.hops + 1;
    if (!canKeep(work.bounds, tail, delay, hops, question.maxPathDelay, question.maxhops)) return;
  }
  const largest = largestPart(question, packing, record, head);
  if (largest <= 0.0) return;
  const parts = question.partLimit as f64;
  const width = min<f64>(label.widthMsat, largest);
  const length =
    label.length +
    (packing.feePrice / packing.feeRoom) * feePerMsat(record, largest) +
    packing.prices[arc] / capacity(question, record, largest);
  const key = length + packing.partPrice / (parts * width) + priceAhead(packing, tail);
  if (key > most || isDominated(packing, tail, length, width, delay, hops)) return;
  if (packing.labelCount >= LABEL_LIMIT) packing.isOver = true;
  else if (countOf(packing, tail) < LABELS_PER_NODE)
    addLabel(packing, tail, arc, parent, length, width, delay, hops, key);
  else addMerged(question, packing, tail, arc, parent, length, width, delay, hops);
}

/**
 * If a node has no place left, replaces its newest label by one that is at least as good, in every respect, as both
 * that label and the new one. So lengths stay lower bounds.
 */
function addMerged(
  question: Question,
  packing: Packing,
  node: u32,
  arc: u32,
  parent: u32,
  length: f64,
  width: f64,
  delay: u32,
  hops: u32,
): void {
  const at = labelsOf(packing, node);
  const newest = labelAt(packing, at.first);
  at.first = newest.next;
  at.count = at.count - 1;
  const least = min<f64>(length, newest.length);
  const widest = max<f64>(width, newest.widthMsat);
  const price = packing.partPrice / ((question.partLimit as f64) * widest);
  const key = least + price + priceAhead(packing, node);
  const blocks = min<u32>(delay, newest.delay);
  addLabel(packing, node, arc, parent, least, widest, blocks, min<u32>(hops, newest.hops), key);
}

function countOf(packing: Packing, node: u32): u32 {
  const at = labelsOf(packing, node);
  return at.stamp === packing.stamp ? at.count : 0;
}

function isDominated(packing: Packing, node: u32, length: f64, width: f64, delay: u32, hops: u32): bool {
  const at = labelsOf(packing, node);
  if (at.stamp !== packing.stamp) return false;
  let index = at.first;
  while (index !== 0) {
    const other = labelAt(packing, index);
    if (
      other.length <= length &&
      other.delay <= delay &&
      other.hops <= hops &&
      (packing.partPrice === 0.0 || other.widthMsat >= width)
    )
      return true;
    index = other.next;
  }
  return false;
}

function addLabel(
  packing: Packing,
  node: u32,
  arc: u32,
  parent: u32,
  length: f64,
  width: f64,
  delay: u32,
  hops: u32,
  key: f64,
): void {
  const at = labelsOf(packing, node);
  if (at.stamp !== packing.stamp) {
    at.stamp = packing.stamp;
    at.count = 0;
    at.first = 0;
  }
  const index = packing.labelCount++;
  const label = labelAt(packing, index);
  label.length = length;
  label.widthMsat = width;
  label.node = node;
  label.arc = arc;
  label.parent = parent;
  label.delay = delay;
  label.hops = hops;
  label.next = at.first;
  at.first = index;
  at.count = at.count + 1;
  packing.queue.push(key, index);
}
