/** The link from the server's thread to the main thread: sends requests, and delivers the answers. */
import type { MessagePort } from 'node:worker_threads';
import type {
  AnswerMessage,
  CallMessage,
  DocumentMessage,
  FollowMessage,
  PageFile,
  PageFileMessage,
  RedeemMessage,
  RuneChange,
  StartedMessage,
  ToMain,
  ToServer,
} from './messages.ts';

/** The main thread's reply to a request. */
export interface MainReply {
  readonly status: number;
  readonly contentType: string;
  /**
   * A string if it is short; otherwise a stream that requests each chunk when the client has room for it. Bytes if the
   * same body is sent many times.
   */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

type WithoutId<T> = Omit<T, 'id'>;

interface Waiting {
  readonly resolve: (reply: MainReply) => void;
  readonly reject: (error: Error) => void;
  stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Ends the wait for the next chunk, so that the stream can request the one after it. */
  onChunk: () => void;
  /** Called with the file. Only for requests for page files. */
  readonly onFile?: (file: PageFile) => void;
  /**
   * Makes the stream of a client that may follow events. Called at once, so that no event is missed. Only for requests
   * to follow events.
   */
  readonly onStart?: (started: StartedMessage) => ReadableStream<Uint8Array>;
}

const utf8 = new TextEncoder();

/** Sends requests to the main thread. Each has a number, by which its answer is matched. */
export class MainLink {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** Number of incomplete answers. */
  get inFlight(): number {
    return this.#waiting.size;
  }

  /** @param onId receives the number of the request, which `leave` needs if the client disconnects. */
  ask(
    message: WithoutId<CallMessage> | WithoutId<DocumentMessage> | WithoutId<RedeemMessage>,
    onId?: (id: number) => void,
  ): Promise<MainReply> {
    const id = ++this.#lastId;
    onId?.(id);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, stream: undefined, onChunk: () => undefined });
      this.#send({ ...message, id } as ToMain);
    });
  }

  /**
   * Asks to follow events. @param onStart makes the stream of a client that may follow.
   * @returns the answer with that stream, or a refusal.
   */
  follow(
    message: WithoutId<FollowMessage>,
    onStart: (started: StartedMessage) => ReadableStream<Uint8Array>,
  ): Promise<MainReply> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, stream: undefined, onChunk: () => undefined, onStart });
      this.#send({ ...message, id });
    });
  }

  /** Requests a page file. @returns the file, or a refusal. */
  file(message: WithoutId<PageFileMessage>): Promise<PageFile | MainReply> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {
        resolve,
        reject,
        stream: undefined,
        onChunk: () => undefined,
        onFile: resolve,
      });
      this.#send({ ...message, id });
    });
  }

  /** Reports that a client that followed events has disconnected. */
  unfollow(): void {
    this.#send({ kind: 'unfollow' });
  }

  /** Cancels a request whose answer is no longer needed. */
  leave(id: number): void {
    if (this.#waiting.delete(id)) this.#send({ kind: 'gone', id });
  }

  /** Writes a log line. It must not contain more than the start of a client's input. */
  log(level: 'debug' | 'unusual' | 'broken', message: string): void {
    this.#send({ kind: 'log', level, message });
  }

  /** Processes a message of the main thread. */
  take(message: Exclude<ToServer, RuneChange | { kind: 'close' | 'events' }>): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'answer') this.#begin(message, waiting);
    else if (message.kind === 'started') this.#started(message, waiting);
    else if (message.kind === 'fileFound') {
      this.#waiting.delete(message.id);
      waiting.onFile!(message.file);
    } else if (message.kind === 'broken') {
      this.#waiting.delete(message.id);
      const error = new Error('the response was aborted');
      if (waiting.stream === undefined) waiting.reject(error);
      else waiting.stream.error(error);
    } else {
      waiting.stream?.enqueue(message.bytes);
      waiting.onChunk();
      if (message.isLast) {
        this.#waiting.delete(message.id);
        waiting.stream?.close();
      }
    }
  }

  #started(message: StartedMessage, { resolve, onStart }: Waiting): void {
    this.#waiting.delete(message.id);
    const body = onStart!(message);
    resolve({ status: 200, contentType: 'text/event-stream', body });
  }

  #begin({ id, status, contentType, text, isLast }: AnswerMessage, waiting: Waiting): void {
    if (isLast) this.#waiting.delete(id);
    const body = isLast ? text : this.#stream(id, text, waiting);
    waiting.resolve({ status, contentType, body });
  }

  /**
   * A stream of an answer's chunks. The first chunk is given. Each further chunk is requested when the client has room
   * for it.
   */
  #stream(id: number, first: string, waiting: Waiting): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          waiting.stream = controller;
          controller.enqueue(utf8.encode(first));
        },
        pull: () => {
          this.#send({ kind: 'more', id });
          return new Promise((resolve) => {
            waiting.onChunk = resolve;
          });
        },
        cancel: () => this.leave(id),
      },
      { highWaterMark: 1 },
    );
  }

  #send(message: ToMain): void {
    this.#port.postMessage(message);
  }
}
