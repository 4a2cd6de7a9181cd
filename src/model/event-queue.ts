/**
 * The queue of future events: a binary heap by time, then by an order that the scheduler gives, then by
 * insertion. So at one instant, events of different order do not depend on which was scheduled first.
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

/** Gives back events in order of their time. */
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

  /** @param at time in the unit of the scheduler; `order` decides among events of one instant */
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

  /** Takes the next event out. */
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
