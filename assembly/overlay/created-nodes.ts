/**
 * Numbers of the nodes in layers.
 *
 * A node of the graph has its number in the graph. A node that exists only in layers gets a number after those of the
 * graph. Freed numbers are reused. The entry of the node's id (entries.ts) stores the number, which is valid while the
 * entry's stamp equals the current *topology*. Attaching a different graph changes the topology, so no stored number
 * needs to be cleared.
 */
import { Column, extended } from '../graph/column';
import { findNode, graphNodeId, NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { findEntry, idOf, NodeEntry } from './entries';
import { ensureNodes, NodeState, stateOf } from './scratch';
import { markVacant, vacantAfter } from './vacancies';

const FIRST_PLACES: u32 = 1024;

/** Numbers of nodes that exist only in layers. */
@unmanaged
export class CreatedNodes {
  /** Entries and vacancies (vacancies.ts), by number minus the number of graph nodes. */
  table: Column<usize>;
  tablePlaces: u32;
  placesTaken: u32;
  firstVacant: u32;
  topology: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.firstVacant = NONE;
  }
}

/** Forgets all numbers, before a different graph is attached. */
export function forgetCreatedNodes(createdNodes: CreatedNodes): void {
  createdNodes.placesTaken = 0;
  createdNodes.firstVacant = NONE;
  createdNodes.topology++;
}

/** Current number of an entry's node, or NONE. */
export function presentNode(createdNodes: CreatedNodes, entry: NodeEntry): u32 {
  return entry.stamp === createdNodes.topology ? entry.node : NONE;
}

/** Number of node indexes beyond those of the graph, including vacant ones. */
export function extraNodeCount(createdNodes: CreatedNodes): u32 {
  return createdNodes.placesTaken;
}

/**
 * Frees the number of a created node. The node has no channels left, since a channel would hold a reference to the
 * node's entry.
 */
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
 * The number of an entry's node, or NONE. With `creates`, a node that is not in the graph gets a number after those of
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

/** Address of the 33 id bytes of a graph node or created node. */
export function nodeIdOf(work: Workspace, node: u32): usize {
  const graph = work.graph;
  if (node < graph.nodeCount) return graphNodeId(graph, node);
  return idOf(changetype<NodeEntry>(work.createdNodes.table[node - graph.nodeCount]));
}

/**
 * Index of the node whose id is the 33 bytes at `id`; NONE if it has no channel in the graph or in an applied layer.
 */
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
