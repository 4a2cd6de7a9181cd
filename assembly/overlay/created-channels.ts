/**
 * Channels that exist only in layers.
 *
 * Their numbers follow those of the graph's channels. Their arcs have the number 2 · channel + direction, which is also
 * the direction index. Freed numbers are reused. Both directions have override records in separate blocks. A table
 * finds channels by number; a hash table of the same size finds them by short channel id.
 *
 * Invariants: a created channel holds references to the entries of its ends (entries.ts), its arcs are in the outgoing
 * lists of their tails, and its short channel id is not in the graph. Creating or removing one takes constant time on
 * average.
 */
import { allocateBlock, freeBlock } from '../graph/arena';
import { Column, extended, newColumn } from '../graph/column';
import { DirectionRecord, FLAG_LINKED } from '../graph/direction';
import { findChannel, graphCapacity, graphEnd, graphShortChannelId, NONE } from '../graph/graph';
import { AMOUNT_LIMIT, mix64 } from '../graph/numbers';
import { Workspace } from '../workspace';
import { refreshBurden } from './burdens';
import { CreatedBlock } from './cells';
import { extraNodeCount, forgetCreatedNodes, resolve } from './created-nodes';
import { NodeEntry, releaseEntry, retainEntry } from './entries';
import { Link } from './link';
import { forgetLinks, freeLinks, linkOut, unlinkIn, unlinkOut } from './links';
import { ensureArcs, recordOf } from './scratch';
import { isVacant, markVacant, vacantAfter } from './vacancies';

/** A channel created by an applied layer. Two `CreatedEnd`s follow it in memory. */
@unmanaged
class CreatedChannel {
  shortChannelId: u64;
  /** Next channel in the same hash bucket. */
  hashNext: CreatedChannel | null;
  /** The channel's number minus the number of graph channels. */
  index: u32;
  capacityMsat: i64;

  /** End 0 (the one with the smaller id) or end 1. Direction d leaves end d. */
  @inline
  end(side: u32): CreatedEnd {
    return changetype<CreatedEnd>(
      changetype<usize>(this) + offsetof<CreatedChannel>() + (side as usize) * offsetof<CreatedEnd>(),
    );
  }
}

@unmanaged
class CreatedEnd {
  node: u32;
  entry: NodeEntry;
  /** Link of the direction that leaves this end. */
  outLink: Link;
}

const FIRST_PLACES: u32 = 1024;

/** Channels that exist only in layers. */
@unmanaged
export class CreatedChannels {
  /** Channels and vacancies (vacancies.ts), by index. */
  table: Column<usize>;
  /** Hash table of the same size as `table`, a power of two. */
  buckets: Column<CreatedChannel | null>;
  tablePlaces: u32;
  placesTaken: u32;
  firstVacant: u32;
  count: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.firstVacant = NONE;
  }
}

/** Initialises empty tables. Called once per instance. */
export function createdInit(created: CreatedChannels): void {
  assert(offsetof<CreatedChannel>() + 2 * offsetof<CreatedEnd>() <= 64, 'a created channel fits a block');
  growTable(created);
}

/** Frees all created channels and the numbers of created nodes, before a different graph is attached. */
export function forgetCreated(work: Workspace): void {
  const graph = work.graph;
  const created = work.created;
  const createdNodes = work.createdNodes;
  for (let arc = graph.arcCount; arc < graph.arcCount + 2 * created.placesTaken; arc++)
    freeBlock<DirectionRecord>(work.arena, work.scratch.overrides[arc]);
  for (let node: u32 = 0; node < graph.nodeCount + extraNodeCount(createdNodes); node++)
    freeLinks(work, node);
  for (let place: u32 = 0; place < created.placesTaken; place++) {
    if (!isVacant(created.table, place)) freeChannel(work, changetype<CreatedChannel>(created.table[place]));
  }
  created.buckets.clear(created.tablePlaces);
  forgetLinks(work.links);
  created.placesTaken = 0;
  created.count = 0;
  created.firstVacant = NONE;
  forgetCreatedNodes(createdNodes);
}

/**
 * Creates or updates the channel as specified in `created`, the block of the first layer that creates it. Removes the
 * channel if `created` is null. Returns the channel's number, or NONE.
 */
export function settleCreated(work: Workspace, shortChannelId: u64, created: CreatedBlock | null): u32 {
  const graph = work.graph;
  let channel = findCreated(work.created, shortChannelId);
  if (created === null) {
    if (channel !== null) dropChannel(work, channel);
    return NONE;
  }
  if (!ASC_NO_ASSERT)
    assert(findChannel(graph, shortChannelId) === NONE, 'a channel of the graph is created');
  const node1 = resolve(work, created.node1, true);
  const node2 = resolve(work, created.node2, true);
  refreshBurden(work, node1);
  refreshBurden(work, node2);
  if (channel !== null && (channel.end(0).node !== node1 || channel.end(1).node !== node2)) {
    dropChannel(work, channel);
    channel = null;
  }
  if (channel === null) channel = addChannel(work, shortChannelId, node1, node2, created);
  channel.capacityMsat = min<i64>(created.capacityMsat, AMOUNT_LIMIT);
  return graph.channelCount + channel.index;
}

function placeOf(created: CreatedChannels, shortChannelId: u64): u32 {
  return (mix64(shortChannelId) as u32) & (created.tablePlaces - 1);
}

function findCreated(created: CreatedChannels, shortChannelId: u64): CreatedChannel | null {
  let channel = created.buckets[placeOf(created, shortChannelId)];
  while (channel !== null && channel.shortChannelId !== shortChannelId) channel = channel.hashNext;
  return channel;
}

function chain(created: CreatedChannels, channel: CreatedChannel): void {
  const place = placeOf(created, channel.shortChannelId);
  channel.hashNext = created.buckets[place];
  created.buckets[place] = channel;
}

function unchain(created: CreatedChannels, channel: CreatedChannel): void {
  const place = placeOf(created, channel.shortChannelId);
  let before: CreatedChannel | null = null;
  let at = created.buckets[place];
  while (at !== null && at !== channel) {
    before = at;
    at = at.hashNext;
  }
  assert(at === channel, 'a created channel is in the table');
  if (before === null) created.buckets[place] = channel.hashNext;
  else before.hashNext = channel.hashNext;
}

function takePlace(work: Workspace): u32 {
  const created = work.created;
  const vacant = created.firstVacant;
  if (vacant !== NONE) {
    created.firstVacant = vacantAfter(created.table, vacant);
    return vacant;
  }
  const place = created.placesTaken++;
  if (place >= created.tablePlaces) growTable(created);
  ensureArcs(work.scratch, work.graph.arcCount + 2 * created.placesTaken);
  return place;
}

function addChannel(
  work: Workspace,
  shortChannelId: u64,
  node1: u32,
  node2: u32,
  created: CreatedBlock,
): CreatedChannel {
  const arena = work.arena;
  const place = takePlace(work);
  work.created.count++;
  const channel = allocateBlock<CreatedChannel>(arena);
  work.created.table[place] = changetype<usize>(channel);
  channel.shortChannelId = shortChannelId;
  channel.index = place;
  chain(work.created, channel);
  for (let side: u32 = 0; side < 2; side++) {
    const arc = 2 * (work.graph.channelCount + place) + side;
    const end = channel.end(side);
    end.node = side === 0 ? node1 : node2;
    end.entry = created.end(side);
    retainEntry(end.entry);
    work.scratch.overrides[arc] = allocateBlock<DirectionRecord>(arena);
    end.outLink = linkOut(work, arc, end.node);
  }
  return channel;
}

function growTable(created: CreatedChannels): void {
  const places = max<u32>(created.tablePlaces * 2, FIRST_PLACES);
  created.table = extended<usize>(created.table, created.tablePlaces, places);
  created.buckets = newColumn<CreatedChannel | null>(places);
  const known = created.tablePlaces;
  created.tablePlaces = places;
  for (let place: u32 = 0; place < known; place++) {
    if (!isVacant(created.table, place)) chain(created, changetype<CreatedChannel>(created.table[place]));
  }
}

function freeChannel(work: Workspace, channel: CreatedChannel): void {
  const entries = work.entries;
  releaseEntry(entries, channel.end(0).entry);
  releaseEntry(entries, channel.end(1).entry);
  freeBlock<CreatedChannel>(work.arena, channel);
}

function dropChannel(work: Workspace, channel: CreatedChannel): void {
  const created = work.created;
  const index = channel.index;
  for (let side: u32 = 0; side < 2; side++) {
    const arc = 2 * (work.graph.channelCount + index) + side;
    const record = recordOf(work, arc);
    if ((record.flags as u32) & FLAG_LINKED) unlinkIn(work, arc, channel.end(side ^ 1).node);
    unlinkOut(work, channel.end(side).outLink, channel.end(side).node);
    freeBlock<DirectionRecord>(work.arena, record);
    work.scratch.overrides[arc] = null;
  }
  unchain(created, channel);
  created.count--;
  created.firstVacant = markVacant(created.table, index, created.firstVacant);
  freeChannel(work, channel);
}

/** Removes all created channels. The caller empties the stack, or creates them again. */
export function dropCreated(work: Workspace): void {
  const created = work.created;
  for (let place: u32 = 0; place < created.placesTaken && created.count > 0; place++)
    if (!isVacant(created.table, place)) dropChannel(work, changetype<CreatedChannel>(created.table[place]));
}

function createdAt(work: Workspace, channel: u32): CreatedChannel {
  return changetype<CreatedChannel>(work.created.table[channel - work.graph.channelCount]);
}

/** The node at end 0 or 1 of a graph channel or created channel. */
export function endOf(work: Workspace, channel: u32, end: u32): u32 {
  const graph = work.graph;
  return channel < graph.channelCount
    ? graphEnd(graph, channel, end)
    : createdAt(work, channel).end(end).node;
}

/** The node that an arc leads to. */
export function headOfArc(work: Workspace, arc: u32): u32 {
  const directionIndex = recordOf(work, arc).directionIndex;
  return endOf(work, directionIndex >> 1, (directionIndex & 1) ^ 1);
}

/** Capacity of a graph channel or created channel, msat. */
export function capacityOf(work: Workspace, channel: u32): i64 {
  const graph = work.graph;
  return channel < graph.channelCount ? graphCapacity(graph, channel) : createdAt(work, channel).capacityMsat;
}

/** Short channel id of a graph channel or created channel. */
export function shortChannelIdOf(work: Workspace, channel: u32): u64 {
  const graph = work.graph;
  return channel < graph.channelCount
    ? graphShortChannelId(graph, channel)
    : createdAt(work, channel).shortChannelId;
}
