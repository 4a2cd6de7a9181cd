/**
 * The queue of future events: a binary heap by time, then by an order that the scheduler gives, then by
 * insertion. So at one instant, events of different order do not depend on which was scheduled first.
 */

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly sequence: number;
  readonly run: () => void;
}

function isBefore(a: Event, b: Event): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (a.order !== b.order) return a.order < b.order;
  return a.sequence < b.sequence;
}

/** Gives back events in order of their time. */
export class EventQueue {
  private readonly heap: Event[] = [];
  private sequence = 0;

  get length(): number {
    return this.heap.length;
  }

  /** Time of the next event. `undefined` when there is none. */
  get nextAtMs(): number | undefined {
    return this.heap[0]?.atMs;
  }

  schedule(atMs: number, order: number, run: () => void): void {
    const event = { atMs, order, sequence: this.sequence++, run };
    const { heap } = this;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  /** Takes the next event out. */
  take(): Event | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
