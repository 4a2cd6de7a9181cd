/**
 * Lists of arcs at a node: what layers create, and what they enable that gossip disables. Searches walk them after the
 * graph's own arcs.
 *
 * The lists are doubly linked. An arc's link into the list of what enters its head is also noted by arc. So an arc is
 * put in and taken out in constant time, however many channels a node has.
 */
import { allocateBlock, freeBlock } from '../graph/arena';
import { Column, extended } from '../graph/column';
import { Link } from './link';
import { arcRoom, NodeState, stateOf } from './scratch';

/** Where a list begins: a field of a node's state. */
@unmanaged
class LinkList {
  first: Link | null;
}

/** Arcs that hang in the lists of what enters their heads. */
export let extraLinks: u32 = 0;
/** By arc: its link in the list of what enters its head. */
let inLinks: Column<Link> = changetype<Column<Link>>(0);
let inLinkRoom: u32 = 0;

function entering(node: u32): LinkList {
  return changetype<LinkList>(changetype<usize>(stateOf(node)) + offsetof<NodeState>('extraIn'));
}

function leaving(node: u32): LinkList {
  return changetype<LinkList>(changetype<usize>(stateOf(node)) + offsetof<NodeState>('extraOut'));
}

/** Frees both lists of a node. */
export function freeLinks(node: u32): void {
  freeList(entering(node));
  freeList(leaving(node));
}

/** To be called when the lists of all nodes were freed. */
export function forgetLinks(): void {
  extraLinks = 0;
}

/** Puts an arc into the list of what enters its head. */
export function linkIn(arc: u32, head: u32): void {
  if (arc >= inLinkRoom) growInLinks();
  inLinks[arc] = push(entering(head), arc);
  extraLinks++;
}

/** Takes an arc out of the list of what enters its head. */
export function unlinkIn(arc: u32, head: u32): void {
  assert(extraLinks > 0, 'more links are removed than were made');
  remove(entering(head), inLinks[arc]);
  extraLinks--;
}

/** Puts an arc into the list of what leaves its tail; returns the link, for `unlinkOut`. */
export function linkOut(arc: u32, tail: u32): Link {
  return push(leaving(tail), arc);
}

/** Takes an arc out of the list of what leaves its tail. */
export function unlinkOut(link: Link, tail: u32): void {
  remove(leaving(tail), link);
}

function growInLinks(): void {
  const room = arcRoom();
  inLinks = extended<Link>(inLinks, inLinkRoom, room);
  inLinkRoom = room;
}

function push(list: LinkList, arc: u32): Link {
  const link = allocateBlock<Link>();
  const next = list.first;
  link.arc = arc;
  link.next = next;
  if (next !== null) next.previous = link;
  list.first = link;
  return link;
}

function remove(list: LinkList, link: Link): void {
  const next = link.next;
  const previous = link.previous;
  if (previous === null) list.first = next;
  else previous.next = next;
  if (next !== null) next.previous = previous;
  freeBlock<Link>(link);
}

function freeList(list: LinkList): void {
  let link = list.first;
  while (link !== null) {
    const next = link.next;
    freeBlock<Link>(link);
    link = next;
  }
}
