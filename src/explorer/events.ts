/**
 * The events of the node (`GET /v1/notifications`, Server-Sent Events). The stream is read with `fetch`, because
 * `EventSource` cannot send the header `Rune`. A broken stream is resumed with `Last-Event-ID`. If events are missing,
 * the node sends `reset`, and pages reload their lists.
 *
 * A browser opens at most six connections to one server (HTTP/1.1), so many open tabs share one stream: the tab that
 * holds the lock reads it and forwards it to the others. Without locks (a page that is neither on this machine nor over
 * TLS), each tab reads its own stream.
 */
import type { EventBodies, EventName } from './event-types.ts';
import { parseExact } from './exact-json.ts';

const PATH = '/v1/notifications';
const LOCK = 'fulgurite-events';
/**
 * Milliseconds before a broken stream is requested again: first and maximum pause. Each pause is twice the one before.
 */
const RETRY_MS = [500, 10_000] as const;

/** An event as received. `text` is its JSON. */
export interface RawEvent {
  readonly name: string;
  readonly text: string;
}

/** State of the stream. `away`: it broke, and is being requested again. */
export type StreamState = 'starting' | 'live' | 'away';

/** Splits the text of a stream into events (HTML, section 9.2.6). Comments are dropped. */
export class EventCutter {
  #rest = '';
  #lastId: string | undefined;

  /** Id of the last complete event. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Prepares for a new stream. Drops the incomplete event of the previous one. */
  restart(): void {
    this.#rest = '';
  }

  /** Adds a piece of the stream's text. Returns the events that it completes. */
  take(piece: string): RawEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => this.#event(block));
  }

  #event(block: string): RawEvent[] {
    let name = 'message';
    let text: string | undefined;
    for (const line of block.split('\n')) {
      const colon = line.indexOf(': ');
      const value = line.slice(colon + 2);
      const field = line.slice(0, colon);
      if (field === 'id') this.#lastId = value;
      else if (field === 'event') name = value;
      else if (field === 'data') text = text === undefined ? value : `${text}\n${value}`;
    }
    return text === undefined ? [] : [{ name, text }];
  }
}

type Listener = (body: never) => void;
type Shared = { readonly events: readonly RawEvent[] } | { readonly state: StreamState };

/** The shared stream. It starts with the first listener. */
export class Events {
  readonly #rune: () => string | undefined;
  readonly #onRefused: () => void;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #stateListeners = new Set<(state: StreamState) => void>();
  readonly #channel = new BroadcastChannel(LOCK);
  #state: StreamState = 'starting';
  #isBegun = false;

  constructor(rune: () => string | undefined, onRefused: () => void) {
    this.#rune = rune;
    this.#onRefused = onRefused;
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Shared>) => {
      if ('state' in data) this.#setState(data.state);
      else this.#deliver(data.events);
    });
  }

  /**
   * Listens to one kind of event until `signal` fires. The event `reset` means that some events were lost, so that
   * listeners must reload their lists.
   */
  on<N extends EventName>(name: N, listener: (body: EventBodies[N]) => void, signal: AbortSignal): void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener as Listener);
    signal.addEventListener('abort', () => listeners.delete(listener as Listener), { once: true });
    this.#begin();
  }

  /** Calls the listener with the state of the stream, now and after every change. */
  onState(listener: (state: StreamState) => void, signal: AbortSignal): void {
    this.#stateListeners.add(listener);
    signal.addEventListener('abort', () => this.#stateListeners.delete(listener), { once: true });
    listener(this.#state);
    this.#begin();
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    // In a browser without locks, each tab reads its own stream.
    const locks = (navigator as { locks?: LockManager }).locks;
    if (locks === undefined) void this.#follow(() => undefined);
    else void locks.request(LOCK, () => this.#follow((told) => this.#channel.postMessage(told)));
  }

  /** Reads the stream until the page closes, and forwards it to the other tabs. */
  async #follow(share: (told: Shared) => void): Promise<never> {
    const cutter = new EventCutter();
    let wait: number = RETRY_MS[0];
    const setState = (state: StreamState): void => {
      this.#setState(state);
      share({ state });
    };
    for (;;) {
      if (this.#rune() !== undefined) {
        await this.#read(cutter, (events) => {
          wait = RETRY_MS[0];
          setState('live');
          this.#deliver(events);
          if (events.length > 0) share({ events });
        });
        setState('away');
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(2 * wait, RETRY_MS[1]);
    }
  }

  async #read(cutter: EventCutter, take: (events: readonly RawEvent[]) => void): Promise<void> {
    cutter.restart();
    const headers = new Headers({ Rune: this.#rune() ?? '' });
    if (cutter.lastId !== undefined) headers.set('Last-Event-ID', cutter.lastId);
    try {
      const response = await fetch(PATH, { headers });
      if (response.status === 401 || response.status === 403) this.#onRefused();
      if (!response.ok || response.body === null) return;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        take(cutter.take(value));
      }
    } catch {
      // The stream broke. The loop requests it again.
    }
  }

  #setState(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }

  #deliver(events: readonly RawEvent[]): void {
    for (const { name, text } of events) {
      const listeners = this.#listeners.get(name);
      if (listeners === undefined || listeners.size === 0) continue;
      const body = parseExact(text) as never;
      for (const listener of listeners) listener(body);
    }
  }
}
