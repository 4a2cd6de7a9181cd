/**
 * Can the network pass the amount at all? Maximum flow, fees left aside (they only make it harder).
 *
 * Augmenting paths by breadth-first search from the destination, with capacity scaling: only residual
 * capacities of at least Δ count, Δ falls from the amount to 1 msat by SCALE (Ahuja, Orlin 1995), so there
 * are O(E log U) augmentations and on real graphs a few dozen. If the flow stops below the amount, the nodes that
 * still reach the destination bound a minimum cut: its directions are the certificate that no set of routes
 * exists. Otherwise the flow, cut into paths, is where parts can start from.
 *
 * A direction's capacity is its known maximum; one whose HTLC limits admit nothing has none.
 */
import { allocatePages } from '../graph/arena';
import { hasEffort, spend } from './effort';
import { arcList, listPut } from './explore';
import {
  A_FLAGS,
  A_HTLC_MAX,
  A_HTLC_MIN,
  A_MAX,
  A_TAIL,
  FLAG_ENABLED,
  inEnabledEnd,
  inStart,
  nodeCount,
  outArcs,
  outStart,
} from '../graph/graph';
import { headOfArc } from '../overlay/created';
import { arcRoom, heapNodes, recordOf, S_ARC, S_EXTRA_IN, S_EXTRA_OUT, S_STAMP, stateOf } from '../overlay/scratch';
import { nextStamp, pollCancel } from './search';

/** Flow per arc (i64); arcs that carry some are listed once. */
let flows: usize = 0;
let flowCapacity: u32 = 0;
let touched: usize = 0;
let touchedCount: u32 = 0;
let stamp: u32 = 0;
const SCALE: i64 = 16;
/** Marks an arc that is walked against its direction, in S_ARC. */
const BACKWARDS: u32 = 0x80000000;

function prepare(): void {
  const arcs = arcRoom();
  if (arcs > flowCapacity) {
    flowCapacity = arcs;
    flows = allocatePages((arcs as u64) * 8);
    touched = allocatePages((arcs as u64) * 4);
    if (flows == 0 || touched == 0) unreachable();
    touchedCount = 0;
    return;
  }
  for (let i: u32 = 0; i < touchedCount; i++) {
    store<i64>(flows + ((load<u32>(touched + ((i as usize) << 2)) as usize) << 3), 0);
  }
  touchedCount = 0;
}

// @ts-ignore: decorator
@inline
function flowOf(arc: u32): i64 {
  return load<i64>(flows + ((arc as usize) << 3));
}

function capacity(record: usize): i64 {
  if (((load<u16>(record + A_FLAGS) as u32) & FLAG_ENABLED) == 0) return 0;
  const highest = load<i64>(record + A_HTLC_MAX);
  return highest == 0 || highest < load<i64>(record + A_HTLC_MIN) ? 0 : load<i64>(record + A_MAX);
}

/** The largest flow from source to destination, at most `wanted`. */
export function maxFlow(source: u32, destination: u32, wanted: i64): i64 {
  prepare();
  if (!reach(source, destination, 1)) return 0;
  let total: i64 = 0;
  let least = max<i64>(wanted / SCALE, 1);
  while (total < wanted && hasEffort() && !pollCancel()) {
    if (reach(source, destination, least)) total += augment(source, destination, wanted - total);
    else if (least == 1) break;
    else least = max<i64>(least / SCALE, 1);
  }
  return total;
}

/** Breadth-first from the destination over residual capacities of at least `least`. */
function reach(source: u32, destination: u32, least: i64): bool {
  stamp = nextStamp();
  let first: u32 = 0;
  let last: u32 = 0;
  store<u32>(stateOf(destination) + S_STAMP, stamp);
  store<u32>(heapNodes, destination);
  last = 1;
  while (first < last) {
    const node = load<u32>(heapNodes + ((first++ as usize) << 2));
    if (node == source) return true;
    const state = stateOf(node);
    if (node < nodeCount) {
      const at = (node as usize) << 2;
      const end = load<u32>(inEnabledEnd + at);
      for (let arc = load<u32>(inStart + at); arc < end; arc++) last = visitForward(arc, least, last);
      const outEnd = load<u32>(outStart + at + 4);
      spend(end - load<u32>(inStart + at) + outEnd - load<u32>(outStart + at));
      for (let k = load<u32>(outStart + at); k < outEnd; k++) {
        last = visitBackward(load<u32>(outArcs + ((k as usize) << 2)), least, last);
      }
    }
    for (let link = load<u32>(state + S_EXTRA_IN) as usize; link != 0; link = load<u32>(link + 4)) {
      last = visitForward(load<u32>(link), least, last);
    }
    for (let link = load<u32>(state + S_EXTRA_OUT) as usize; link != 0; link = load<u32>(link + 4)) {
      last = visitBackward(load<u32>(link), least, last);
    }
  }
  return false;
}

function visitForward(arc: u32, least: i64, last: u32): u32 {
  const record = recordOf(arc);
  if (capacity(record) - flowOf(arc) < least) return last;
  return enqueue(load<u32>(record + A_TAIL), arc, last);
}

function visitBackward(arc: u32, least: i64, last: u32): u32 {
  return flowOf(arc) < least ? last : enqueue(headOfArc(arc), arc | BACKWARDS, last);
}

function enqueue(node: u32, step: u32, last: u32): u32 {
  const state = stateOf(node);
  if (load<u32>(state + S_STAMP) == stamp) return last;
  store<u32>(state + S_STAMP, stamp);
  store<u32>(state + S_ARC, step);
  store<u32>(heapNodes + ((last as usize) << 2), node);
  return last + 1;
}

/** Pushes the bottleneck of the path found, at most `wanted`; returns it. */
function augment(source: u32, destination: u32, wanted: i64): i64 {
  let bottleneck = wanted;
  for (let node = source; node != destination; node = nextOf(node)) {
    const step = load<u32>(stateOf(node) + S_ARC);
    const arc = step & ~BACKWARDS;
    bottleneck = min<i64>(bottleneck, step & BACKWARDS ? flowOf(arc) : capacity(recordOf(arc)) - flowOf(arc));
  }
  for (let node = source; node != destination; node = nextOf(node)) {
    const step = load<u32>(stateOf(node) + S_ARC);
    push(step & ~BACKWARDS, step & BACKWARDS ? -bottleneck : bottleneck);
  }
  return bottleneck;
}

function nextOf(node: u32): u32 {
  const step = load<u32>(stateOf(node) + S_ARC);
  return step & BACKWARDS ? load<u32>(recordOf(step & ~BACKWARDS) + A_TAIL) : headOfArc(step);
}

function push(arc: u32, amount: i64): void {
  const at = flows + ((arc as usize) << 3);
  const before = load<i64>(at);
  assert(before + amount >= 0, 'a flow became negative');
  if (before == 0) store<u32>(touched + ((touchedCount++ as usize) << 2), arc);
  store<i64>(at, before + amount);
  if (before + amount == 0) forget(arc);
}

function forget(arc: u32): void {
  for (let i: u32 = 0; i < touchedCount; i++) {
    if (load<u32>(touched + ((i as usize) << 2)) != arc) continue;
    touchedCount--;
    store<u32>(touched + ((i as usize) << 2), load<u32>(touched + ((touchedCount as usize) << 2)));
    return;
  }
}

/**
 * After a flow that fell short: lists (explore.ts) the directions of the minimum cut, that lead from nodes
 * which cannot reach the destination any more to nodes which can. At most `limit`. Returns their number.
 */
export function listCut(limit: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < touchedCount && count < limit; i++) {
    const arc = load<u32>(touched + ((i as usize) << 2));
    const tail = load<u32>(recordOf(arc) + A_TAIL);
    const inside = load<u32>(stateOf(headOfArc(arc)) + S_STAMP) == stamp;
    if (inside && load<u32>(stateOf(tail) + S_STAMP) != stamp) listPut(count++, arc);
  }
  return count;
}

/**
 * Takes one path out of the flow: fewest hops first, its arcs listed (explore.ts) from the source on.
 * Returns its hops, 0 when nothing is left; `pathFlow` is what it carried.
 */
export function takePath(source: u32, destination: u32, maxHops: u32): u32 {
  stamp = nextStamp();
  let first: u32 = 0;
  let last: u32 = 1;
  store<u32>(stateOf(destination) + S_STAMP, stamp);
  store<u32>(heapNodes, destination);
  while (first < last) {
    const node = load<u32>(heapNodes + ((first++ as usize) << 2));
    if (node == source) return unroll(source, destination, maxHops);
    spend(touchedCount);
    for (let i: u32 = 0; i < touchedCount; i++) {
      const arc = load<u32>(touched + ((i as usize) << 2));
      if (headOfArc(arc) == node) last = enqueue(load<u32>(recordOf(arc) + A_TAIL), arc, last);
    }
  }
  return 0;
}

let carried: i64 = 0;

export function pathFlow(): i64 {
  return carried;
}

function unroll(source: u32, destination: u32, maxHops: u32): u32 {
  carried = i64.MAX_VALUE;
  let hops: u32 = 0;
  for (let node = source; node != destination; node = nextOf(node)) {
    const arc = load<u32>(stateOf(node) + S_ARC);
    carried = min<i64>(carried, flowOf(arc));
    listPut(hops++, arc);
  }
  const list = arcList();
  for (let hop: u32 = 0; hop < hops; hop++) push(load<u32>(list + ((hop as usize) << 2)), -carried);
  return hops <= maxHops ? hops : NO_PATH_FITS;
}

/** What `takePath` returns for a path of too many hops, which is dropped. */
export const NO_PATH_FITS: u32 = 0xffffffff;
