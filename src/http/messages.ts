/**
 * The messages between the main thread and the thread of the HTTP server.
 *
 * A call goes to the main thread as text, and its answer comes back as text, in chunks. The main thread sends further
 * chunks only on request, so a client that does not read occupies only one chunk.
 */
import type { RuneMemory } from '../runes/rune-check.ts';
import type { CallLimits } from './call-forms.ts';
import type { HttpLimits } from './limits.ts';

/** The server's initial data: its first message. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Certificate chain and key in PEM. Undefined for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Names allowed in Host headers, in addition to IP addresses. In lower case. */
  readonly hostNames: readonly string[];
  /** Origins of other sites whose scripts may send requests, or `*`. */
  readonly corsOrigins: readonly string[];
  /** The folder with the page's files, served under `/ui/`. Undefined if no page is served. */
  readonly uiFolder: string | undefined;
  readonly limits: HttpLimits;
  readonly gate: GateSettings;
}

/** The data that the server's thread needs to refuse requests by itself. */
export interface GateSettings extends Omit<RuneMemory, 'usageOf'> {
  readonly limits: CallLimits;
  /** The names of all commands, with their parameters' aliases. */
  readonly aliases: readonly (readonly [string, Readonly<Record<string, string>>])[];
}

/** Changes of the gate's data while the service runs. */
export type RuneChange =
  | { readonly kind: 'blacklist'; readonly blacklist: RuneMemory['blacklist'] }
  /** A rune with a rate limit was used. */
  | { readonly kind: 'used'; readonly uniqueId: bigint; readonly lastUsedNs: bigint };

/** The requests that the server's thread has refused since its last report. */
export interface RefusedMessage {
  readonly kind: 'refused';
  /** A log line about the last refusal, if it is within the limit of lines. */
  readonly line: string | undefined;
  /** Number of refusals without a line. */
  readonly unwritten: number;
  /** Number of refusals per method, and their total milliseconds. */
  readonly counts: readonly { readonly method: string; readonly count: number; readonly ms: number }[];
}

/** The documents made by the main thread. */
export type DocumentName = 'health' | 'ready' | 'metrics' | 'openrpc' | 'swagger' | 'methods';

/** A call of one or more commands, with the client's rune. */
export interface CallMessage {
  readonly kind: 'call';
  readonly id: number;
  /** `rpc`: the body is a JSON-RPC request or a batch. `rest`: it contains the parameters of `method`. */
  readonly form: 'rpc' | 'rest';
  readonly method: string;
  readonly body: string;
  readonly rune: string | undefined;
  readonly address: string;
  readonly idempotencyKey: string | undefined;
}

/** A request for a document. If `method` is given, a rune must permit that method. */
export interface DocumentMessage {
  readonly kind: 'document';
  readonly id: number;
  readonly name: DocumentName;
  readonly address: string;
  /** The method that a rune must permit. Undefined if no rune is needed. */
  readonly method: string | undefined;
  readonly rune: string | undefined;
}

/** The page's files that the main thread makes, as opposed to the static files. */
export type PageFileName = 'graph' | 'ids' | 'names';

/** A request for a page file. A rune must permit `method`. */
export interface PageFileMessage {
  readonly kind: 'file';
  readonly id: number;
  readonly name: PageFileName;
  readonly address: string;
  readonly method: string;
  readonly rune: string | undefined;
}

/** A request by which the page exchanges the code in its link for a rune. */
export interface RedeemMessage {
  readonly kind: 'redeem';
  readonly id: number;
  readonly code: string;
}

/** A file with its compressed forms. The bytes are shared between threads, and never change. */
export interface PageFile {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly br?: Uint8Array;
}

/** A request to follow events. The client's rune must permit `method`. */
export interface FollowMessage {
  readonly kind: 'follow';
  readonly id: number;
  readonly method: string;
  readonly rune: string | undefined;
  readonly address: string;
  /** Id of the last event that the client has seen. */
  readonly afterId: number | undefined;
}

/** An event as sent to clients. */
export interface FeedEvent {
  readonly id: number;
  readonly name: string;
  /** One line of JSON. */
  readonly text: string;
}

/** A client is permitted to follow events. */
export interface StartedMessage {
  readonly kind: 'started';
  readonly id: number;
  /** The events that the client missed. Undefined if not all are known, or there are too many. */
  readonly missed: readonly FeedEvent[] | undefined;
  readonly lastId: number;
}

/** A message from the server's thread to the main thread. */
export type ToMain =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'log'; readonly level: 'debug' | 'unusual' | 'broken'; readonly message: string }
  | RefusedMessage
  | CallMessage
  | DocumentMessage
  | FollowMessage
  | PageFileMessage
  | RedeemMessage
  /** A client that followed events has disconnected. */
  | { readonly kind: 'unfollow' }
  /** A request for the next chunk of an answer. */
  | { readonly kind: 'more'; readonly id: number }
  /** The answer is no longer needed. */
  | { readonly kind: 'gone'; readonly id: number };

/** The start of an answer. */
export interface AnswerMessage {
  readonly kind: 'answer';
  readonly id: number;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly isLast: boolean;
}

/** A message from the main thread to the server's thread. */
export type ToServer =
  | AnswerMessage
  | StartedMessage
  | RuneChange
  | { readonly kind: 'fileFound'; readonly id: number; readonly file: PageFile }
  | { readonly kind: 'events'; readonly events: readonly FeedEvent[] }
  /** More of an answer, as UTF-8. Its memory is transferred. */
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array; readonly isLast: boolean }
  /** The answer cannot be completed. */
  | { readonly kind: 'broken'; readonly id: number }
  | { readonly kind: 'close'; readonly graceMs: number };
