/**
 * Proves that no answer in several parts keeps the caps, or finds a flow from which such an answer can be made.
 *
 * The search for several parts is a heuristic: when it finds nothing, that proves nothing. But every answer is a flow
 * of the amount, part by part. A part that delivers y msat pays a direction base + ⌊ppm·x⌋ for some x ≥ y, and y is at
 * most u, the maximum of one HTLC over the direction. So it pays at least
 *
 *   y · (ppm + (base − 1) / u)     where base ≥ 1 msat; else  y · ppm
 *
 * Without a base fee, rounding can save a part less than 1 msat at each hop. Answers that split an amount only to save
 * by rounding are ignored.
 *
 * The flow that costs least at these prices costs no more than the fees of any answer. It is found by successive
 * shortest paths with potentials (Ahuja, Magnanti, Orlin 1993, section 9.7). Each path is no cheaper than the one
 * before. So at every step the cost of what is placed, plus the rest at the price of the current path, is a lower bound
 * of the total. HTLC minimums and what fees add to amounts are ignored: they only make answers costlier. A second part
 * pays base fees again. A separate bound includes these base fees; if a single path can carry the amount, it is usually
 * higher than that of the flow.
 */
import { takePages } from '../../graph/arena';
import { Column, newColumn } from '../../graph/column';
import { DirectionRecord } from '../../graph/direction';
import { AMOUNT_LIMIT, clampedAdd } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { nodeRoom, recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { canPartsCarry, chargesItself, onwardRoom, widestOnward } from '../flow/ends';
import { augment, BACKWARDS, beginFlow, residual } from '../flow/flow';
import { affordBounds, boundsFrom } from '../path/bounds';
import { heapClear, heapPop, heapPush } from '../path/heap';
import { nextStamp } from '../path/search';
import {
  DIRECTION_STEPS,
  effortSpent,
  forgetCut,
  hasEffort,
  NODE_STEPS,
  searchSteps,
  spend,
} from '../question/effort';
import { anyWillDo, MET_DELAY, MET_HOPS } from '../question/question';
import { MAX_HOPS } from '../question/sizes';
import { pollCancel } from '../question/task';
import { BASES, LARGEST_PART, leastPrice, RATES, WHOLE_AMOUNT, WHOLE_BASES } from './least-price';
import { carriesPart } from './one-part';
import { ANY_FEES, beginPacking, isOverpacked } from './packing';
import { countDelaysLeft, isQuick } from './quick';
import { isAnyWide } from './wide';

/**
 * Work limit of the flow, in searches over the whole graph. For small graphs a search counts as at least
 * LEAST_FLOW_STEPS.
 */
const FLOW_SEARCHES: f64 = 3.0;
const LEAST_FLOW_STEPS: f64 = 500000.0;
/** Work limit of the proof that the fees of the largest part exceed a tight room. */
const TIGHT_STEPS: f64 = 500000.0;
/**
 * Steps of the proof by prices (packing.ts): FEW before the flow and when little effort is left, LEAST before the flow
 * if any answer will do, and PACKING_STEPS after the flow led to no answer.
 */
const FEW_PACKING_STEPS: u32 = 200000;
const LEAST_PACKING_STEPS: u32 = 50000;
const PACKING_STEPS: u32 = 1500000;
/** Steps of the proof by prices if the question is undecided otherwise. */
const MANY_PACKING_STEPS: u32 = 8000000;
/**
 * Maximum that all parts of an answer together are assumed to save by rounding, msat. Each saves less than 1 msat per
 * hop.
 */
const ROUNDING: f64 = 0.5;
/**
 * The bounds of two parts subtract what rounding may save: 1 msat per hop for each part, so 40 msat for twenty hops. So
 * the bound from the full base fees alone can be higher only if the whole amount costs at most this much more than the
 * base fees of one part, msat.
 */
const MOST_SAVED: f64 = 40.0;
/** Room for fees of at most this share of the amount is tight. */
const TIGHT_ROOM: f64 = 1e-4;
/** Relative error of doubles: a bound counts when it exceeds the cap by more than this. */
const TOLERANCE: f64 = 1e-9;

/** State of a node, from the destination's side. */
@unmanaged
class NodePotential {
  /** Potential of the node, msat per msat delivered. */
  potential: f64;
  /** The last search that settled the node. */
  settledBy: u32;
}

/** The state of a proof. */
@unmanaged
export class Refutation {
  table: usize;
  tableNodes: u32;
  /** Nodes settled by the current search, in order. */
  settled: Column<u32>;
  settledCount: u32;
  stamp: u32;
  /** Whether only directions on some path within the limits on delay and hops are used. */
  isQuickOnly: bool;
  /** Whether it is proven that no answer keeps all caps. */
  isRefuted: bool;
  feeFound: i64;
  /** Whether the last proof showed that no answer in several parts costs 1 % less than `feeFound`. */
  isLeastFee: bool;
  /**
   * Maximum fees, msat: the fee cap, or what the source's channels can carry in addition to the amount, whichever is
   * less (`measureFeeRoom`).
   */
  feeRoom: i64;
  /**
   * Maximum that rounding may save compared with a bound, msat. If the fee cap decides, such savings are ignored (0;
   * see `ROUNDING`). If the room of channels decides, 1 msat is allowed for each hop of each part, because that room is
   * exact.
   */
  saved: f64;
  /** Maximum amount that leaves the source: the amount plus maximum fees, msat. */
  sent: i64;
  /** Whether the proof by prices (packing.ts) has begun for the question. */
  isPacking: bool;
  // The last question for which the proof without limits on delay and hops failed.
  openSource: u32;
  openDestination: u32;
  openAmount: i64;
  openFee: i64;
  openVersion: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.feeFound = NO_FEE;
  }
}
/** The fee for `refute` if no answer is known, or if nothing is to be proven about its fee. */
export const NO_FEE: i64 = i64.MAX_VALUE;

function rowOf(refutation: Refutation, node: u32): NodePotential {
  return changetype<NodePotential>(refutation.table + (node as usize) * offsetof<NodePotential>());
}

function prepare(work: Workspace): void {
  const refutation = work.refutation;
  const nodes = nodeRoom(work.scratch);
  if (nodes <= refutation.tableNodes) return;
  refutation.table = takePages((nodes as u64) * (offsetof<NodePotential>() as u64));
  refutation.settled = newColumn<u32>(nodes);
  refutation.tableNodes = nodes;
}

/**
 * False if it is proven that there is no answer: the channels of an end cannot carry the amount in the allowed number
 * of parts, or no path is short, quick and wide enough for the largest part (wide.ts). Loads must be released. This
 * costs a fraction of a search for parts.
 */
export function mayFit(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  measureFeeRoom(question, work);
  if (!canPartsCarry(question, work, true) || !canPartsCarry(question, work, false)) return false;
  if (isRoomTight(question, work, 0) && isPartTooDear(question, work)) return false;
  return isAnyWide(question, work, refutation.sent);
}

/**
 * Whether the source's channels have so little room for fees that a short search may prove it to be too little.
 * `widest` is the largest amount that one of them can take, or 0 if it is not known.
 */
export function isRoomTight(question: Question, work: Workspace, widest: i64): bool {
  const amount = question.amountMsat;
  const room = TIGHT_ROOM * (amount as f64);
  if (((widest - amount) as f64) > room && ((widestOnward(question, work) - amount) as f64) > room)
    return false;
  const spare = onwardRoom(question, work) - amount;
  return spare >= 0 && (spare as f64) <= room && !chargesItself(question, work);
}

/**
 * Whether it is proven within TIGHT_STEPS that the fees of the largest part alone are above `feeRoom`. That part delivers
 * at least an equal share.
 */
function isPartTooDear(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  const end = effortSpent(work.effort) + TIGHT_STEPS;
  const room = refutation.feeRoom as f64;
  return leastPrice(question, work, LARGEST_PART, refutation.sent, false, room, end) > room;
}

/**
 * Tries to prove that no answer keeps all caps of the question (`isRefuted`). Loads must be released. Returns whether
 * there is a flow of the amount that keeps all caps except the fee cap, as far as flows can keep them: `takePath`
 * (flow.ts) lists the paths of the cheapest one. Without `isFlowWanted` the work ends as soon as the proof succeeds.
 *
 * Limits on delay and hops matter only if they ever stood in the way, so the proof is first tried without them. `fee`
 * is that of an answer that keeps the other caps, or NO_FEE: the proof may show that no answer in several parts costs 1
 * % less (`isLeastFee`).
 */
export function refute(question: Question, work: Workspace, isFlowWanted: bool, fee: i64): bool {
  const refutation = work.refutation;
  if (!mayContinue(question, work, isFlowWanted, fee)) return false;
  if (!refutation.isRefuted) {
    refutation.isPacking = true;
    beginPacking(question, work, refutation.feeRoom, refutation.sent, refutation.isQuickOnly);
    const steps = anyWillDo(question) ? LEAST_PACKING_STEPS : FEW_PACKING_STEPS;
    refutation.isRefuted = isOverpacked(question, work, steps);
    if (refutation.isRefuted && !isFlowWanted) return false;
  }
  return makeFlow(question, work, isFlowWanted);
}

/**
 * Whether the quick part of `refute` proves that no answer in several parts keeps all caps: lower bounds of their fees,
 * with and without the limits on delay and hops. Loads must be released.
 */
export function areSeveralExcluded(question: Question, work: Workspace, fee: i64): bool {
  const cutBefore = work.effort.wasCut;
  mayContinue(question, work, false, fee);
  forgetCut(work.effort, cutBefore);
  return work.refutation.isRefuted;
}

/** The quick part of `refute`. Returns whether the rest may add to it. */
function mayContinue(question: Question, work: Workspace, isFlowWanted: bool, fee: i64): bool {
  const refutation = work.refutation;
  const findings = work.findings;
  refutation.feeFound = fee;
  refutation.isLeastFee = false;
  refutation.isPacking = false;
  refutation.isRefuted = !mayFit(question, work);
  if (refutation.isRefuted) return false;
  prepare(work);
  const isLimited = (findings.limitsMet & (MET_DELAY | MET_HOPS)) !== 0;
  refutation.isQuickOnly = false;
  const isKnownOpen = fee === NO_FEE && isAsBefore(question, work);
  refutation.isRefuted = !isKnownOpen && areSeveralTooDear(question, work);
  if (!refutation.isRefuted && !work.effort.wasCut) rememberOpen(question, work);
  if (refutation.isRefuted && !isFlowWanted) return false;
  if (isLimited) {
    if (!affordBounds(work, question.source, question.maxPathDelay, (findings.limitsMet & MET_HOPS) !== 0))
      return false;
    countDelaysLeft(question, work);
    refutation.isQuickOnly = true;
    if (!refutation.isRefuted) refutation.isRefuted = areSeveralTooDear(question, work);
  }
  return !refutation.isRefuted || isFlowWanted;
}

/**
 * Whether the proof by prices succeeds within few steps, so that no answer keeps all limits. Loads must be released.
 * @param feeMsat the limit on fees: `question.maxfeeMsat`, or ANY_FEES to prove it for answers at any fee
 */
export function isSoonRefuted(question: Question, work: Workspace, feeMsat: i64): bool {
  const steps = anyWillDo(question) ? LEAST_PACKING_STEPS : FEW_PACKING_STEPS;
  const refutation = work.refutation;
  const limitsMet = work.findings.limitsMet;
  measureFeeRoom(question, work);
  const isLimited = (limitsMet & (MET_DELAY | MET_HOPS)) !== 0;
  if (isLimited && !affordBounds(work, question.source, question.maxPathDelay, (limitsMet & MET_HOPS) !== 0))
    return false;
  const isAnyFee = feeMsat === ANY_FEES;
  const room = isAnyFee ? ANY_FEES : refutation.feeRoom;
  beginPacking(question, work, room, isAnyFee ? AMOUNT_LIMIT : refutation.sent, isLimited);
  return isOverpacked(question, work, steps);
}

/** Whether the proof by prices succeeds within many steps, after all effort is spent. Loads must be released. */
export function isLateRefuted(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  const limitsMet = work.findings.limitsMet;
  const isLimited = (limitsMet & (MET_DELAY | MET_HOPS)) !== 0;
  measureFeeRoom(question, work);
  if (isLimited) boundsFrom(work, question.source, question.maxPathDelay, (limitsMet & MET_HOPS) !== 0);
  beginPacking(question, work, refutation.feeRoom, refutation.sent, isLimited);
  return isOverpacked(question, work, MANY_PACKING_STEPS);
}

/** Continues the proof by prices, if the flow of `refute` led to no answer. Loads must be released. */
export function refuteByPrices(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  const countsHops = (work.findings.limitsMet & MET_HOPS) !== 0;
  if (refutation.isPacking === false) return false;
  if (refutation.isQuickOnly && !affordBounds(work, question.source, question.maxPathDelay, countsHops))
    return false;
  refutation.isRefuted = isOverpacked(question, work, PACKING_STEPS);
  return refutation.isRefuted;
}

/**
 * Whether the proof without limits on delay and hops has already failed for this question. Questions for the minimum
 * delay differ only in these limits.
 */
function isAsBefore(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  return (
    refutation.openSource === question.source &&
    refutation.openDestination === question.destination &&
    refutation.openAmount === question.amountMsat &&
    refutation.openFee === question.maxfeeMsat &&
    refutation.openVersion === work.scratch.termsVersion
  );
}

function rememberOpen(question: Question, work: Workspace): void {
  const refutation = work.refutation;
  refutation.openSource = question.source;
  refutation.openDestination = question.destination;
  refutation.openAmount = question.amountMsat;
  refutation.openFee = question.maxfeeMsat;
  refutation.openVersion = work.scratch.termsVersion;
}

/**
 * Makes the cheapest flow of the amount. Sets `isRefuted` once the flow must cost more than the cap, or if the amount
 * does not fit. Returns whether the flow reaches the amount.
 */
function makeFlow(question: Question, work: Workspace, isFlowWanted: bool): bool {
  const refutation = work.refutation;
  const effort = work.effort;
  forgetPotentials(refutation);
  beginFlow(work, question.partLimit);
  const end = effortSpent(effort) + FLOW_SEARCHES * max<f64>(searchSteps(work.graph), LEAST_FLOW_STEPS);
  const most = highestCost(refutation.feeRoom) + refutation.saved;
  let cost: f64 = 0.0;
  let left = question.amountMsat;
  while (left > 0 && hasEffort(effort) && !pollCancel(work) && effortSpent(effort) < end) {
    if (!findCheapest(question, work)) {
      refutation.isRefuted = true;
      return false;
    }
    // Potentials count from the source, so the potential of the destination is the negative price of the whole path.
    const price = -rowOf(refutation, question.destination).potential;
    if (cost + (left as f64) * price > most) refutation.isRefuted = true;
    if (refutation.isRefuted && !isFlowWanted) return false;
    const placed = augment(work, question.source, question.destination, left);
    cost += (placed as f64) * price;
    left -= placed;
  }
  return left <= 0;
}

/** A limit in msat: a lower bound above it proves that no answer costs at most `fee`. */
function highestCost(fee: i64): f64 {
  return (fee as f64) * (1.0 + TOLERANCE) + ROUNDING;
}

/**
 * Whether two or more parts cost more than the fee cap, or more than the source can send in addition to the amount. The
 * caller must have ruled out a single part already. The bound is the amount at the rates of the cheapest path, plus
 * twice the minimum base fees of a path.
 */
function areSeveralTooDear(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  if (work.effort.wasCut) return false;
  const room = highestCost(refutation.feeRoom);
  // Rounding saves nothing on base fees, so this bound needs no allowance for it (`saved`). It decides most questions
  // with little room for fees.
  if (refutation.saved > 0.0 && leastBases(question, work, room) > room) return true;
  const most = room + refutation.saved;
  const less =
    refutation.feeFound === NO_FEE
      ? most
      : highestCost(refutation.feeFound - max<i64>(refutation.feeFound / 100, 1));
  const cost = leastOfSeveral(question, work, min<f64>(most, less), max<f64>(most, less));
  refutation.isLeastFee = refutation.feeFound !== NO_FEE && cost > less;
  return cost > most;
}

/** Whether it is proven that two or more parts exceed the fee cap, regardless of the other caps. */
export function areTooDear(question: Question, work: Workspace): bool {
  prepareBounds(question, work);
  const most = highestCost(question.maxfeeMsat);
  return leastOfSeveral(question, work, most, most) > most;
}

/** Whether the proof by prices soon shows that no answer keeps the fee cap, regardless of limits on delay and hops. */
export function isPricedOut(question: Question, work: Workspace): bool {
  prepareBounds(question, work);
  beginPacking(question, work, question.maxfeeMsat, work.refutation.sent, false);
  return isOverpacked(question, work, LEAST_PACKING_STEPS);
}

/**
 * Whether it is proven that no answer in two or more parts costs at least 1 % less than the fee of a known answer. The
 * cheapest single path must be known.
 */
export function isLeastOfSeveral(question: Question, work: Workspace, fee: i64): bool {
  if (work.effort.wasCut) return false;
  prepareBounds(question, work);
  const less = highestCost(fee - max<i64>(fee / 100, 1));
  return leastOfSeveral(question, work, less, less) > less;
}

function prepareBounds(question: Question, work: Workspace): void {
  const refutation = work.refutation;
  prepare(work);
  refutation.sent = clampedAdd(question.amountMsat, question.maxfeeMsat);
  refutation.isQuickOnly = false;
}

/**
 * Bounds the fees of all answers. Fees leave the source together with the amount, so the room of its channels limits
 * them. But its own fees do not leave the source: if it charges fees, its channels set no limit.
 */
function measureFeeRoom(question: Question, work: Workspace): void {
  const refutation = work.refutation;
  const spare = max<i64>(onwardRoom(question, work) - question.amountMsat, 0);
  const isBound = spare < question.maxfeeMsat && !chargesItself(question, work);
  refutation.feeRoom = isBound ? spare : question.maxfeeMsat;
  refutation.saved = isBound
    ? (question.partLimit as f64) * (min<u32>(question.maxhops, MAX_HOPS) as f64)
    : 0.0;
  refutation.sent = clampedAdd(question.amountMsat, refutation.feeRoom);
}

/**
 * A lower bound of the fees of two or more parts, or Infinity if it is above `most`.
 *
 * Over one path, a part pays base fees plus its amount at the path's rates. The minimum of this over all paths is a
 * concave function f of the amount. So the sum over several parts is lowest if one part delivers the whole amount and
 * the others next to nothing: all parts together pay at least f(amount) + f(0).
 *
 * f ignores that rates also apply to the fees of later hops. The bound from rates alone, plus twice the base fees,
 * includes that. It is computed only if it may be above `enough` while the first bound is not.
 */
function leastOfSeveral(question: Question, work: Workspace, enough: f64, most: f64): f64 {
  const amount = question.amountMsat as f64;
  const whole = least(question, work, WHOLE_AMOUNT, most);
  if (whole === Infinity) return Infinity;
  const bases = least(question, work, BASES, most - whole);
  if (bases === Infinity) return Infinity;
  let cost = whole + bases;
  // A path that pays `whole` pays at most the square of that, divided by the amount, on fees of later hops.
  if (cost + (whole * whole) / amount > enough) {
    const rates = amount * least(question, work, RATES, (most - 2.0 * bases) / amount);
    cost = max<f64>(cost, rates + 2.0 * bases);
  }
  return whole - bases > MOST_SAVED || cost === Infinity
    ? cost
    : max<f64>(cost, leastBases(question, work, most));
}

/** Twice the minimum base fees of a path, or Infinity if that is above `most`. */
function leastBases(question: Question, work: Workspace, most: f64): f64 {
  return 2.0 * least(question, work, WHOLE_BASES, most * 0.5);
}

function least(question: Question, work: Workspace, priced: u32, limit: f64): f64 {
  const refutation = work.refutation;
  return leastPrice(question, work, priced, refutation.sent, refutation.isQuickOnly, limit);
}

function forgetPotentials(refutation: Refutation): void {
  for (let node: u32 = 0; node < refutation.tableNodes; node++) rowOf(refutation, node).potential = 0.0;
}

/** Minimum cost of crossing the direction, per msat delivered. */
function priceOf(question: Question, record: DirectionRecord): f64 {
  const rate = (record.feeProportionalMillionths as f64) * 1e-6;
  if (record.feeBaseMsat === 0) return rate;
  const most = min<i64>(question.amountMsat, min<i64>(record.htlcMaximumMsat, record.maxMsat));
  return rate + ((record.feeBaseMsat - 1) as f64) / (max<i64>(most, 1) as f64);
}

/**
 * Finds the cheapest path with capacity left, by Dijkstra's algorithm over reduced prices (price minus difference of
 * potentials), which are never negative. `arc` of each node's state is the next step (flow.ts). Returns false if no path
 * is left.
 */
function findCheapest(question: Question, work: Workspace): bool {
  const refutation = work.refutation;
  const heap = work.heap;
  const scratch = work.scratch;
  refutation.stamp = nextStamp(work.search);
  refutation.settledCount = 0;
  stateOf(scratch, question.destination).cost = 0.0;
  stateOf(scratch, question.destination).stamp = refutation.stamp;
  heapPush(work, 0.0, question.destination);
  while (heap.size > 0) {
    const node = heapPop(work);
    if (node === question.source) {
      heapClear(work);
      lowerPotentials(work, stateOf(scratch, question.source).cost);
      return true;
    }
    refutation.settled[refutation.settledCount++] = node;
    rowOf(refutation, node).settledBy = refutation.stamp;
    relaxAround(question, work, node);
  }
  heapClear(work);
  return false;
}

function relaxAround(question: Question, work: Workspace, node: u32): void {
  const graph = work.graph;
  const refutation = work.refutation;
  const state = stateOf(work.scratch, node);
  const cost = state.cost + rowOf(refutation, node).potential;
  if (node < graph.nodeCount) {
    const end = graph.inEnabledEnd[node];
    spend(work.effort, DIRECTION_STEPS * (end - graph.inStart[node]) + NODE_STEPS);
    for (let arc = graph.inStart[node]; arc < end; arc++) relaxForward(question, work, arc, node, cost);
  }
  let link = state.extraIn;
  while (link !== null) {
    relaxForward(question, work, link.arc, node, cost);
    link = link.next;
  }
  relaxBack(question, work, node, cost);
}

function relaxBack(question: Question, work: Workspace, node: u32, cost: f64): void {
  const graph = work.graph;
  if (node < graph.nodeCount) {
    const end = graph.outStart.after(node);
    spend(work.effort, end - graph.outStart[node]);
    for (let k = graph.outStart[node]; k < end; k++)
      relaxBackward(question, work, graph.outArcs[k], graph.outHeads[k], cost);
  }
  let back = stateOf(work.scratch, node).extraOut;
  while (back !== null) {
    relaxBackward(question, work, back.arc, headOfArc(work, back.arc), cost);
    back = back.next;
  }
}

function relaxForward(question: Question, work: Workspace, arc: u32, head: u32, cost: f64): void {
  const refutation = work.refutation;
  const record = recordOf(work, arc);
  if (rowOf(refutation, record.tail).settledBy === refutation.stamp) return;
  if (!carriesPart(question, refutation.sent, record, head) || residual(work, arc, false) <= 0) return;
  if (refutation.isQuickOnly && !isQuick(question, work, record, head)) return;
  reach(work, record.tail, arc, cost + priceOf(question, record));
}

function relaxBackward(question: Question, work: Workspace, arc: u32, head: u32, cost: f64): void {
  if (residual(work, arc, true) > 0)
    reach(work, head, arc | BACKWARDS, cost - priceOf(question, recordOf(work, arc)));
}

function reach(work: Workspace, node: u32, step: u32, cost: f64): void {
  const refutation = work.refutation;
  const row = rowOf(refutation, node);
  if (row.settledBy === refutation.stamp) return;
  const state = stateOf(work.scratch, node);
  // Rounding of doubles can leave a tiny negative value, which counts as 0.
  const reduced = max<f64>(cost - row.potential, 0.0);
  if (state.stamp === refutation.stamp && state.cost <= reduced) return;
  state.cost = reduced;
  state.stamp = refutation.stamp;
  state.arc = step;
  heapPush(work, reduced, node);
}

/**
 * Updates the potentials after a search whose source is at distance `whole`. Only settled nodes change: all others
 * would rise by the same amount, which is omitted everywhere.
 */
function lowerPotentials(work: Workspace, whole: f64): void {
  const refutation = work.refutation;
  for (let i: u32 = 0; i < refutation.settledCount; i++) {
    const node = refutation.settled[i];
    const row = rowOf(refutation, node);
    row.potential = row.potential + stateOf(work.scratch, node).cost - whole;
  }
}
