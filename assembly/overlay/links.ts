/**
 * Lists of extra arcs at a node: those that layers create, and those that layers enable but gossip disables. Searches
 * walk them after the graph's own arcs.
 *
 * The lists are doubly linked, and a table finds an arc's link in the incoming list of its head. So adding and removing
 * an arc takes constant time, regardless of the number of channels of a node.
 */
import { Arena, allocateBlock, freeBlock } from '../graph/arena';
import { Column, extended } from '../graph/column';
import { Workspace } from '../workspace';
import { Link } from './link';
import { arcRoom, NodeState, Scratch, stateOf } from './scratch';

/** Head of a list: a field of a node's state. */
@unmanaged
class LinkList {
  first: Link | null;
}

/** The links in the incoming lists of all nodes. */
@unmanaged
export class Links {
  /** Number of arcs in the incoming lists of all nodes. */
  extraLinks: u32;
  /** The link of each arc in the incoming list of its head. */
  inLinks: Column<Link>;
  inLinkRoom: u32;
}

function entering(scratch: Scratch, node: u32): LinkList {
  return changetype<LinkList>(changetype<usize>(stateOf(scratch, node)) + offsetof<NodeState>('extraIn'));
}

function leaving(scratch: Scratch, node: u32): LinkList {
  return changetype<LinkList>(changetype<usize>(stateOf(scratch, node)) + offsetof<NodeState>('extraOut'));
}

/**
 * The end of the arcs in `outArcs` that may leave a node of the graph. Arcs that gossip disables come last, and count
 * only if layers enable some arc, since the lists do not show which node it leaves.
 */
export function leavingEnd(work: Workspace, node: u32): u32 {
  const graph = work.graph;
  return work.links.extraLinks === 0 ? graph.outEnabledEnd[node] : graph.outStart.after(node);
}

/** Number of the graph's directions that a search towards the source reads at a node. 0 for created nodes. */
export function directionsInto(work: Workspace, node: u32): u32 {
  const graph = work.graph;
  return node < graph.nodeCount ? graph.inEnabledEnd[node] - graph.inStart[node] : 0;
}

/** Number of the graph's directions that a search towards the destination reads at a node. 0 for created nodes. */
export function directionsFrom(work: Workspace, node: u32): u32 {
  const graph = work.graph;
  return node < graph.nodeCount ? leavingEnd(work, node) - graph.outStart[node] : 0;
}

/** Frees both lists of a node. */
export function freeLinks(work: Workspace, node: u32): void {
  const arena = work.arena;
  const scratch = work.scratch;
  freeList(arena, entering(scratch, node));
  freeList(arena, leaving(scratch, node));
}

/** Resets the number of arcs in the lists, after `freeLinks` was called for every node. */
export function forgetLinks(links: Links): void {
  links.extraLinks = 0;
}

/** Adds an arc to the incoming list of its head. */
export function linkIn(work: Workspace, arc: u32, head: u32): void {
  const links = work.links;
  if (arc >= links.inLinkRoom) growInLinks(work);
  links.inLinks[arc] = push(work.arena, entering(work.scratch, head), arc);
  links.extraLinks++;
}

/** Removes an arc from the incoming list of its head. */
export function unlinkIn(work: Workspace, arc: u32, head: u32): void {
  const links = work.links;
  assert(links.extraLinks > 0, 'more links are removed than were made');
  remove(work.arena, entering(work.scratch, head), links.inLinks[arc]);
  links.extraLinks--;
}

/** Adds an arc to the outgoing list of its tail; returns the link, for `unlinkOut`. */
export function linkOut(work: Workspace, arc: u32, tail: u32): Link {
  return push(work.arena, leaving(work.scratch, tail), arc);
}

/** Removes an arc from the outgoing list of its tail. */
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
