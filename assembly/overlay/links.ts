/**
 * Lists of arcs at a node (scratch.ts: S_EXTRA_IN, S_EXTRA_OUT): what layers create, and what they enable that
 * gossip disables. Searches walk them after the graph's own arcs. An arc's link into the list of what enters its head is
 * noted by arc, so that it is taken out in constant time, however many channels a node has.
 */
import { allocateBlock, allocatePages, freeBlock } from '../graph/arena';
import { arcRoom, S_EXTRA_IN, stateOf } from './scratch';

// Link.
export const LINK_ARC: usize = 0;
export const LINK_NEXT: usize = 4;
const LINK_PREVIOUS: usize = 8;

/** Arcs that hang in the lists of what enters their heads. */
export let extraLinks: u32 = 0;
/** By arc: its link there. */
let inLinks: usize = 0;
let inLinkRoom: u32 = 0;

/** After all lists were freed. */
export function forgetLinks(): void {
  extraLinks = 0;
}

/** Puts an arc into the list of what enters its head. */
export function linkIn(arc: u32, head: u32): void {
  if (arc >= inLinkRoom) growInLinks();
  store<u32>(inLinks + ((arc as usize) << 2), pushLink(stateOf(head) + S_EXTRA_IN, arc) as u32);
  extraLinks++;
}

/** Takes it out again. */
export function unlinkIn(arc: u32, head: u32): void {
  assert(extraLinks > 0, 'more links are removed than were made');
  removeLink(stateOf(head) + S_EXTRA_IN, load<u32>(inLinks + ((arc as usize) << 2)));
  extraLinks--;
}

function growInLinks(): void {
  const room = arcRoom();
  const table = allocatePages((room as u64) * 4);
  if (table == 0) unreachable();
  memory.copy(table, inLinks, inLinkRoom << 2);
  inLinks = table;
  inLinkRoom = room;
}

export function pushLink(head: usize, arc: u32): usize {
  const link = allocateBlock();
  const next = load<u32>(head) as usize;
  store<u32>(link + LINK_ARC, arc);
  store<u32>(link + LINK_NEXT, next as u32);
  if (next != 0) store<u32>(next + LINK_PREVIOUS, link as u32);
  store<u32>(head, link as u32);
  return link;
}

export function removeLink(head: usize, link: usize): void {
  const next = load<u32>(link + LINK_NEXT) as usize;
  const previous = load<u32>(link + LINK_PREVIOUS) as usize;
  store<u32>(previous == 0 ? head : previous + LINK_NEXT, next as u32);
  if (next != 0) store<u32>(next + LINK_PREVIOUS, previous as u32);
  freeBlock(link);
}

export function freeList(head: usize): void {
  let link = load<u32>(head) as usize;
  while (link != 0) {
    const next = load<u32>(link + LINK_NEXT) as usize;
    freeBlock(link);
    link = next;
  }
}
