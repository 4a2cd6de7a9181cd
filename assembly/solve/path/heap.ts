/**
 * An indexed 4-ary min-heap of nodes with decrease-key.
 *
 * Four children instead of two halve the number of levels, and the four keys compared are in one or two cache lines. A
 * node's state holds the node's place (overlay/scratch.ts), so a node is found in constant time.
 *
 * Invariants, partly checked in debug builds: a node is in the heap at most once; pushing it again only lowers its
 * key; no child has a smaller key than its parent; `heapPlace` is the place plus 1, or 0 if not in the heap. Pushing
 * costs O(log₄ n), popping O(4 · log₄ n). The order among equal keys depends only on the order of the calls.
 */
import { Heap, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';

/** Empties the heap. */
export function heapClear(work: Workspace): void {
  const heap = work.heap;
  for (let i: u32 = 0; i < heap.size; i++) stateOf(work.scratch, heap.nodes[i]).heapPlace = 0;
  heap.size = 0;
}

function put(work: Workspace, place: u32, key: f64, node: u32): void {
  const heap = work.heap;
  heap.keys[place] = key;
  heap.nodes[place] = node;
  stateOf(work.scratch, node).heapPlace = place + 1;
}

function siftUp(work: Workspace, from: u32, key: f64, node: u32): void {
  const heap = work.heap;
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 2;
    const parentKey = heap.keys[parent];
    if (parentKey <= key) break;
    put(work, place, parentKey, heap.nodes[parent]);
    place = parent;
  }
  put(work, place, key, node);
}

/** Inserts the node, or lowers its key to `key` if it is already in the heap. */
export function heapPush(work: Workspace, key: f64, node: u32): void {
  const heap = work.heap;
  const place = stateOf(work.scratch, node).heapPlace;
  if (!ASC_NO_ASSERT) assert(place === 0 || heap.keys[place - 1] >= key, 'a heap key only decreases');
  if (place !== 0) siftUp(work, place - 1, key, node);
  else siftUp(work, heap.size++, key, node);
}

/** Restores the heap order after keys were changed. */
export function heapRestore(work: Workspace): void {
  const heap = work.heap;
  if (heap.size < 2) return;
  for (let place = ((heap.size - 2) >> 2) + 1; place-- > 0; )
    siftDown(work, place, heap.keys[place], heap.nodes[place]);
}

/** The smallest key; the heap must not be empty. */
export function heapLeastKey(heap: Heap): f64 {
  return heap.keys[0];
}

/** Removes and returns the node with the smallest key; the heap must not be empty. */
export function heapPop(work: Workspace): u32 {
  const heap = work.heap;
  const scratch = work.scratch;
  assert(heap.size > 0, 'pop from an empty heap');
  const top = heap.nodes[0];
  if (!ASC_NO_ASSERT)
    assert(stateOf(scratch, top).heapPlace === 1, 'the place of a node in the heap is stored');
  stateOf(scratch, top).heapPlace = 0;
  heap.size--;
  if (heap.size === 0) return top;
  siftDown(work, 0, heap.keys[heap.size], heap.nodes[heap.size]);
  return top;
}

/** Places a node at `from` or below. */
function siftDown(work: Workspace, from: u32, key: f64, node: u32): void {
  const heap = work.heap;
  let place = from;
  for (;;) {
    const first = (place << 2) + 1;
    if (first >= heap.size) break;
    const end = min<u32>(first + 4, heap.size);
    let best = first;
    let bestKey = heap.keys[first];
    for (let child = first + 1; child < end; child++) {
      const childKey = heap.keys[child];
      if (childKey < bestKey) {
        bestKey = childKey;
        best = child;
      }
    }
    if (bestKey >= key) break;
    put(work, place, bestKey, heap.nodes[best]);
    place = best;
  }
  put(work, place, key, node);
}
