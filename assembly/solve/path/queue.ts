/**
 * A 4-ary min-heap of values by key. A value may be in the heap several times; the caller decides which entry counts.
 * Searches that need decrease-key use the indexed heap instead (heap.ts).
 *
 * Invariant: no child has a smaller key than its parent. Pushing costs O(log₄ n), popping O(4 · log₄ n). The order
 * among equal keys depends only on the order of the calls.
 */
import { takePages } from '../../graph/arena';
import { Column, newColumn } from '../../graph/column';

/** A 4-ary min-heap of values by key. */
@unmanaged
export class Queue {
  private keys: Column<f64>;
  private values: Column<u32>;
  private room: u32;
  size: u32;

  /** The smallest key; there must be an entry. */
  @inline
  leastKey(): f64 {
    return this.keys[0];
  }

  /** The value with the smallest key; there must be an entry. */
  @inline
  first(): u32 {
    return this.values[0];
  }

  /** Empties the queue and makes room for this many entries. */
  clear(room: u32): void {
    this.size = 0;
    if (room <= this.room) return;
    this.keys = newColumn<f64>(room);
    this.values = newColumn<u32>(room);
    this.room = room;
  }

  push(key: f64, value: u32): void {
    assert(this.size < this.room, 'an entry has a place');
    const keys = this.keys;
    const values = this.values;
    let place = this.size++;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (keys[parent] <= key) break;
      keys[place] = keys[parent];
      values[place] = values[parent];
      place = parent;
    }
    keys[place] = key;
    values[place] = value;
  }

  /** Removes the entry with the smallest key; there must be one. */
  pop(): void {
    const size = --this.size;
    if (size === 0) return;
    const keys = this.keys;
    const values = this.values;
    const key = keys[size];
    const value = values[size];
    let place: u32 = 0;
    for (;;) {
      const first = (place << 2) + 1;
      if (first >= size) break;
      const last = min<u32>(first + 4, size);
      let best = first;
      for (let child = first + 1; child < last; child++) if (keys[child] < keys[best]) best = child;
      if (keys[best] >= key) break;
      keys[place] = keys[best];
      values[place] = values[best];
      place = best;
    }
    keys[place] = key;
    values[place] = value;
  }
}

/** An empty queue without room. */
export function newQueue(): Queue {
  return changetype<Queue>(takePages(offsetof<Queue>() as u64));
}
