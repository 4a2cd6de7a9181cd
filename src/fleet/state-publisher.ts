/**
 * Publishes a part of this daemon's state over the bus: each change once, and everything again when a process may lack
 * some of it.
 */
import { randomBytes } from 'node:crypto';
import type { NatsConnection } from './bus.ts';
import type { FleetName } from './fleet-name.ts';
import {
  MAX_ITEMS,
  packStateMessage,
  type StateKind,
  type StateMessage,
  type StatePosition,
} from './state-message.ts';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_MS = 2_000;
/** Minimum number of milliseconds between two complete reports on request. */
const WHOLE_AGAIN_MS = 1_000;

/** Options of a state publisher. */
export interface StatePublisherOptions<Item> {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  /** Id of this daemon. */
  readonly id: string;
  readonly kind: StateKind<Item>;
  /** The current value of the item with the same key; it may be empty. */
  readonly itemOf: (of: Item) => Item;
  /** All items that are not empty. */
  readonly all: () => Iterable<Item>;
  /** Milliseconds for which changes are collected before they are published. Default: until the next heartbeat. */
  readonly gatherMs?: number;
  /** Called at each heartbeat, with the number of heartbeats so far. */
  readonly onBeat?: (beats: number) => void;
}

/** Publishes items. */
export class StatePublisher<Item> {
  readonly #options: StatePublisherOptions<Item>;
  readonly #session = randomBytes(6).readUIntBE(0, 6);
  /** Items with an unpublished change. */
  readonly #changed = new Map<bigint | string, Item>();
  readonly #heartbeat: NodeJS.Timeout;
  #number = 0;
  #beats = 0;
  #gather: NodeJS.Timeout | undefined;
  /** A timer that runs for a second after everything was published on request. */
  #again: NodeJS.Timeout | undefined;
  /** Whether another request has arrived while the timer runs. */
  #isMissed = false;

  constructor(options: StatePublisherOptions<Item>) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** Notes that an item changed. Only its key matters. */
  note(item: Item): void {
    const { kind, gatherMs } = this.#options;
    this.#changed.set(kind.keyOf(item), item);
    if (gatherMs !== undefined) this.#gather ??= setTimeout(() => void this.flush(), gatherMs).unref();
  }

  /** Publishes the changes since the last report. @returns the position that a reader must reach to have all of them */
  flush(): StatePosition {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    const items = Array.from(this.#changed.values(), this.#options.itemOf);
    this.#changed.clear();
    for (let from = 0; from < items.length; from += MAX_ITEMS) {
      this.#number++;
      this.#publish({ kind: 'change', items: items.slice(from, from + MAX_ITEMS) });
    }
    return { session: this.#session, number: this.#number };
  }

  /** Publishes that this daemon is alive, and the number of its last change. */
  beat(): void {
    this.#publish({ kind: 'heartbeat', items: [] });
  }

  /** Publishes everything again. */
  repeat(): void {
    this.flush();
    const items = [...this.#options.all()];
    const parts = Math.max(1, Math.ceil(items.length / MAX_ITEMS));
    for (let part = 0; part < parts; part++) {
      const from = part * MAX_ITEMS;
      this.#publish({ kind: 'whole', items: items.slice(from, from + MAX_ITEMS), part, parts });
    }
  }

  /** Publishes everything again within a second, because a reader lacks some of it. */
  repeatSoon(): void {
    if (this.#again !== undefined) {
      this.#isMissed = true;
      return;
    }
    this.repeat();
    this.#again = setTimeout(() => {
      this.#again = undefined;
      if (this.#isMissed) this.repeatSoon();
    }, WHOLE_AGAIN_MS).unref();
    this.#isMissed = false;
  }

  close(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#gather);
    clearTimeout(this.#again);
  }

  #beat(): void {
    this.#beats++;
    this.flush();
    this.beat();
    this.#options.onBeat?.(this.#beats);
  }

  #publish(message: Pick<StateMessage<Item>, 'kind' | 'items' | 'part' | 'parts'>): void {
    const { bus, fleet, id, kind } = this.#options;
    if (bus.isClosed()) return;
    const named = { daemon: id, session: this.#session, number: this.#number };
    bus.publish(kind.subject(fleet), packStateMessage(kind, fleet, { ...named, ...message }));
  }
}
