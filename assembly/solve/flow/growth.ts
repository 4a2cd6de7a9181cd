/**
 * How fees make amounts grow towards the source, so that a flow can be measured by what arrives.
 *
 * For a part that delivers y msat, let x be the msat that it sends across a direction into node v. Each hop after v
 * charges base + ppm · amount / 10⁶, rounded down. So
 *
 *   x ≥ (y − h) · g(v) + b(v)
 *
 *   g(v) = least product of (1 + ppm / 10⁶) over the ways from v to the destination
 *   b(v) = least sum of base fees over them, each less 1 msat where there is a rate, but not below 0
 *   h    = what rounding saves at most: SAVED_AT_HOP, just below 1 msat, at each hop with a rate and no base fee
 *
 * Only rates of at least r ppm count, as if smaller ones were 0. At most as many hops count as follow v, and at most
 * (g − 1) · 10⁶ / r, rounded up. If a path has more such hops, that many of them alone make the amount grow by the factor
 * g, except for what rounding saves at them. With a larger r, g is smaller, and so is h. Many small parts save most by
 * rounding, so a larger r can give the better bound.
 *
 * k parts that cross a direction of capacity M therefore deliver at most (M − k · b) / g + k · h together. The maximum
 * is at k = 1 or, if b / g < h, at the allowed number of parts. With these capacities a maximum flow bounds what any
 * such parts deliver.
 *
 * Dijkstra's algorithm computes g and b from the destination back. It ends at the source: nodes farther away have at
 * least the source's value, which is used instead.
 *
 * Work: two searches at most.
 */
import { Column, newColumn } from '../../graph/column';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { nodeRoom, recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { heapClear, heapPop, heapPush } from '../path/heap';
import { nextStamp } from '../path/search';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { MAX_HOPS } from '../question/sizes';

/** Maximum number of hops after the first. */
const HOPS_BEHIND: f64 = (MAX_HOPS - 1) as f64;
/** Value of a node that a search has not reached yet. */
const UNKNOWN: f64 = -1.0;
/** Relative error of a product of doubles, with a safety margin. */
const TOLERANCE: f64 = 1e-13;
/**
 * Maximum saving at a hop with a rate, in msat delivered: before it is rounded down, a fee is a multiple of 10⁻⁶ msat, so
 * rounding saves at most 0.999999 msat there, and amounts grow by at least 1 ppm.
 */
const SAVED_AT_HOP: f64 = 0.999999 / 1.000001;

/** g and b by node. */
@unmanaged
export class Growth {
  rates: Column<f64>;
  bases: Column<f64>;
  room: u32;
  /** r: the smallest rate that counts, ppm. */
  leastRate: u32;
}

/** Computes g and b of all nodes. Only rates of at least `leastRate` ppm count; it must not be 0. */
export function measureGrowth(work: Workspace, source: u32, destination: u32, leastRate: u32): void {
  const growth = work.growth;
  growth.leastRate = leastRate;
  const nodes = nodeRoom(work.scratch);
  if (nodes > growth.room) {
    growth.rates = newColumn<f64>(nodes);
    growth.bases = newColumn<f64>(nodes);
    growth.room = nodes;
  }
  measure(work, growth.rates, source, destination, false);
  measure(work, growth.bases, source, destination, true);
}

/** Computes g or, with `isBase`, b, and writes it to `values` by node. */
function measure(work: Workspace, values: Column<f64>, source: u32, destination: u32, isBase: bool): void {
  const scratch = work.scratch;
  const nodes = nodeRoom(scratch);
  const stamp = nextStamp(work.search);
  for (let node: u32 = 0; node < nodes; node++) values[node] = UNKNOWN;
  let value: f64 = isBase ? 0.0 : 1.0;
  stateOf(scratch, destination).cost = value;
  stateOf(scratch, destination).stamp = stamp;
  heapPush(work, value, destination);
  while (work.heap.size > 0) {
    const node = heapPop(work);
    value = stateOf(scratch, node).cost;
    if (node === source) break;
    values[node] = value;
    growAround(work, node, value, stamp, isBase);
  }
  heapClear(work);
  for (let node: u32 = 0; node < nodes; node++) if (values[node] === UNKNOWN) values[node] = value;
}

function growAround(work: Workspace, node: u32, value: f64, stamp: u32, isBase: bool): void {
  const graph = work.graph;
  if (node < graph.nodeCount) {
    const begin = graph.inStart[node];
    const end = graph.inEnabledEnd[node];
    spend(work.effort, DIRECTION_STEPS * (end - begin) + NODE_STEPS);
    for (let arc = begin; arc < end; arc++) grow(work, arc, value, stamp, isBase);
  }
  let link = stateOf(work.scratch, node).extraIn;
  while (link !== null) {
    grow(work, link.arc, value, stamp, isBase);
    link = link.next;
  }
}

function grow(work: Workspace, arc: u32, behind: f64, stamp: u32, isBase: bool): void {
  const record = recordOf(work, arc);
  if (!isEnabled(record) || record.htlcMaximumMsat === 0 || record.maxMsat <= 0) return;
  const value = isBase ? behind + baseOf(record) : behind * (1.0 + rateOf(record, work.growth.leastRate));
  const state = stateOf(work.scratch, record.tail);
  if (state.stamp === stamp && state.cost <= value) return;
  state.cost = value;
  state.stamp = stamp;
  heapPush(work, value, record.tail);
}

function rateOf(record: DirectionRecord, least: u32): f64 {
  const rate = record.feeProportionalMillionths;
  return rate < least ? 0.0 : (rate as f64) * 1e-6;
}

/** The base fee minus what rounding of the rate can save. */
function baseOf(record: DirectionRecord): f64 {
  const base = record.feeBaseMsat as f64;
  return record.feeProportionalMillionths === 0 ? base : max<f64>(base - 1.0, 0.0);
}

/** Maximum msat that can arrive when at most `parts` parts send `capacity` msat into `head`. */
export function mostDelivered(growth: Growth, head: u32, capacity: i64, parts: i64): i64 {
  const rate = growth.rates[head] * (1.0 - TOLERANCE);
  const base = growth.bases[head] / rate;
  const hops = ((growth.rates[head] - 1.0) * 1e6 - TOLERANCE * 1e6) / (growth.leastRate as f64);
  const saved = SAVED_AT_HOP * min<f64>(HOPS_BEHIND, ceil(hops));
  const further = max<f64>(saved - base, 0.0) * ((parts - 1) as f64);
  const delivered = (capacity as f64) / rate - base + saved + further;
  return max<i64>(min<i64>(capacity, delivered as i64), 0);
}
