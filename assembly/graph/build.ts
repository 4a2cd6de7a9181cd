/**
 * Makes the tables of a region (region.ts) from the columns that the host copied in: hash tables of ids, the records of
 * all directions sorted by the node that they lead to, and the lists of arcs that leave each node.
 *
 * Counting sort: count, add up, place. O(nodes + channels) time; no memory besides the region's. The order of arcs into
 * a node follows from the order of channels alone, so that one graph gives one region.
 */
import { Column } from './column';
import {
  DIRECTION_BYTES,
  DirectionRecord,
  FLAG_DEAD_END,
  FLAG_ENABLED,
  FLAG_KNOWN,
  recordIn,
  setBounds,
} from './direction';
import {
  arcCount,
  arcOfDirection,
  arcsOfDirections,
  attachRegion,
  baseRecord,
  channelCount,
  channelHash,
  channelHashMask,
  graphCapacity,
  graphEnd,
  graphNodeId,
  graphShortChannelId,
  inEnabledEnd,
  inStart,
  NONE,
  nodeCount,
  nodeHash,
  nodeHashMask,
  nodeIdHash,
  outArcs,
  outDirectionTable,
  outHeads,
  outStart,
  shortChannelIdHash,
} from './graph';
import { AMOUNT_LIMIT } from './numbers';
import { Region } from './region';

/** Builds the region's tables; it is then ready for `attachRegion` of any instance. */
export function regionBuild(region: Region): void {
  attachRegion(region);
  nodeHash.clear(nodeHashMask + 1);
  channelHash.clear(channelHashMask + 1);
  for (let node: u32 = 0; node < nodeCount; node++) {
    insert(nodeHash, nodeHashMask, nodeIdHash(graphNodeId(node)), node);
  }
  for (let channel: u32 = 0; channel < channelCount; channel++) {
    insert(channelHash, channelHashMask, shortChannelIdHash(graphShortChannelId(channel)), channel);
  }
  countDegrees();
  fillArcs(region);
  fillOut();
  markDeadEnds();
  copyOut();
}

function insert(table: Column<u32>, mask: u32, hash: u32, index: u32): void {
  let at = hash & mask;
  while (table[at] !== 0) at = (at + 1) & mask;
  table[at] = index + 1;
}

/** The node that a direction leaves. */
function tailOf(directionIndex: u32): u32 {
  return graphEnd(directionIndex >> 1, directionIndex & 1);
}

/** The node that a direction leads to. */
function headOf(directionIndex: u32): u32 {
  return graphEnd(directionIndex >> 1, (directionIndex & 1) ^ 1);
}

function isUsable(region: Region, directionIndex: u32): bool {
  const flags = region.policyFlags[directionIndex] as u32;
  return (flags & (FLAG_KNOWN | FLAG_ENABLED)) === (FLAG_KNOWN | FLAG_ENABLED);
}

/**
 * Counts the arcs into and out of each node, and adds up: `inStart` and `outStart`. `inEnabledEnd` starts equal to
 * `inStart`.
 */
function countDegrees(): void {
  inStart.clear(nodeCount + 1);
  outStart.clear(nodeCount + 1);
  for (let d: u32 = 0; d < arcCount; d++) {
    const tail = tailOf(d);
    const head = headOf(d);
    assert(tail < nodeCount && head < nodeCount, 'a channel end is no node');
    inStart[head] += 1;
    outStart[tail] += 1;
  }
  let incoming: u32 = 0;
  let outgoing: u32 = 0;
  for (let node: u32 = 0; node < nodeCount; node++) {
    const into = inStart[node];
    const from = outStart[node];
    assert(into === from, 'a channel has two directions');
    inStart[node] = incoming;
    inEnabledEnd[node] = incoming;
    outStart[node] = outgoing;
    incoming += into;
    outgoing += from;
  }
  inStart[nodeCount] = incoming;
  outStart[nodeCount] = outgoing;
  assert(incoming === arcCount && outgoing === arcCount, 'every direction enters one node and leaves one');
}

/** Two passes put usable arcs before disabled ones; `inStart` serves the second as a cursor and is restored. */
function fillArcs(region: Region): void {
  for (let d: u32 = 0; d < arcCount; d++) {
    if (!isUsable(region, d)) continue;
    const head = headOf(d);
    const arc = inEnabledEnd[head];
    inEnabledEnd[head] = arc + 1;
    writeArc(region, d, arc);
  }
  // Disabled arcs are placed backwards from the start of the next node.
  for (let d: u32 = arcCount; d-- > 0; ) {
    if (isUsable(region, d)) continue;
    const next = headOf(d) + 1;
    const arc = inStart[next] - 1;
    inStart[next] = arc;
    writeArc(region, d, arc);
  }
  // The loop above has lowered inStart[v + 1] to inEnabledEnd[v]; put the starts back.
  inStart[0] = 0;
  let start: u32 = 0;
  for (let node: u32 = 0; node < nodeCount; node++) {
    if (!ASC_NO_ASSERT)
      assert(inStart.after(node) === inEnabledEnd[node], 'disabled arcs fill the gap exactly');
    start += degreeOf(node);
    inStart[node + 1] = start;
  }
}

/** Arcs into a node, which are as many as those out of it: a channel has two directions. */
function degreeOf(node: u32): u32 {
  return outStart.after(node) - outStart[node];
}

/** Writes the record of a direction at its arc. */
function writeArc(region: Region, directionIndex: u32, arc: u32): void {
  const record: DirectionRecord = baseRecord(arc);
  const flags = region.policyFlags[directionIndex] as u32;
  record.tail = tailOf(directionIndex);
  record.feeBaseMsat = region.feeBaseMsat[directionIndex];
  record.feeProportionalMillionths = region.feeProportionalMillionths[directionIndex];
  record.cltvExpiryDelta = region.cltvExpiryDelta[directionIndex];
  record.flags = (flags & (FLAG_KNOWN | FLAG_ENABLED)) as u16;
  record.htlcMinimumMsat = min<u64>(region.htlcMinimumMsat[directionIndex], AMOUNT_LIMIT as u64) as i64;
  record.htlcMaximumMsat = min<u64>(region.htlcMaximumMsat[directionIndex], AMOUNT_LIMIT as u64) as i64;
  setBounds(record, 0, graphCapacity(directionIndex >> 1));
  record.directionIndex = directionIndex;
  record.factor = 1.0;
  arcsOfDirections[directionIndex] = arc;
}

/** Lists the arcs out of each node; `outStart` serves as a cursor and is restored. */
function fillOut(): void {
  for (let d: u32 = 0; d < arcCount; d++) {
    const tail = tailOf(d);
    const place = outStart[tail];
    outArcs[place] = arcOfDirection(d);
    outHeads[place] = headOf(d);
    outStart[tail] = place + 1;
  }
  // Each start was moved to its end: shift back by one node.
  for (let node: u32 = nodeCount; node > 0; node--) outStart[node] = outStart[node - 1];
  outStart[0] = 0;
}

/** Copies the records of the arcs out of each node, node after node. */
function copyOut(): void {
  for (let k: u32 = 0; k < arcCount; k++) {
    const copy = changetype<usize>(recordIn(outDirectionTable, k));
    memory.copy(copy, changetype<usize>(baseRecord(outArcs[k])), DIRECTION_BYTES);
  }
}

/** Marks the arcs out of nodes with a single neighbour: a route never leads through such a node. */
function markDeadEnds(): void {
  for (let node: u32 = 0; node < nodeCount; node++) {
    const first = outStart[node];
    const end = outStart.after(node);
    let neighbour: u32 = NONE;
    let isSingle = true;
    for (let k = first; k < end && isSingle; k++) {
      const other = outHeads[k];
      isSingle = neighbour === NONE || neighbour === other;
      neighbour = other;
    }
    if (!isSingle) continue;
    for (let k = first; k < end; k++) baseRecord(outArcs[k]).flags |= FLAG_DEAD_END as u16;
  }
}
