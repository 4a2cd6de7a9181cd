/**
 * Events for clients that follow over HTTP, as the main thread sees them. Events are gathered for a tenth of a
 * second. Of several events about the same thing only the last is sent, because it contains all that the others
 * said. So each payment causes at most ten events a second, however many clients follow, and each event is turned
 * into text once.
 */
import type { FeedEvent } from './messages.ts';

/** One event of the node. */
export interface SourceEvent {
  /** Grows from event to event. */
  readonly id: number;
  readonly name: string;
  /** What the event is about. A later event with the same subject contains all of it. Undefined: none does. */
  readonly subject: string | undefined;
  /** The event as JSON. */
  readonly text: () => string;
}

/** Where events come from. */
export interface EventSource {
  /**
   * Calls back for every event from now on.
   * @param afterId the last event that the caller has seen. `missed` are the events after it, if all are known.
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

/** Milliseconds for which events are gathered. */
const GATHER_MS = 100;
/** Maximum characters of missed events that a returning client gets. If more were missed, it must reload its lists. */
const MAX_MISSED_CHARACTERS = 512 * 1024;

/** What a client gets first when it begins to follow. */
export interface FeedStart {
  /** The events since the one that the client named. Undefined when not all are known, or they are too many. */
  readonly missed: readonly FeedEvent[] | undefined;
  /** The last event so far. What follows has higher numbers. */
  readonly lastId: number;
}

/** Gathers events while anyone follows. */
export class Feed {
  readonly #source: EventSource;
  readonly #send: (events: readonly FeedEvent[]) => void;
  readonly #gathered = new GatheredEvents();
  #followers = 0;
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param send is given events in the order of their numbers. */
  constructor(source: EventSource, send: (events: readonly FeedEvent[]) => void) {
    this.#source = source;
    this.#send = send;
  }

  /** Someone begins to follow. @param afterId the last event that it has seen. */
  start(afterId: number | undefined): FeedStart {
    this.#followers++;
    this.#stop ??= this.#source.follow((event) => this.#take(event)).stop;
    const { missed, isComplete, lastId, stop } = this.#source.follow(() => undefined, afterId);
    stop();
    return { missed: isComplete ? textsOf(missed) : undefined, lastId };
  }

  /** A follower has gone. After the last one has gone, events are no longer gathered. */
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

/** Events in order, only the last one for each thing. */
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
