/**
 * The HTTP server as the main thread sees it. It starts the HTTP server's thread, answers its calls, and sends answers
 * as fast as clients read them.
 *
 * TLS, headers, slow clients and cross-site requests are handled in that thread (server.ts), so they do not block the
 * main thread, which serves the UNIX socket too.
 */
import type { Worker } from 'node:worker_threads';
import { ERRORS, FulguriteError } from '../model/errors.ts';
import { prepareThread, startThread } from '../model/threads/early-thread.ts';
import { chunksOf, inTurns, toJson } from '../rpc/json-write.ts';
import type { RequestWatcher } from '../rpc/request-watcher.ts';
import type { RuneBook } from '../runes/rune-book.ts';
import { HttpSession } from './authorize.ts';
import type { CallAnswer } from './call-forms.ts';
import { type CallServices, Calls } from './calls.ts';
import { type EventSource, Feed } from './feed.ts';
import { ListPace, PIECE_MS } from './list-pace.ts';
import type {
  CallMessage,
  DocumentMessage,
  DocumentName,
  FollowMessage,
  GateSettings,
  PageFile,
  PageFileMessage,
  PageFileName,
  RedeemMessage,
  RefusedMessage,
  RuneChange,
  ServerSettings,
  ToMain,
  ToServer,
} from './messages.ts';

/** A document for clients: its text, and whether it is sent with status 503 because it reports a problem. */
export interface Document {
  readonly contentType: string;
  readonly text: string;
  readonly isBadNews?: boolean;
}

/** Functions that make the server's documents on request, by name. */
export type Documents = Readonly<Record<DocumentName, () => Document | Promise<Document>>>;

/** The services that the HTTP server needs. */
export interface HttpServices<C> extends CallServices<C> {
  readonly documents: Documents;
  readonly events: EventSource;
  readonly runes: RuneBook;
  /** Consumes the code of a link to the page. Returns its rune. Undefined if the code is not valid. */
  readonly redeemCode: (code: string) => string | undefined;
  /** Receives reports of the requests that the server's thread refused. */
  readonly watcher: RequestWatcher;
  /** The page's files that are generated at runtime. */
  readonly pageFile: (name: PageFileName) => Promise<PageFile>;
}

/** Settings of the server. */
export type HttpSettings = Omit<ServerSettings, 'gate'>;

/** A listening HTTP server. */
export interface HttpServer {
  /** The URL at which it listens. */
  readonly url: string;
  readonly port: number;
  /** The URL of the page. Undefined if no page is served. */
  readonly pageUrl: string | undefined;
  /** Accepts no more requests, waits at most `graceMs` for the answers to started requests, and ends the thread. */
  close(graceMs?: number): Promise<void>;
}

/** The server cannot listen. The message has the reason. */
export class HttpServerError extends Error {}

/** How long the thread may take to end after its grace period, in milliseconds. */
const LAST_MS = 1000;
const JSON_TYPE = 'application/json';
const OK = 200;
const GONE = 410;
const utf8 = new TextEncoder();

/** Starts the server. @param onDied called if the thread ends by itself. @throws HttpServerError */
export async function openHttpServer<C>(
  settings: HttpSettings,
  services: HttpServices<C>,
  onDied: (error: Error) => void,
): Promise<HttpServer> {
  const tell = (change: RuneChange): void => worker.postMessage(change satisfies ToServer);
  const data: ServerSettings = { ...settings, gate: gateSettings(services, settings.limits, tell) };
  const worker = startThread(compiledServer(), data);
  const port = await listening(worker);
  let isClosing = false;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.once('error', (error) => services.log.broken(`HTTP: ${error.stack ?? error.message}`));
  void ended.then(() => {
    if (!isClosing) onDied(new Error('the thread of the HTTP server ended'));
  });
  const desk = new Desk(services, settings.limits.maxInFlight, (message, handedOver) =>
    worker.postMessage(message, handedOver),
  );
  worker.on('message', (message: ToMain) => desk.take(message));
  const url = urlOf(settings, port);
  return {
    port,
    url,
    pageUrl: settings.uiFolder === undefined ? undefined : `${reachable(url)}/ui/`,
    async close(graceMs = 5000) {
      isClosing = true;
      worker.postMessage({ kind: 'close', graceMs } satisfies ToServer);
      const timer = setTimeout(() => void worker.terminate(), graceMs + LAST_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts the thread of a server that will be opened later. */
export const prepareHttpServer = (): void => prepareThread(compiledServer());

/** The initial state of the gate in the server's thread. @param tell receives later changes */
function gateSettings<C>(
  { runes, limits, registry }: HttpServices<C>,
  httpLimits: HttpSettings['limits'],
  tell: (change: RuneChange) => void,
): GateSettings {
  const { maxDepth, maxBatch } = limits;
  const maxValues = Math.min(limits.maxValues, httpLimits.maxValues);
  const memory = runes.share({
    onBlacklist: (blacklist) => tell({ kind: 'blacklist', blacklist }),
    onUsed: (uniqueId, lastUsedNs) => tell({ kind: 'used', uniqueId, lastUsedNs }),
  });
  const aliases = [...registry.commands.values()].map(({ name, aliases = {} }) => [name, aliases] as const);
  return { ...memory, limits: { maxDepth, maxValues, maxBatch }, aliases };
}

function urlOf({ host, tls }: HttpSettings, port: number): string {
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The URL for a browser on this machine. A server that listens on all addresses is reached on loopback. */
const reachable = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** Resolves with the port once the server listens on it. @throws HttpServerError */
function listening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      worker.off('message', begin);
      void worker.terminate();
      reject(new HttpServerError(reason));
    };
    const failed = (error: Error) => fail(error.message);
    const begin = (message: ToMain) => {
      worker.off('error', failed);
      if (message.kind === 'listening') resolve(message.port);
      else fail(message.kind === 'failed' ? message.reason : 'the HTTP server did not start');
    };
    worker.once('error', failed);
    worker.once('message', begin);
  });
}

/**
 * The URL of the compiled server. Under a test runner this file is TypeScript source, and the build is next to `src`.
 */
function compiledServer(): URL {
  const isCompiled = import.meta.url.endsWith('.js');
  return new URL(isCompiled ? './server.js' : '../../build/program/http/server.js', import.meta.url);
}

/** A call in progress. */
interface Active {
  isGone: boolean;
  /** Called when the client has read what was sent, or has left. */
  proceed: () => void;
}

/** Waits until the client has read what was sent, or has left. */
function wanted(active: Active): Promise<void> {
  return new Promise((resolve) => {
    if (active.isGone) resolve();
    else active.proceed = resolve;
  });
}

/** Processes the messages of the server's thread. */
class Desk<C> {
  readonly #services: HttpServices<C>;
  readonly #send: (message: ToServer, handedOver?: readonly ArrayBuffer[]) => void;
  readonly #calls: Calls<C>;
  readonly #feed: Feed;
  readonly #pace: ListPace;
  /** Maximum number of concurrent calls. Calls of disconnected clients count until they end. */
  readonly #maxInFlight: number;
  /** Calls being answered or written, by id. */
  readonly #active = new Map<number, Active>();
  /** One object per rune, so that all its requests share turns. Dropped when the rune's last request ends. */
  readonly #clients = new Map<string, { uses: number }>();

  constructor(
    services: HttpServices<C>,
    maxInFlight: number,
    send: (message: ToServer, handedOver?: readonly ArrayBuffer[]) => void,
  ) {
    this.#maxInFlight = maxInFlight;
    this.#services = services;
    this.#send = send;
    this.#calls = new Calls(services);
    this.#feed = new Feed(services.events, (events) => send({ kind: 'events', events }));
    this.#pace = new ListPace(() => services.turns.begun);
  }

  take(message: ToMain): void {
    if (message.kind === 'call') void this.#answer(message);
    else if (message.kind === 'document') void this.#document(message);
    else if (message.kind === 'follow') void this.#follow(message);
    else if (message.kind === 'file') void this.#file(message);
    else if (message.kind === 'redeem') this.#redeem(message);
    else if (message.kind === 'unfollow') this.#feed.leave();
    else if (message.kind === 'refused') this.#refused(message);
    else if (message.kind === 'log') this.#services.log[message.level](`HTTP: ${message.message}`);
    else if (message.kind === 'more') this.#active.get(message.id)?.proceed();
    else if (message.kind === 'gone') {
      this.#calls.leave(message.id);
      const active = this.#active.get(message.id);
      if (active !== undefined) active.isGone = true;
      active?.proceed();
    }
  }

  /** Logs and counts the requests that the server's thread refused. */
  #refused({ line, unwritten, counts }: RefusedMessage): void {
    const { log, watcher } = this.#services;
    if (unwritten > 0) log.unusual(`HTTP: ${unwritten} more requests were refused`);
    if (line !== undefined) log.unusual(line);
    for (const { method, count, ms } of counts) {
      for (let n = 0; n < count; n++) {
        watcher.began();
        watcher.ended(method, 'http', 'refused', ms / count);
      }
    }
  }

  async #answer(call: CallMessage): Promise<void> {
    if (this.#active.size >= this.#maxInFlight) {
      this.#refuse(call.id, new FulguriteError('busy', `More than ${this.#maxInFlight} concurrent requests`));
      return;
    }
    const key = call.rune ?? '';
    const client = this.#clients.get(key) ?? { uses: 0 };
    this.#clients.set(key, client);
    client.uses++;
    const active: Active = { isGone: false, proceed: () => undefined };
    this.#active.set(call.id, active);
    try {
      await this.#write(call.id, active, await this.#calls.answer(call, { ...call, client }));
    } catch (error) {
      this.#services.log.broken(`An HTTP response was aborted: ${String(error)}`);
      this.#send({ kind: 'broken', id: call.id });
    } finally {
      this.#active.delete(call.id);
      if (--client.uses === 0) this.#clients.delete(key);
    }
  }

  /** Sends an answer: its first chunk without waiting, and each further chunk when the client has room for it. */
  async #write(id: number, active: Active, { status, pieces }: CallAnswer): Promise<void> {
    let held: string | Uint8Array<ArrayBuffer> | undefined;
    const send = (part: string | Uint8Array<ArrayBuffer>, isLast: boolean): void => {
      if (typeof part !== 'string') this.#send({ kind: 'chunk', id, bytes: part, isLast }, [part.buffer]);
      else this.#send({ kind: 'answer', id, status, contentType: JSON_TYPE, text: part, isLast });
    };
    const goOn = () => this.#pace.goOn();
    for (const chunk of chunksOf(inTurns(pieces, goOn, PIECE_MS))) {
      if (typeof chunk !== 'string') {
        await chunk;
        continue;
      }
      if (held !== undefined) {
        send(held, false);
        await wanted(active);
        await this.#pace.turn();
        if (active.isGone) return;
      }
      // Bytes are stored outside the heap, so no garbage collection copies them while they wait for the client.
      held = held === undefined ? chunk : utf8.encode(chunk);
    }
    send(held ?? '', true);
  }

  async #document({ id, name, method, rune, address }: DocumentMessage): Promise<void> {
    const session = new HttpSession({ rune, address, client: this }, true);
    try {
      if (method !== undefined) await this.#services.authorize(method, undefined, session);
      const { contentType, text, isBadNews = false } = await this.#services.documents[name]();
      const status = isBadNews ? ERRORS.busy.httpStatus : OK;
      this.#send({ kind: 'answer', id, status, contentType, text, isLast: true });
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #redeem({ id, code }: RedeemMessage): void {
    const rune = this.#services.redeemCode(code);
    if (rune === undefined) {
      const message = 'This link has already been used or has expired';
      const text = toJson({ code: null, message, data: null });
      this.#send({ kind: 'answer', id, status: GONE, contentType: JSON_TYPE, text, isLast: true });
      return;
    }
    this.#send({
      kind: 'answer',
      id,
      status: OK,
      contentType: JSON_TYPE,
      text: toJson({ rune }),
      isLast: true,
    });
  }

  async #follow({ id, method, rune, address, afterId }: FollowMessage): Promise<void> {
    const session = new HttpSession({ rune, address, client: this }, true);
    try {
      await this.#services.authorize(method, undefined, session);
      this.#send({ kind: 'started', id, ...this.#feed.start(afterId) });
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  async #file({ id, name, method, rune, address }: PageFileMessage): Promise<void> {
    const session = new HttpSession({ rune, address, client: this }, true);
    try {
      await this.#services.authorize(method, undefined, session);
      this.#send({ kind: 'fileFound', id, file: await this.#services.pageFile(name) });
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  /** Answers with an error. Errors that clients must not see go to the log. */
  #refuse(id: number, error: unknown): void {
    const isTold = error instanceof FulguriteError;
    if (!isTold) this.#services.log.broken(`An HTTP request failed: ${String(error)}`);
    const { name, code, message } = isTold ? error : new FulguriteError('internal', ERRORS.internal.meaning);
    const status = ERRORS[name].httpStatus;
    const text = toJson({ code, message, data: null });
    this.#send({ kind: 'answer', id, status, contentType: JSON_TYPE, text, isLast: true });
  }
}
