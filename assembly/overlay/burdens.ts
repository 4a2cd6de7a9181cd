/**
 * The burden of each node under the applied stack: the level of what it costs to pass the node besides its fees, for
 * learned odds (solve/question/odds.ts). The last layer that names one decides; 0 is that of any other node.
 *
 * Burdens are kept by node, not in the records of the node's directions: lessons change them with every payment, and a
 * large node has thousands of directions.
 *
 * Invariant: outside of a change of the stack, each burden is what the layers of the stack say.
 */
import { NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { NodeCell } from './cells';
import { resolve } from './created-nodes';
import { NodeEntry } from './entries';
import { firstNodeCell, hasNodeCells, nodeCell } from './layers';
import { Scratch, stateOf } from './scratch';
import { layerAt, SOURCEFREE } from './stack';

/** The level of a node's burden. */
export function burdenOf(scratch: Scratch, node: u32): u32 {
  return scratch.burdens[node] as u32;
}

/** Computes the burden of a node again. */
export function refreshBurden(work: Workspace, node: u32): void {
  const entry = stateOf(work.scratch, node).entry;
  work.scratch.burdens[node] = (entry === null ? 0 : namedBurden(work, entry)) as u8;
}

/** The burden that the last layer of the stack with one names; 0 where none does. */
function namedBurden(work: Workspace, entry: NodeEntry): u32 {
  const stack = work.stack;
  for (let i = stack.stackLength; i > 0; i--) {
    const layer = layerAt(stack, i - 1);
    if (layer === SOURCEFREE || !hasNodeCells(work.cells, layer)) continue;
    const cell = nodeCell(work.cells, layer, entry);
    if (cell !== null && cell.burden !== 0) return cell.burden;
  }
  return 0;
}

/** Computes the burdens of all nodes that a layer mentions again. */
export function refreshBurdens(work: Workspace, layer: u32): void {
  let cell = firstNodeCell(work.cells, layer);
  while (cell !== null) {
    const node = resolve(work, changetype<NodeEntry>(cell.key as usize), false);
    if (node !== NONE) refreshBurden(work, node);
    cell = cell.next;
  }
}

/** Takes away the burdens that a layer names: the stack is about to be emptied. */
export function clearBurdens(work: Workspace, layer: u32): void {
  let cell = firstNodeCell(work.cells, layer);
  while (cell !== null) {
    if (changetype<NodeCell>(cell).burden !== 0) {
      const node = resolve(work, changetype<NodeEntry>(cell.key as usize), false);
      if (node !== NONE) work.scratch.burdens[node] = 0;
    }
    cell = cell.next;
  }
}
