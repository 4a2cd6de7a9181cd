/**
 * An indexed 4-ary min-heap of (f64 key, node) with decrease-key: three levels fewer than a binary heap, and
 * the four children of an entry share a cache line. A node's place + 1 is kept in its state record.
 */
import { heapKeys, heapNodes, S_HEAP, stateOf } from '../overlay/scratch';

export let heapSize: u32 = 0;

export function heapClear(): void {
  for (let i: u32 = 0; i < heapSize; i++) {
    store<u32>(stateOf(load<u32>(heapNodes + ((i as usize) << 2))) + S_HEAP, 0);
  }
  heapSize = 0;
}

// @ts-ignore: decorator
@inline
function put(place: u32, key: f64, node: u32): void {
  store<f64>(heapKeys + ((place as usize) << 3), key);
  store<u32>(heapNodes + ((place as usize) << 2), node);
  store<u32>(stateOf(node) + S_HEAP, place + 1);
}

function siftUp(from: u32, key: f64, node: u32): void {
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 2;
    const parentKey = load<f64>(heapKeys + ((parent as usize) << 3));
    if (parentKey <= key) break;
    put(place, parentKey, load<u32>(heapNodes + ((parent as usize) << 2)));
    place = parent;
  }
  put(place, key, node);
}

/** Inserts the node, or lowers its key to `key` if it is inside already. */
export function heapPush(key: f64, node: u32): void {
  const place = load<u32>(stateOf(node) + S_HEAP);
  assert(place == 0 || load<f64>(heapKeys + (((place - 1) as usize) << 3)) >= key, 'a heap key only decreases');
  if (place != 0) siftUp(place - 1, key, node);
  else siftUp(heapSize++, key, node);
}

/** The smallest key; the heap must not be empty. */
export function heapLeastKey(): f64 {
  return load<f64>(heapKeys);
}

/** Removes and returns the node with the smallest key; the heap must not be empty. */
export function heapPop(): u32 {
  assert(heapSize > 0, 'pop from an empty heap');
  const top = load<u32>(heapNodes);
  store<u32>(stateOf(top) + S_HEAP, 0);
  heapSize--;
  if (heapSize == 0) return top;
  const key = load<f64>(heapKeys + ((heapSize as usize) << 3));
  const node = load<u32>(heapNodes + ((heapSize as usize) << 2));
  let place: u32 = 0;
  for (;;) {
    const first = (place << 2) + 1;
    if (first >= heapSize) break;
    const end = min<u32>(first + 4, heapSize);
    let best = first;
    let bestKey = load<f64>(heapKeys + ((first as usize) << 3));
    for (let child = first + 1; child < end; child++) {
      const childKey = load<f64>(heapKeys + ((child as usize) << 3));
      if (childKey < bestKey) {
        bestKey = childKey;
        best = child;
      }
    }
    if (bestKey >= key) break;
    put(place, bestKey, load<u32>(heapNodes + ((best as usize) << 2)));
    place = best;
  }
  put(place, key, node);
  return top;
}
