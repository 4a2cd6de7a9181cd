/**
 * Clients that follow events, in the server's thread: Server-Sent Events (HTML, "Server-sent events"). Each client has
 * its own queue. A client whose queue grows too long is disconnected. When it returns with `Last-Event-ID`, it gets the
 * events that it missed, or an instruction to reload its lists (`reset`).
 */
import type { FeedEvent } from './messages.ts';

/** Maximum number of bytes queued for one client. */
const MAX_QUEUED_BYTES = 2 * 1024 * 1024;
/** Milliseconds between two comments that show that the connection is alive. */
const QUIET_MS = 15_000;
/** Reconnection delay for clients, in milliseconds. */
const RETRY_MS = 1000;

const utf8 = new TextEncoder();

/** An event in the stream's format. The JSON of events has no line breaks, so the data is a single line. */
function block({ id, name, text }: FeedEvent): string {
  return `id: ${id}\nevent: ${name}\ndata: ${text}\n\n`;
}

class Follower {
  readonly stream: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #lastId: number;
  #isOver = false;

  constructor(lastId: number, onEnd: () => void) {
    this.#lastId = lastId;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#isOver = true;
          onEnd();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends those of these events that the client has not received yet. */
  tell(events: readonly FeedEvent[]): void {
    const newEvents = events.filter(({ id }) => id > this.#lastId);
    if (newEvents.length === 0) return;
    this.#lastId = newEvents.at(-1)!.id;
    this.write(newEvents.map(block).join(''));
  }

  /** Queues text. Disconnects the client if too much is queued. */
  write(text: string): void {
    if (this.#isOver) return;
    this.#controller.enqueue(utf8.encode(text));
    if ((this.#controller.desiredSize ?? 0) < 0) this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.error(new Error('the client does not read the stream'));
  }

  /** Ends the stream cleanly when the server stops. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
  }
}

/** All following clients. */
export class Followers {
  readonly #followers = new Set<Follower>();
  readonly #onGone: () => void;
  #quiet: NodeJS.Timeout | undefined;

  /** @param onGone called for each client that disconnects. */
  constructor(onGone: () => void) {
    this.#onGone = onGone;
  }

  get size(): number {
    return this.#followers.size;
  }

  /** The stream for a new client. @param missed the events that it missed. Undefined if it must reload its lists. */
  add(missed: readonly FeedEvent[] | undefined, lastId: number): ReadableStream<Uint8Array> {
    const follower: Follower = new Follower(lastId, () => this.#sweep());
    this.#followers.add(follower);
    const beginning = missed === undefined ? 'event: reset\ndata: {}\n' : missed.map(block).join('');
    follower.write(`retry: ${RETRY_MS}\n\n${beginning}id: ${lastId}\n\n`);
    this.#quiet ??= setInterval(() => this.#each((one) => one.write(': quiet\n\n')), QUIET_MS);
    return follower.stream;
  }

  tell(events: readonly FeedEvent[]): void {
    this.#each((one) => one.tell(events));
  }

  close(): void {
    this.#each((one) => one.close());
  }

  #each(act: (follower: Follower) => void): void {
    for (const follower of this.#followers) act(follower);
    this.#sweep();
  }

  #sweep(): void {
    for (const follower of this.#followers) {
      if (!follower.isOver) continue;
      this.#followers.delete(follower);
      this.#onGone();
    }
    if (this.#followers.size > 0) return;
    clearInterval(this.#quiet);
    this.#quiet = undefined;
  }
}
