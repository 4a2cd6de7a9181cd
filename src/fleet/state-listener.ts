/**
 * Receives what daemons publish about a part of their state (state-publisher.ts). If a daemon is silent for ten seconds,
 * everything from it is dropped.
 *
 * After a lost message, the copy of its sender's state is incomplete, and `reachOf` returns `behind`, until that daemon
 * publishes everything again.
 */
import type { NatsConnection, Subscription } from './bus.ts';
import type { FleetName } from './fleet-name.ts';
import { readStateMessage, type StateKind, type StateMessage, type StatePosition } from './state-message.ts';

/** The state of a daemon that is silent for this many milliseconds is dropped. */
const EXPIRE_MS = 10_000;
const MAX_DAEMONS = 1_000;

/** Options of a listener. */
export interface StateListenerOptions<Item> {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  readonly kind: StateKind<Item>;
  /** Maximum number of items kept for all daemons. Further ones are ignored. */
  readonly maxKept: number;
  /** Id of the listening daemon, whose own messages are ignored. Undefined in a solver. */
  readonly id?: string | undefined;
  /** Stores an item of a daemon. */
  readonly set: (daemon: string, item: Item) => void;
  /** Drops everything from a daemon. Gets the keys of its items, as empty items. */
  readonly forget: (daemon: string, items: Iterable<Item>) => void;
  /** Called for the first message of a daemon, and after its restart. */
  readonly onStranger?: (() => void) | undefined;
  /** Called when the server refuses the subscription. */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /** The monotonic clock. Tests replace it. */
  readonly monotonicMs?: (() => number) | undefined;
}

/**
 * How much of a daemon's state we have: everything up to the position, only a part, or only a part for lack of room.
 */
export type StateReach = 'reached' | 'behind' | 'full';

/** What is known of one daemon from its messages. */
interface HeardDaemon<Item> {
  readonly session: number;
  number: number;
  /**
   * `reached` if all items had room, and no message is missing since the session began or since the last whole state.
   */
  reach: StateReach;
  atMs: number;
  /** The keys of the items that are not empty, as empty items. */
  readonly items: Map<bigint | string, Item>;
  /** The keys received so far, while the parts of the whole state arrive. Undefined at other times. */
  parts: { readonly keys: Set<bigint | string>; next: number; fits: boolean } | undefined;
}

/** Tracks the reports of daemons. */
export class StateListener<Item> {
  readonly #options: StateListenerOptions<Item>;
  readonly #monotonicMs: () => number;
  readonly #daemons = new Map<string, HeardDaemon<Item>>();
  readonly #subscription: Subscription;
  #kept = 0;

  constructor(options: StateListenerOptions<Item>) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#subscription = options.bus.subscribe(options.kind.subject(options.fleet), {
      callback: (error, message) => {
        if (error === null) this.#hear(message.data);
        else options.onRefused?.(error.message);
      },
    });
  }

  /** Number of items kept. */
  get count(): number {
    return this.#kept;
  }

  /** How much of a daemon's state up to this position we have. */
  reachOf(daemon: string, { session, number }: StatePosition): StateReach {
    const known = this.#daemons.get(daemon);
    if (known?.session !== session) return number === 0 && known === undefined ? 'reached' : 'behind';
    return known.reach === 'reached' && known.number < number ? 'behind' : known.reach;
  }

  /** Drops what is known of silent daemons. */
  expire(): void {
    const oldestMs = this.#monotonicMs() - EXPIRE_MS;
    for (const [daemon, { atMs }] of this.#daemons) if (atMs < oldestMs) this.#forget(daemon);
  }

  /** Stops listening and drops everything received. */
  close(): void {
    this.#subscription.unsubscribe();
    for (const daemon of [...this.#daemons.keys()]) this.#forget(daemon);
  }

  #hear(bytes: Uint8Array): void {
    const { kind, fleet, id, onStranger } = this.#options;
    const message = readStateMessage(kind, fleet, bytes);
    if (message === undefined || message.daemon === id) return;
    const known = this.#daemons.get(message.daemon);
    const isStranger = known?.session !== message.session;
    const heard = isStranger ? this.#begin(message) : known;
    if (heard === undefined) return;
    heard.atMs = this.#monotonicMs();
    if (message.kind === 'whole') this.#takeWhole(heard, message);
    else this.#takeChange(heard, message);
    if (isStranger) onStranger?.();
  }

  #begin({ daemon, session }: StateMessage<Item>): HeardDaemon<Item> | undefined {
    this.#forget(daemon);
    if (this.#daemons.size >= MAX_DAEMONS) return undefined;
    const heard = {
      ...{ session, number: 0, reach: 'reached' as const, atMs: 0 },
      ...{ items: new Map(), parts: undefined },
    };
    this.#daemons.set(daemon, heard);
    return heard;
  }

  #takeChange(heard: HeardDaemon<Item>, { daemon, number, kind, items }: StateMessage<Item>): void {
    const next = kind === 'change' ? heard.number + 1 : heard.number;
    if (number !== next) heard.reach = 'behind';
    if (number < next) return;
    heard.number = number;
    for (const item of items) if (!this.#set(heard, daemon, item)) heard.reach = 'full';
  }

  #takeWhole(heard: HeardDaemon<Item>, message: StateMessage<Item>): void {
    const { daemon, number, items, part = 0, parts = 1 } = message;
    if (part === 0) heard.parts = { keys: new Set(), next: 0, fits: true };
    const came = heard.parts;
    if (came === undefined || part !== came.next) {
      heard.parts = undefined;
      return;
    }
    came.next++;
    for (const item of items) {
      came.keys.add(this.#options.kind.keyOf(item));
      if (!this.#set(heard, daemon, item)) came.fits = false;
    }
    if (part < parts - 1) return;
    heard.parts = undefined;
    heard.number = number;
    heard.reach = came.fits ? 'reached' : 'full';
    for (const [key, item] of heard.items) if (!came.keys.has(key)) this.#set(heard, daemon, item);
  }

  /** @returns false when there is no room for the item */
  #set(heard: HeardDaemon<Item>, daemon: string, item: Item): boolean {
    const { kind, maxKept, set } = this.#options;
    const key = kind.keyOf(item);
    if (kind.isEmpty(item)) {
      if (heard.items.delete(key)) this.#kept--;
    } else if (!heard.items.has(key)) {
      if (this.#kept >= maxKept) return false;
      heard.items.set(key, kind.emptied(item));
      this.#kept++;
    }
    set(daemon, item);
    return true;
  }

  #forget(daemon: string): void {
    const heard = this.#daemons.get(daemon);
    if (heard === undefined) return;
    this.#daemons.delete(daemon);
    this.#kept -= heard.items.size;
    this.#options.forget(daemon, heard.items.values());
  }
}
