/**
 * The burden of each node under the applied stack. With learned odds (solve/question/odds.ts), passing through a node
 * costs more than its fees; the burden is the level of that extra cost. The last layer that sets a burden wins; the
 * default is 0.
 *
 * Burdens are stored per node, not in the records of its directions: every payment changes some burdens, and a large
 * node has thousands of directions.
 *
 * Invariant: except while the stack changes, each burden matches the layers of the stack.
 */
import { NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { NodeCell } from './cells';
import { resolve } from './created-nodes';
import { NodeEntry } from './entries';
import { firstNodeCell, hasNodeCells, nodeCell } from './layers';
import { Scratch, stateOf } from './scratch';
import { layerAt, SOURCEFREE } from './stack';

/** Burden level of a node. */
export function burdenOf(scratch: Scratch, node: u32): u32 {
  return scratch.burdens[node] as u32;
}

/** Recomputes the burden of a node. */
export function refreshBurden(work: Workspace, node: u32): void {
  const entry = stateOf(work.scratch, node).entry;
  work.scratch.burdens[node] = (entry === null ? 0 : namedBurden(work, entry)) as u8;
}

/** The burden set by the last layer of the stack that sets one; 0 if no layer sets one. */
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

/** Recomputes the burdens of all nodes in a layer. */
export function refreshBurdens(work: Workspace, layer: u32): void {
  let cell = firstNodeCell(work.cells, layer);
  while (cell !== null) {
    const node = resolve(work, changetype<NodeEntry>(cell.key as usize), false);
    if (node !== NONE) refreshBurden(work, node);
    cell = cell.next;
  }
}

/** Resets the burdens that a layer sets, before the stack is emptied. */
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
