/**
 * Collects events for HTTP clients, in the main thread, for a tenth of a second at a time. Of several events with the
 * same subject, only the last is sent, because it contains everything that the others do. So each subject causes at
 * most ten events a second, and each event is encoded once, however many clients follow.
 */
import type { FeedEvent } from './messages.ts';

/** One event of the node. */
export interface SourceEvent {
  /** Id of the event. It is greater than the ids of all earlier events. */
  readonly id: number;
  readonly name: string;
  /**
   * The subject of the event. A later event with the same subject replaces this one. Undefined if no later event can
   * replace it.
   */
  readonly subject: string | undefined;
  /** The event as JSON. */
  readonly text: () => string;
}

/** A source of events. */
export interface EventSource {
  /**
   * Calls back for every event from now on.
   * @param afterId id of the last event that the caller has seen. `missed` contains the events after it, if all are
   *   known.
   */
  follow(
    listener: (event: SourceEvent) => void,
    afterId?: number,
  ): {
    readonly missed: readonly SourceEvent[];
    readonly isComplete: boolean;
    readonly lastId: number;
    stop(): void;
  };
}

/** Milliseconds for which events are collected. */
const GATHER_MS = 100;
/**
 * Maximum number of characters of missed events that a returning client gets. A client that missed more must reload its
 * lists.
 */
const MAX_MISSED_CHARACTERS = 512 * 1024;

/** The first message for a new follower. */
export interface FeedStart {
  /**
   * The events after the last one that the client has seen. Undefined if not all of them are known, or there are too
   * many.
   */
  readonly missed: readonly FeedEvent[] | undefined;
  /** Id of the last event so far. Later events have higher ids. */
  readonly lastId: number;
}

/** Collects events while there are followers. */
export class Feed {
  readonly #source: EventSource;
  readonly #send: (events: readonly FeedEvent[]) => void;
  readonly #gathered = new GatheredEvents();
  #followers = 0;
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param send receives events in the order of their ids. */
  constructor(source: EventSource, send: (events: readonly FeedEvent[]) => void) {
    this.#source = source;
    this.#send = send;
  }

  /** Adds a follower. @param afterId id of the last event that it has seen. */
  start(afterId: number | undefined): FeedStart {
    this.#followers++;
    this.#stop ??= this.#source.follow((event) => this.#take(event)).stop;
    const { missed, isComplete, lastId, stop } = this.#source.follow(() => undefined, afterId);
    stop();
    return { missed: isComplete ? textsOf(missed) : undefined, lastId };
  }

  /** Removes a follower. After the last one, events are no longer collected. */
  leave(): void {
    if (--this.#followers === 0) this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathered.take();
    this.#stop?.();
    this.#stop = undefined;
  }

  #take(event: SourceEvent): void {
    this.#gathered.add(event);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send(this.#gathered.take().map(feedEvent));
    }, GATHER_MS);
  }
}

/** Events in order, with only the last one per subject. */
class GatheredEvents {
  #events = new Map<string | number, SourceEvent>();

  add(event: SourceEvent): void {
    const key = event.subject ?? event.id;
    this.#events.delete(key);
    this.#events.set(key, event);
  }

  take(): SourceEvent[] {
    const events = [...this.#events.values()];
    this.#events.clear();
    return events;
  }
}

const feedEvent = ({ id, name, text }: SourceEvent): FeedEvent => ({ id, name, text: text() });

function textsOf(missed: readonly SourceEvent[]): FeedEvent[] | undefined {
  const gathered = new GatheredEvents();
  for (const event of missed) gathered.add(event);
  const events: FeedEvent[] = [];
  let characters = 0;
  for (const event of gathered.take()) {
    const told = feedEvent(event);
    characters += told.text.length;
    if (characters > MAX_MISSED_CHARACTERS) return undefined;
    events.push(told);
  }
  return events;
}
