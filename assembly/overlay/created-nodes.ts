/**
 * Numbers of nodes that layers mention.
 *
 * A node of the graph has the graph's number. A node that exists only by channels of layers gets a number after those
 * of the graph. Numbers that are given up are used again. A node is known by the entry of its id (entries.ts), where
 * its number is noted. That number holds while the entry's stamp is the present *topology*. The topology changes with
 * the graph, so that nothing has to be cleared when the graph changes.
 */
import { Column, extended } from '../graph/column';
import { findNode, graphNodeId, NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { findEntry, idOf, NodeEntry } from './entries';
import { ensureNodes, NodeState, stateOf } from './scratch';
import { markVacant, vacantAfter } from './vacancies';

const FIRST_PLACES: u32 = 1024;

/** Numbers of nodes that exist by layers alone. */
@unmanaged
export class CreatedNodes {
  /** By number less the number of the graph's nodes: the entry, or a vacancy. */
  table: Column<usize>;
  tablePlaces: u32;
  placesTaken: u32;
  firstVacant: u32;
  topology: u32;

  /** Sets what is not 0 in a new workspace. */
  begin(): void {
    this.firstVacant = NONE;
  }
}

/** Forgets all numbers: another graph is about to be attached. */
export function forgetCreatedNodes(createdNodes: CreatedNodes): void {
  createdNodes.placesTaken = 0;
  createdNodes.firstVacant = NONE;
  createdNodes.topology++;
}

/** The number that an entry's node has at present, or NONE. */
export function presentNode(createdNodes: CreatedNodes, entry: NodeEntry): u32 {
  return entry.stamp === createdNodes.topology ? entry.node : NONE;
}

/** Numbers in use after those of the graph, vacant ones included. */
export function extraNodeCount(createdNodes: CreatedNodes): u32 {
  return createdNodes.placesTaken;
}

/** Gives up the number of a created node. The node has no channel left, since a channel would hold its entry. */
export function vacateNode(work: Workspace, node: u32): void {
  const createdNodes = work.createdNodes;
  const state = stateOf(work.scratch, node);
  if (!ASC_NO_ASSERT) assert(state.extraOut === null, 'a node with channels is vacated');
  memory.fill(changetype<usize>(state), 0, offsetof<NodeState>());
  work.scratch.burdens[node] = 0;
  createdNodes.firstVacant = markVacant(
    createdNodes.table,
    node - work.graph.nodeCount,
    createdNodes.firstVacant,
  );
}

/**
 * The number of a mentioned node, or NONE. With `creates`, a node that is not in the graph gets a number after those of
 * the graph.
 */
export function resolve(work: Workspace, entry: NodeEntry, creates: bool): u32 {
  const createdNodes = work.createdNodes;
  const graph = work.graph;
  if (entry.stamp === createdNodes.topology) {
    const known = entry.node;
    if (known !== NONE || !creates) return known;
  }
  let node = findNode(graph, idOf(entry));
  if (node === NONE && creates) node = graph.nodeCount + takePlace(work, entry);
  if (node !== NONE) stateOf(work.scratch, node).entry = entry;
  entry.stamp = createdNodes.topology;
  entry.node = node;
  return node;
}

/** Gives an entry a place of the table. */
function takePlace(work: Workspace, entry: NodeEntry): u32 {
  const createdNodes = work.createdNodes;
  let place = createdNodes.placesTaken;
  if (createdNodes.firstVacant !== NONE) {
    place = createdNodes.firstVacant;
    createdNodes.firstVacant = vacantAfter(createdNodes.table, place);
  } else {
    if (createdNodes.placesTaken >= createdNodes.tablePlaces) growTable(createdNodes);
    createdNodes.placesTaken++;
    ensureNodes(work, work.graph.nodeCount + createdNodes.placesTaken);
  }
  createdNodes.table[place] = changetype<usize>(entry);
  return place;
}

function growTable(createdNodes: CreatedNodes): void {
  const places = max<u32>(createdNodes.tablePlaces * 2, FIRST_PLACES);
  createdNodes.table = extended<usize>(createdNodes.table, createdNodes.tablePlaces, places);
  createdNodes.tablePlaces = places;
}

/** Address of the 33 id bytes of a node, of the graph or created. */
export function nodeIdOf(work: Workspace, node: u32): usize {
  const graph = work.graph;
  if (node < graph.nodeCount) return graphNodeId(graph, node);
  return idOf(changetype<NodeEntry>(work.createdNodes.table[node - graph.nodeCount]));
}

/** Index of the node with the 33 bytes at `id` that has a channel, gossiped or made by an applied layer; or NONE. */
export function nodeById(work: Workspace, id: usize): u32 {
  const graph = work.graph;
  let node = findNode(graph, id);
  if (node === NONE) {
    const entry = findEntry(work.entries, id);
    if (entry === null) return NONE;
    node = resolve(work, entry, false);
    if (node === NONE) return NONE;
  } else if (graph.outStart[node] !== graph.outStart.after(node)) return node;
  return stateOf(work.scratch, node).extraOut !== null ? node : NONE;
}
