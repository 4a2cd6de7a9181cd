/**
 * The most recent events, so that a client that lost its connection can resume. The oldest are overwritten. Ids
 * increase, so an id is found by binary search.
 */
import type { NodeEvent } from './event.ts';

/** Number of events kept. With three attempts per payment, they cover about the last thousand payments. */
export const KEPT_EVENTS = 10_000;

/** Keeps a bounded number of events in order. */
export class EventRing {
  readonly #capacity: number;
  readonly #events: NodeEvent[] = [];
  /** Index of the oldest event, once the ring is full. */
  #oldest = 0;
  /** All events with a higher id are still kept. */
  #completeAfter: number;

  /** @param completeAfter an id below the ids of all events to be added */
  constructor(completeAfter: number, capacity = KEPT_EVENTS) {
    this.#completeAfter = completeAfter;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#events.length;
  }

  add(event: NodeEvent): void {
    if (this.#events.length < this.#capacity) {
      this.#events.push(event);
      return;
    }
    this.#completeAfter = this.#events[this.#oldest]!.id;
    this.#events[this.#oldest] = event;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
  }

  /** Whether every event after this id is still kept. */
  isCompleteAfter(id: number): boolean {
    return id >= this.#completeAfter;
  }

  /** The events after this id, oldest first. */
  after(id: number): NodeEvent[] {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).id <= id) low = middle + 1;
      else high = middle;
    }
    return Array.from({ length: this.#events.length - low }, (_, index) => this.#at(low + index));
  }

  #at(place: number): NodeEvent {
    return this.#events[(this.#oldest + place) % this.#events.length]!;
  }
}
