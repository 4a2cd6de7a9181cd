/**
 * The queue of future events: a binary heap. Events are sorted by time, then by an order number that the scheduler
 * gives, then by insertion. So the sequence of events at the same time is fixed.
 */

interface Event {
  readonly at: number;
  readonly order: number;
  readonly sequence: number;
  readonly run: () => void;
}

function isBefore(a: Event, b: Event): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.order !== b.order) return a.order < b.order;
  return a.sequence < b.sequence;
}

/** Returns events in order of their time. */
export class EventQueue {
  private readonly heap: Event[] = [];
  private sequence = 0;

  get length(): number {
    return this.heap.length;
  }

  /** Time of the next event. `undefined` when there is none. */
  get nextAt(): number | undefined {
    return this.heap[0]?.at;
  }

  /**
   * @param at time in the scheduler's unit
   * @param order decides between events at the same time
   */
  schedule(at: number, order: number, run: () => void): void {
    const event = { at, order, sequence: this.sequence++, run };
    const { heap } = this;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = event;
  }

  /** Removes and returns the next event. */
  take(): Event | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}
