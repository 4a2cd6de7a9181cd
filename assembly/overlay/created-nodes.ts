/**
 * Numbers of nodes that layers mention.
 *
 * A node of the graph has the graph's number. A node that exists only by channels of layers gets a number after those
 * of the graph. Numbers that are given up are used again. A node is known by the entry of its id (entries.ts), where
 * its number is noted. That number holds while the entry's stamp is the present *topology*. The topology changes with
 * the graph, so that nothing has to be cleared when the graph changes.
 */
import { Column, extended } from '../graph/column';
import { findNode, graphNodeId, NONE, nodeCount, outStart } from '../graph/graph';
import { findEntry, idOf, NodeEntry } from './entries';
import { ensureNodes, NodeState, stateOf } from './scratch';
import { markVacant, vacantAfter } from './vacancies';

const FIRST_PLACES: u32 = 1024;

/** By number less the number of the graph's nodes: the entry, or a vacancy. */
let table: Column<usize> = changetype<Column<usize>>(0);
let tablePlaces: u32 = 0;
let placesTaken: u32 = 0;
let firstVacant: u32 = NONE;
let topology: u32 = 0;

/** Forgets all numbers: another graph is about to be attached. */
export function forgetCreatedNodes(): void {
  placesTaken = 0;
  firstVacant = NONE;
  topology++;
}

/** The number that an entry's node has at present, or NONE. */
export function presentNode(entry: NodeEntry): u32 {
  return entry.stamp === topology ? entry.node : NONE;
}

/** Numbers in use after those of the graph, vacant ones included. */
export function extraNodeCount(): u32 {
  return placesTaken;
}

/** Gives up the number of a created node. The node has no channel left, since a channel would hold its entry. */
export function vacateNode(node: u32): void {
  const state = stateOf(node);
  if (!ASC_NO_ASSERT) assert(state.extraOut === null, 'a node with channels is vacated');
  memory.fill(changetype<usize>(state), 0, offsetof<NodeState>());
  firstVacant = markVacant(table, node - nodeCount, firstVacant);
}

/**
 * The number of a mentioned node, or NONE. With `creates`, a node that is not in the graph gets a number after those of
 * the graph.
 */
export function resolve(entry: NodeEntry, creates: bool): u32 {
  if (entry.stamp === topology) {
    const known = entry.node;
    if (known !== NONE || !creates) return known;
  }
  let node = findNode(idOf(entry));
  if (node === NONE && creates) node = nodeCount + takePlace(entry);
  if (node !== NONE) stateOf(node).entry = entry;
  entry.stamp = topology;
  entry.node = node;
  return node;
}

/** Gives an entry a place of the table. */
function takePlace(entry: NodeEntry): u32 {
  let place = placesTaken;
  if (firstVacant !== NONE) {
    place = firstVacant;
    firstVacant = vacantAfter(table, place);
  } else {
    if (placesTaken >= tablePlaces) growTable();
    placesTaken++;
    ensureNodes(nodeCount + placesTaken);
  }
  table[place] = changetype<usize>(entry);
  return place;
}

function growTable(): void {
  const places = max<u32>(tablePlaces * 2, FIRST_PLACES);
  table = extended<usize>(table, tablePlaces, places);
  tablePlaces = places;
}

/** Address of the 33 id bytes of a node, of the graph or created. */
export function nodeIdOf(node: u32): usize {
  if (node < nodeCount) return graphNodeId(node);
  return idOf(changetype<NodeEntry>(table[node - nodeCount]));
}

/** Index of the node with the 33 bytes at `id` that has a channel, gossiped or made by an applied layer; or NONE. */
export function nodeById(id: usize): u32 {
  let node = findNode(id);
  if (node === NONE) {
    const entry = findEntry(id);
    if (entry === null) return NONE;
    node = resolve(entry, false);
    if (node === NONE) return NONE;
  } else if (outStart[node] !== outStart.after(node)) return node;
  return stateOf(node).extraOut !== null ? node : NONE;
}
