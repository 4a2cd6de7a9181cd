/**
 * Channels that exist by layers alone.
 *
 * They are numbered after the graph's channels. An arc of theirs has the number 2 · channel + direction, which is also
 * its direction index. Numbers that are given up are used again. Both directions have override records in blocks of
 * their own. A channel is found by number in a table, and by short channel id in a hash table with as many places.
 *
 * Invariants: a created channel holds a reference of the entries of its ends (entries.ts), its arcs hang in the lists
 * of what leaves their tails, and its short channel id is not in the graph. Creating or removing one takes constant
 * time on average.
 */
import { allocateBlock, freeBlock } from '../graph/arena';
import { Column, extended, newColumn } from '../graph/column';
import { DirectionRecord, FLAG_LINKED } from '../graph/direction';
import {
  arcCount,
  channelCount,
  findChannel,
  graphCapacity,
  graphEnd,
  graphShortChannelId,
  NONE,
  nodeCount,
} from '../graph/graph';
import { AMOUNT_LIMIT, mix64 } from '../graph/numbers';
import { CreatedBlock } from './cells';
import { extraNodeCount, forgetCreatedNodes, resolve } from './created-nodes';
import { NodeEntry, releaseEntry, retainEntry } from './entries';
import { Link } from './link';
import { forgetLinks, freeLinks, linkOut, unlinkIn, unlinkOut } from './links';
import { ensureArcs, overrides, recordOf } from './scratch';
import { isVacant, markVacant, vacantAfter } from './vacancies';

/** A channel that an applied layer creates; two `CreatedEnd` follow. */
@unmanaged
class CreatedChannel {
  shortChannelId: u64;
  /** The next channel in the same place of the hash table. */
  hashNext: CreatedChannel | null;
  /** Its number less the number of the graph's channels. */
  index: u32;
  /** msat. */
  capacityMsat: i64;

  /** End 0 (the smaller id) or 1; direction d leaves end d. */
  @inline
  end(side: u32): CreatedEnd {
    return changetype<CreatedEnd>(
      changetype<usize>(this) + offsetof<CreatedChannel>() + (side as usize) * offsetof<CreatedEnd>(),
    );
  }
}

/** An end of a created channel. */
@unmanaged
class CreatedEnd {
  node: u32;
  entry: NodeEntry;
  /** The link of the direction that leaves this end. */
  outLink: Link;
}

const FIRST_PLACES: u32 = 1024;

/** By index: the channel, or a vacancy. */
let table: Column<usize> = changetype<Column<usize>>(0);
/** The hash table. It has as many places as `table`, a power of two. */
let buckets: Column<CreatedChannel | null> = changetype<Column<CreatedChannel | null>>(0);
let tablePlaces: u32 = 0;
let placesTaken: u32 = 0;
let firstVacant: u32 = NONE;
/** Channels that exist by layers alone. */
export let createdChannels: u32 = 0;

/** Prepares the empty tables; once per instance. */
export function createdInit(): void {
  assert(offsetof<CreatedChannel>() + 2 * offsetof<CreatedEnd>() <= 64, 'a created channel fits a block');
  growTable();
}

/** Frees all created channels and the numbers of created nodes: another graph is about to be attached. */
export function forgetCreated(): void {
  for (let arc = arcCount; arc < arcCount + 2 * placesTaken; arc++)
    freeBlock<DirectionRecord>(overrides[arc]);
  for (let node: u32 = 0; node < nodeCount + extraNodeCount(); node++) freeLinks(node);
  for (let place: u32 = 0; place < placesTaken; place++) {
    if (!isVacant(table, place)) freeChannel(changetype<CreatedChannel>(table[place]));
  }
  buckets.clear(tablePlaces);
  forgetLinks();
  placesTaken = 0;
  createdChannels = 0;
  firstVacant = NONE;
  forgetCreatedNodes();
}

/**
 * Creates, moves or removes the channel. `created` is the block of the first layer that creates it, null where none
 * does. Returns the channel's number, or NONE.
 */
export function settleCreated(shortChannelId: u64, created: CreatedBlock | null): u32 {
  let channel = findCreated(shortChannelId);
  if (created === null) {
    if (channel !== null) dropChannel(channel);
    return NONE;
  }
  if (!ASC_NO_ASSERT) assert(findChannel(shortChannelId) === NONE, 'a channel of the graph is created');
  const node1 = resolve(created.node1, true);
  const node2 = resolve(created.node2, true);
  if (channel !== null && (channel.end(0).node !== node1 || channel.end(1).node !== node2)) {
    dropChannel(channel);
    channel = null;
  }
  if (channel === null) channel = addChannel(shortChannelId, node1, node2, created);
  channel.capacityMsat = min<i64>(created.capacityMsat, AMOUNT_LIMIT);
  return channelCount + channel.index;
}

function placeOf(shortChannelId: u64): u32 {
  return (mix64(shortChannelId) as u32) & (tablePlaces - 1);
}

function findCreated(shortChannelId: u64): CreatedChannel | null {
  let channel = buckets[placeOf(shortChannelId)];
  while (channel !== null && channel.shortChannelId !== shortChannelId) channel = channel.hashNext;
  return channel;
}

/** Puts a channel first into its place of the hash table. */
function chain(channel: CreatedChannel): void {
  const place = placeOf(channel.shortChannelId);
  channel.hashNext = buckets[place];
  buckets[place] = channel;
}

function unchain(channel: CreatedChannel): void {
  const place = placeOf(channel.shortChannelId);
  let before: CreatedChannel | null = null;
  let at = buckets[place];
  while (at !== null && at !== channel) {
    before = at;
    at = at.hashNext;
  }
  assert(at === channel, 'a created channel is in the table');
  if (before === null) buckets[place] = channel.hashNext;
  else before.hashNext = channel.hashNext;
}

function takePlace(): u32 {
  const vacant = firstVacant;
  if (vacant !== NONE) {
    firstVacant = vacantAfter(table, vacant);
    return vacant;
  }
  const place = placesTaken++;
  if (place >= tablePlaces) growTable();
  ensureArcs(arcCount + 2 * placesTaken);
  return place;
}

function addChannel(shortChannelId: u64, node1: u32, node2: u32, created: CreatedBlock): CreatedChannel {
  const place = takePlace();
  createdChannels++;
  const channel = allocateBlock<CreatedChannel>();
  table[place] = changetype<usize>(channel);
  channel.shortChannelId = shortChannelId;
  channel.index = place;
  chain(channel);
  for (let side: u32 = 0; side < 2; side++) {
    const arc = 2 * (channelCount + place) + side;
    const end = channel.end(side);
    end.node = side === 0 ? node1 : node2;
    end.entry = created.end(side);
    retainEntry(end.entry);
    overrides[arc] = allocateBlock<DirectionRecord>();
    end.outLink = linkOut(arc, end.node);
  }
  return channel;
}

function growTable(): void {
  const places = max<u32>(tablePlaces * 2, FIRST_PLACES);
  table = extended<usize>(table, tablePlaces, places);
  buckets = newColumn<CreatedChannel | null>(places);
  const known = tablePlaces;
  tablePlaces = places;
  for (let place: u32 = 0; place < known; place++) {
    if (!isVacant(table, place)) chain(changetype<CreatedChannel>(table[place]));
  }
}

function freeChannel(channel: CreatedChannel): void {
  releaseEntry(channel.end(0).entry);
  releaseEntry(channel.end(1).entry);
  freeBlock<CreatedChannel>(channel);
}

function dropChannel(channel: CreatedChannel): void {
  const index = channel.index;
  for (let side: u32 = 0; side < 2; side++) {
    const arc = 2 * (channelCount + index) + side;
    const record = recordOf(arc);
    if ((record.flags as u32) & FLAG_LINKED) unlinkIn(arc, channel.end(side ^ 1).node);
    unlinkOut(channel.end(side).outLink, channel.end(side).node);
    freeBlock<DirectionRecord>(record);
    overrides[arc] = null;
  }
  unchain(channel);
  createdChannels--;
  firstVacant = markVacant(table, index, firstVacant);
  freeChannel(channel);
}

function createdAt(channel: u32): CreatedChannel {
  return changetype<CreatedChannel>(table[channel - channelCount]);
}

/** End `end` (0 or 1) of a channel, of the graph or created. */
export function endOf(channel: u32, end: u32): u32 {
  return channel < channelCount ? graphEnd(channel, end) : createdAt(channel).end(end).node;
}

/** The node that an arc leads to. */
export function headOfArc(arc: u32): u32 {
  const directionIndex = recordOf(arc).directionIndex;
  return endOf(directionIndex >> 1, (directionIndex & 1) ^ 1);
}

/** The capacity of a channel, of the graph or created, msat. */
export function capacityOf(channel: u32): i64 {
  return channel < channelCount ? graphCapacity(channel) : createdAt(channel).capacityMsat;
}

/** The short channel id of a channel, of the graph or created. */
export function shortChannelIdOf(channel: u32): u64 {
  return channel < channelCount ? graphShortChannelId(channel) : createdAt(channel).shortChannelId;
}
