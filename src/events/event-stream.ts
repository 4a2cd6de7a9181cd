/**
 * The node's stream of events. Payments, fetches of invoices, layers and own invoices publish into it (`sources.ts`).
 * The log, the metrics and clients that follow the node listen to it.
 *
 * Listeners are called immediately, in order, in the payment thread. So they must be fast, and must not throw. A
 * payment must never fail because of a listener, so a listener that throws is removed and the fault is reported.
 *
 * Ids count up from the time of the start, in microseconds. So an id of an earlier run is lower than all ids of this
 * run, and a client that resumes with such an id is notified that events are missing. (This fails at more than a
 * million events a second, or if the clock is set back between two runs.)
 *
 * While a client follows, figures of the whole node are published once a second. They are not kept, because only the
 * latest figures matter.
 */
import type { Clock } from '../model/clock.ts';
import type { EventBody, Figures, NodeEvent } from './event.ts';
import { EventRing } from './event-ring.ts';

const FIGURES_EVERY_MS = 1000;

/** The functions and settings that a stream needs. */
export interface EventStreamOptions {
  readonly clock: Clock;
  /** Returns the current figures. Called once a second while a client follows. */
  readonly figures: () => Figures;
  /** Called when a listener throws. */
  readonly onFault: (error: unknown) => void;
  /** Number of events kept for clients that resume. Default `KEPT_EVENTS`. */
  readonly kept?: number;
}

/** Called for each event. */
export type EventListener = (event: NodeEvent) => void;

/** A subscription of a client that follows the stream. */
export interface Following {
  /** The events after the given id, oldest first. Empty if some are no longer available. */
  readonly missed: readonly NodeEvent[];
  /** Whether no event is missing. If false, the client must reload its lists. */
  readonly isComplete: boolean;
  /** Id of the last event so far. A client that has received no event yet resumes with this id. */
  readonly lastId: number;
  stop(): void;
}

/** Numbers events, keeps recent ones, and passes them to listeners. */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #ring: EventRing;
  readonly #listeners = new Set<EventListener>();
  #lastId: number;
  #followers = 0;
  #stopFigures: (() => void) | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lastId = options.clock.nowMs() * 1000;
    this.#ring = new EventRing(this.#lastId, options.kept);
  }

  publish(body: EventBody): void {
    const event: NodeEvent = { id: ++this.#lastId, atMs: this.#options.clock.nowMs(), ...body };
    if (event.type !== 'stats') this.#ring.add(event);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener);
        this.#options.onFault(error);
      }
    }
  }

  /** Calls the listener for every later event. @returns a function that unsubscribes */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Follows the stream, starting after the event `afterId` if given. While a client follows, figures are published. */
  follow(listener: EventListener, afterId = this.#lastId): Following {
    const isComplete = afterId <= this.#lastId && this.#ring.isCompleteAfter(afterId);
    const missed = isComplete ? this.#ring.after(afterId) : [];
    // A separate listener function, so that the caller can subscribe the same function twice.
    const stopListening = this.listen((event) => listener(event));
    this.#followers++;
    this.#stopFigures ??= this.#figuresLater();
    let isOver = false;
    const stop = (): void => {
      if (isOver) return;
      isOver = true;
      stopListening();
      this.#followers--;
      if (this.#followers === 0) this.#endFigures();
    };
    return { missed, isComplete, lastId: this.#lastId, stop };
  }

  /** Stops timers and removes all listeners. */
  close(): void {
    this.#listeners.clear();
    this.#endFigures();
  }

  #figuresLater(): () => void {
    return this.#options.clock.after(FIGURES_EVERY_MS, () => {
      this.#stopFigures = this.#figuresLater();
      this.publish({ type: 'stats', figures: this.#options.figures() });
    });
  }

  #endFigures(): void {
    this.#stopFigures?.();
    this.#stopFigures = undefined;
  }
}
