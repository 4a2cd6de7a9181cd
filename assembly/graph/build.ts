/**
 * Builds the tables of a region (region.ts) from the columns that the host copied in: hash tables of ids, the records
 * of all directions sorted by their end node, and the lists of arcs from each node.
 *
 * The arcs are placed by a counting sort: count, add up, place. O(nodes + channels) time; no memory besides the
 * region's. The order of arcs into a node depends only on the columns, so that equal graphs give equal regions.
 */
import { Column } from './column';
import {
  CLASS_SHIFT,
  DIRECTION_BYTES,
  DirectionRecord,
  FLAG_DEAD_END,
  FLAG_ENABLED,
  FLAG_KNOWN,
  recordIn,
  setBounds,
} from './direction';
import {
  arcOfDirection,
  baseRecord,
  graphCapacity,
  graphEnd,
  graphNodeId,
  graphShortChannelId,
  NONE,
  nodeIdHash,
  shortChannelIdHash,
} from './graph';
import { AMOUNT_LIMIT } from './numbers';
import { orderArcs } from './order';
import { Region } from './region';

/** Builds the region's tables. Afterwards any instance can `attach` the region. */
export function regionBuild(graph: Region): void {
  graph.nodeHash.clear(graph.nodeHashMask + 1);
  graph.channelHash.clear(graph.channelHashMask + 1);
  for (let node: u32 = 0; node < graph.nodeCount; node++) {
    insert(graph.nodeHash, graph.nodeHashMask, nodeIdHash(graphNodeId(graph, node)), node);
  }
  for (let channel: u32 = 0; channel < graph.channelCount; channel++) {
    insert(
      graph.channelHash,
      graph.channelHashMask,
      shortChannelIdHash(graphShortChannelId(graph, channel)),
      channel,
    );
  }
  countDegrees(graph);
  fillArcs(graph);
  fillOut(graph);
  markDeadEnds(graph);
  // The policy columns are no longer needed, and the table that overwrites them is not built yet.
  orderArcs(graph, graph.outDirections);
  copyOut(graph);
}

function insert(table: Column<u32>, mask: u32, hash: u32, index: u32): void {
  let at = hash & mask;
  while (table[at] !== 0) at = (at + 1) & mask;
  table[at] = index + 1;
}

function tailOf(graph: Region, directionIndex: u32): u32 {
  return graphEnd(graph, directionIndex >> 1, directionIndex & 1);
}

function headOf(graph: Region, directionIndex: u32): u32 {
  return graphEnd(graph, directionIndex >> 1, (directionIndex & 1) ^ 1);
}

function isUsable(graph: Region, directionIndex: u32): bool {
  const flags = graph.policyFlags[directionIndex] as u32;
  return (flags & (FLAG_KNOWN | FLAG_ENABLED)) === (FLAG_KNOWN | FLAG_ENABLED);
}

/**
 * Counts the arcs into and out of each node, and computes `inStart` and `outStart` as prefix sums of the counts.
 * `inEnabledEnd` and `outEnabledEnd` start equal to them.
 */
function countDegrees(graph: Region): void {
  graph.inStart.clear(graph.nodeCount + 1);
  graph.outStart.clear(graph.nodeCount + 1);
  for (let d: u32 = 0; d < graph.arcCount; d++) {
    const tail = tailOf(graph, d);
    const head = headOf(graph, d);
    assert(tail < graph.nodeCount && head < graph.nodeCount, 'a channel end is not a node');
    graph.inStart[head] += 1;
    graph.outStart[tail] += 1;
  }
  let incoming: u32 = 0;
  let outgoing: u32 = 0;
  for (let node: u32 = 0; node < graph.nodeCount; node++) {
    const into = graph.inStart[node];
    const from = graph.outStart[node];
    assert(into === from, 'a channel has two directions');
    graph.inStart[node] = incoming;
    graph.inEnabledEnd[node] = incoming;
    graph.outStart[node] = outgoing;
    graph.outEnabledEnd[node] = outgoing;
    incoming += into;
    outgoing += from;
  }
  graph.inStart[graph.nodeCount] = incoming;
  graph.outStart[graph.nodeCount] = outgoing;
  assert(
    incoming === graph.arcCount && outgoing === graph.arcCount,
    'every direction enters one node and leaves one',
  );
}

/** Places the usable arcs first, then the disabled ones. The second pass uses `inStart` as a cursor and restores it. */
function fillArcs(graph: Region): void {
  for (let d: u32 = 0; d < graph.arcCount; d++) {
    if (!isUsable(graph, d)) continue;
    const head = headOf(graph, d);
    const arc = graph.inEnabledEnd[head];
    graph.inEnabledEnd[head] = arc + 1;
    writeArc(graph, d, arc);
  }
  // Disabled arcs fill the range of their end node from its back.
  for (let d: u32 = graph.arcCount; d-- > 0; ) {
    if (isUsable(graph, d)) continue;
    const next = headOf(graph, d) + 1;
    const arc = graph.inStart[next] - 1;
    graph.inStart[next] = arc;
    writeArc(graph, d, arc);
  }
  // The loop above has lowered inStart[v + 1] to inEnabledEnd[v]; restore the starts.
  graph.inStart[0] = 0;
  let start: u32 = 0;
  for (let node: u32 = 0; node < graph.nodeCount; node++) {
    if (!ASC_NO_ASSERT)
      assert(graph.inStart.after(node) === graph.inEnabledEnd[node], 'disabled arcs fill the gap exactly');
    start += degreeOf(graph, node);
    graph.inStart[node + 1] = start;
  }
}

/** Number of arcs into a node. It equals the number of arcs out of it, because a channel has two directions. */
function degreeOf(graph: Region, node: u32): u32 {
  return graph.outStart.after(node) - graph.outStart[node];
}

function writeArc(graph: Region, directionIndex: u32, arc: u32): void {
  const record: DirectionRecord = baseRecord(graph, arc);
  const flags = graph.policyFlags[directionIndex] as u32;
  record.tail = tailOf(graph, directionIndex);
  record.feeBaseMsat = graph.feeBaseMsat[directionIndex];
  record.feeProportionalMillionths = graph.feeProportionalMillionths[directionIndex];
  record.cltvExpiryDelta = graph.cltvExpiryDelta[directionIndex];
  const ofClass = classBeside(graph, directionIndex);
  record.flags = ((flags & (FLAG_KNOWN | FLAG_ENABLED)) | (ofClass << CLASS_SHIFT)) as u16;
  record.htlcMinimumMsat = min<u64>(graph.htlcMinimumMsat[directionIndex], AMOUNT_LIMIT as u64) as i64;
  record.htlcMaximumMsat = min<u64>(graph.htlcMaximumMsat[directionIndex], AMOUNT_LIMIT as u64) as i64;
  setBounds(record, 0, graphCapacity(graph, directionIndex >> 1));
  record.directionIndex = directionIndex;
  record.factor = 1.0;
  graph.arcOfDirection[directionIndex] = arc;
}

/**
 * The class of a direction for learned odds: how its proportional fee compares with that of the opposite direction. 0
 * if either direction is unknown or disabled. Same rule as in src/layers/direction-class.ts.
 */
function classBeside(graph: Region, directionIndex: u32): u32 {
  const back = directionIndex ^ 1;
  if (!isUsable(graph, directionIndex) || !isUsable(graph, back)) return 0;
  const fee = graph.feeProportionalMillionths[directionIndex] as u64;
  const other = graph.feeProportionalMillionths[back] as u64;
  if (fee > 2 * other + 50) return 2;
  return other > 2 * fee + 50 ? 3 : 1;
}

/** Lists the arcs from each node, the usable ones first. Uses `outStart` as a cursor and restores it. */
function fillOut(graph: Region): void {
  for (let d: u32 = 0; d < graph.arcCount; d++) {
    if (!isUsable(graph, d)) continue;
    const tail = tailOf(graph, d);
    const place = graph.outEnabledEnd[tail];
    graph.outEnabledEnd[tail] = place + 1;
    listOut(graph, d, place);
  }
  // Disabled arcs fill the range of their start node from its back.
  for (let d: u32 = graph.arcCount; d-- > 0; ) {
    if (isUsable(graph, d)) continue;
    const next = tailOf(graph, d) + 1;
    const place = graph.outStart[next] - 1;
    graph.outStart[next] = place;
    listOut(graph, d, place);
  }
  // A node has as many arcs out of it as into it.
  for (let node: u32 = 0; node <= graph.nodeCount; node++) graph.outStart[node] = graph.inStart[node];
}

function listOut(graph: Region, directionIndex: u32, place: u32): void {
  graph.outArcs[place] = arcOfDirection(graph, directionIndex);
  graph.outHeads[place] = headOf(graph, directionIndex);
}

/** Copies the records of the arcs from each node, node after node. */
function copyOut(graph: Region): void {
  for (let k: u32 = 0; k < graph.arcCount; k++) {
    const copy = changetype<usize>(recordIn(graph.outDirections, k));
    memory.copy(copy, changetype<usize>(baseRecord(graph, graph.outArcs[k])), DIRECTION_BYTES);
  }
}

/** Marks the arcs from nodes with a single neighbour: a route never passes through such a node. */
function markDeadEnds(graph: Region): void {
  for (let node: u32 = 0; node < graph.nodeCount; node++) {
    const first = graph.outStart[node];
    const end = graph.outStart.after(node);
    let neighbour: u32 = NONE;
    let isSingle = true;
    for (let k = first; k < end && isSingle; k++) {
      const other = graph.outHeads[k];
      isSingle = neighbour === NONE || neighbour === other;
      neighbour = other;
    }
    if (!isSingle) continue;
    for (let k = first; k < end; k++) baseRecord(graph, graph.outArcs[k]).flags |= FLAG_DEAD_END as u16;
  }
}
