/**
 * An indexed 4-ary min-heap of nodes by key, in which keys can be lowered.
 *
 * Four children instead of two halve the number of levels, and the four keys that are compared lie in one cache line,
 * or in two. The place of a node is kept in its state (overlay/scratch.ts), so that it is found in constant time.
 *
 * Invariants, checked in debug builds where they could break: a node stands in the heap at most once; its key only
 * decreases; no child has a smaller key than its parent; `heapPlace` is the place + 1, and 0 outside. Pushing costs
 * O(log₄ n), popping O(4 · log₄ n). The order among equal keys follows from the order of the calls alone.
 */
import { heapKeys, heapNodes, stateOf } from '../../overlay/scratch';

/** Nodes in the heap. */
export let heapSize: u32 = 0;

/** Empties the heap. */
export function heapClear(): void {
  for (let i: u32 = 0; i < heapSize; i++) stateOf(heapNodes[i]).heapPlace = 0;
  heapSize = 0;
}

function put(place: u32, key: f64, node: u32): void {
  heapKeys[place] = key;
  heapNodes[place] = node;
  stateOf(node).heapPlace = place + 1;
}

function siftUp(from: u32, key: f64, node: u32): void {
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 2;
    const parentKey = heapKeys[parent];
    if (parentKey <= key) break;
    put(place, parentKey, heapNodes[parent]);
    place = parent;
  }
  put(place, key, node);
}

/** Inserts the node, or lowers its key to `key` if it is inside already. */
export function heapPush(key: f64, node: u32): void {
  const place = stateOf(node).heapPlace;
  if (!ASC_NO_ASSERT) assert(place === 0 || heapKeys[place - 1] >= key, 'a heap key only decreases');
  if (place !== 0) siftUp(place - 1, key, node);
  else siftUp(heapSize++, key, node);
}

/** Orders the heap again after `heapKeys` were changed. */
export function heapRestore(): void {
  if (heapSize < 2) return;
  for (let place = ((heapSize - 2) >> 2) + 1; place-- > 0; )
    siftDown(place, heapKeys[place], heapNodes[place]);
}

/** The smallest key; the heap must not be empty. */
export function heapLeastKey(): f64 {
  return heapKeys[0];
}

/** Removes and returns the node with the smallest key; the heap must not be empty. */
export function heapPop(): u32 {
  assert(heapSize > 0, 'pop from an empty heap');
  const top = heapNodes[0];
  if (!ASC_NO_ASSERT) assert(stateOf(top).heapPlace === 1, 'a node knows its place in the heap');
  stateOf(top).heapPlace = 0;
  heapSize--;
  if (heapSize === 0) return top;
  siftDown(0, heapKeys[heapSize], heapNodes[heapSize]);
  return top;
}

/** Puts a node at the place `from` or below. */
function siftDown(from: u32, key: f64, node: u32): void {
  let place = from;
  for (;;) {
    const first = (place << 2) + 1;
    if (first >= heapSize) break;
    const end = min<u32>(first + 4, heapSize);
    let best = first;
    let bestKey = heapKeys[first];
    for (let child = first + 1; child < end; child++) {
      const childKey = heapKeys[child];
      if (childKey < bestKey) {
        bestKey = childKey;
        best = child;
      }
    }
    if (bestKey >= key) break;
    put(place, bestKey, heapNodes[best]);
    place = best;
  }
  put(place, key, node);
}
