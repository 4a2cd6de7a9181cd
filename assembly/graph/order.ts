/**
 * The arcs of large nodes in order of cost, with lower bounds, so that a search can stop before it has read them all.
 *
 * For each node with more than FEW_ARCS usable arcs into it (or out of it), the arcs are listed in order of
 *
 *   c(x) = base fee + x · proportional fee + R(x) · x / (capacity + 1)      at x = 1,000 sat
 *
 * with R(x) = 2,000 msat + x / 1,000, the default price of risk (src/engine/question/objective.ts). Eight arcs in this
 * order are a block. For each block there are POINTS numbers: the minimum of c over all arcs from this block on, at x =
 * 1,000 · 10^k sat, where R is that of the point before. Between two points, R is at least that of the lower one, and
 * the minimum of linear functions is concave. So a line between the two minima is a lower bound at every amount in
 * between. Below the first point, c falls at most in proportion to the amount; above the last one it does not fall.
 * POINTS more numbers are the same minima of the fees alone (R = 0), for searches whose risk may be lower.
 *
 * These bounds are of the graph's own records at default prices; solve/path/blocks.ts adapts them to those of a search.
 *
 * Work: O(E · log E) when a region is built. Memory: two bytes for each arc, and a few for each block.
 */
import { amountAt, BLOCK_SHIFT, boundPlace, FIRST_POINT, isOrdered, POINTS, riskPriceUpTo } from './block';
import { Column } from './column';
import { DirectionRecord } from './direction';
import { baseRecord } from './graph';
import { Region } from './region';

/** More than the rounding errors of sums and of 32-bit floats. */
const ROUNDING: f64 = 1.0 - 1e-6;

/**
 * Orders the arcs of all large nodes. `keys` is scratch memory with room for eight bytes per arc.
 */
export function orderArcs(graph: Region, keys: usize): void {
  const sorted = changetype<Column<u64>>(keys);
  for (let node: u32 = 0; node < graph.nodeCount; node++) {
    const into = graph.inStart[node];
    if (isOrdered(graph.inEnabledEnd[node] - into))
      orderSide(graph, sorted, node, into, graph.inEnabledEnd[node], true);
    const from = graph.outStart[node];
    if (isOrdered(graph.outEnabledEnd[node] - from))
      orderSide(graph, sorted, node, from, graph.outEnabledEnd[node], false);
  }
}

function recordAt(graph: Region, place: u32, isInto: bool): DirectionRecord {
  return baseRecord(graph, isInto ? place : graph.outArcs[place]);
}

function costAt(record: DirectionRecord, amount: f64, risk: f64): f64 {
  return (
    (record.feeBaseMsat as f64) +
    amount * (record.feeProportionalMillionths as f64) * 1e-6 +
    risk * amount * record.inverseRange
  );
}

function orderSide(graph: Region, sorted: Column<u64>, node: u32, first: u32, last: u32, isInto: bool): void {
  const order = isInto ? graph.inOrder : graph.outOrder;
  const bounds = isInto ? graph.inBounds : graph.outBounds;
  const count = last - first;
  const risk = riskPriceUpTo(0);
  for (let i: u32 = 0; i < count; i++) {
    const cost = costAt(recordAt(graph, first + i, isInto), FIRST_POINT, risk) as f32;
    // Positive floats are ordered like their bits. Equal ones keep their order.
    sorted[i] = ((reinterpret<u32>(cost) as u64) << 16) | (i as u64);
  }
  sort(sorted, count);
  for (let point: u32 = 0; point < POINTS; point++) {
    const amount = amountAt(point);
    const price = riskPriceUpTo(point);
    let least: f64 = Infinity;
    let leastFee: f64 = Infinity;
    for (let i = count; i-- > 0; ) {
      const place = (sorted[i] & 0xffff) as u32;
      if (point === 0) order[first + i] = place as u16;
      const record = recordAt(graph, first + place, isInto);
      least = min<f64>(least, costAt(record, amount, price));
      leastFee = min<f64>(leastFee, costAt(record, amount, 0.0));
      if ((i & ((1 << BLOCK_SHIFT) - 1)) !== 0) continue;
      const at = boundPlace(first, node, i >> BLOCK_SHIFT) + point;
      bounds[at] = (least * ROUNDING) as f32;
      bounds[at + POINTS] = (leastFee * ROUNDING) as f32;
    }
  }
}

/** Heapsort, ascending. */
function sort(values: Column<u64>, count: u32): void {
  for (let i = count >> 1; i-- > 0; ) sink(values, i, count, values[i]);
  for (let end = count - 1; end > 0; end--) {
    const value = values[end];
    values[end] = values[0];
    sink(values, 0, end, value);
  }
}

/** Places a value at `from` or below in a binary max-heap. */
function sink(values: Column<u64>, from: u32, count: u32, value: u64): void {
  let place = from;
  for (;;) {
    let child: u32 = 2 * place + 1;
    if (child >= count) break;
    if (child + 1 < count && values[child + 1] > values[child]) child++;
    if (values[child] <= value) break;
    values[place] = values[child];
    place = child;
  }
  values[place] = value;
}
