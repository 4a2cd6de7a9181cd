/**
 * Lists of arcs at a node: what layers create, and what they enable that gossip disables. Searches walk them after the
 * graph's own arcs.
 *
 * The lists are doubly linked. An arc's link into the list of what enters its head is also noted by arc. So an arc is
 * put in and taken out in constant time, however many channels a node has.
 */
import { Arena, allocateBlock, freeBlock } from '../graph/arena';
import { Column, extended } from '../graph/column';
import { Workspace } from '../workspace';
import { Link } from './link';
import { arcRoom, NodeState, Scratch, stateOf } from './scratch';

/** Where a list begins: a field of a node's state. */
@unmanaged
class LinkList {
  first: Link | null;
}

/** The lists of arcs that enter each node. */
@unmanaged
export class Links {
  /** Arcs that hang in the lists of what enters their heads. */
  extraLinks: u32;
  /** By arc: its link in the list of what enters its head. */
  inLinks: Column<Link>;
  inLinkRoom: u32;
}

function entering(scratch: Scratch, node: u32): LinkList {
  return changetype<LinkList>(changetype<usize>(stateOf(scratch, node)) + offsetof<NodeState>('extraIn'));
}

function leaving(scratch: Scratch, node: u32): LinkList {
  return changetype<LinkList>(changetype<usize>(stateOf(scratch, node)) + offsetof<NodeState>('extraOut'));
}

/** Frees both lists of a node. */
export function freeLinks(work: Workspace, node: u32): void {
  const arena = work.arena;
  const scratch = work.scratch;
  freeList(arena, entering(scratch, node));
  freeList(arena, leaving(scratch, node));
}

/** To be called when the lists of all nodes were freed. */
export function forgetLinks(links: Links): void {
  links.extraLinks = 0;
}

/** Puts an arc into the list of what enters its head. */
export function linkIn(work: Workspace, arc: u32, head: u32): void {
  const links = work.links;
  if (arc >= links.inLinkRoom) growInLinks(work);
  links.inLinks[arc] = push(work.arena, entering(work.scratch, head), arc);
  links.extraLinks++;
}

/** Removes an arc from the list of arcs that enter its head. */
export function unlinkIn(work: Workspace, arc: u32, head: u32): void {
  const links = work.links;
  assert(links.extraLinks > 0, 'more links are removed than were made');
  remove(work.arena, entering(work.scratch, head), links.inLinks[arc]);
  links.extraLinks--;
}

/** Puts an arc into the list of what leaves its tail; returns the link, for `unlinkOut`. */
export function linkOut(work: Workspace, arc: u32, tail: u32): Link {
  return push(work.arena, leaving(work.scratch, tail), arc);
}

/** Removes an arc from the list of its tail's outgoing arcs. */
export function unlinkOut(work: Workspace, link: Link, tail: u32): void {
  remove(work.arena, leaving(work.scratch, tail), link);
}

function growInLinks(work: Workspace): void {
  const links = work.links;
  const room = arcRoom(work.scratch);
  links.inLinks = extended<Link>(links.inLinks, links.inLinkRoom, room);
  links.inLinkRoom = room;
}

function push(arena: Arena, list: LinkList, arc: u32): Link {
  const link = allocateBlock<Link>(arena);
  const next = list.first;
  link.arc = arc;
  link.next = next;
  if (next !== null) next.previous = link;
  list.first = link;
  return link;
}

function remove(arena: Arena, list: LinkList, link: Link): void {
  const next = link.next;
  const previous = link.previous;
  if (previous === null) list.first = next;
  else previous.next = next;
  if (next !== null) next.previous = previous;
  freeBlock<Link>(arena, link);
}

function freeList(arena: Arena, list: LinkList): void {
  let link = list.first;
  while (link !== null) {
    const next = link.next;
    freeBlock<Link>(arena, link);
    link = next;
  }
}
