/**
 * The messages between the main thread and the thread of the HTTP server.
 *
 * A call goes to the main thread as text, and its answer comes back as text, in chunks. The main thread sends
 * a chunk after the first one only when it is asked for more, so a client that does not read costs one chunk.
 */
import type { RuneMemory } from '../runes/rune-check.ts';
import type { CallLimits } from './call-forms.ts';
import type { HttpLimits } from './limits.ts';

/** How the server begins: what `workerData` is. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Certificate chain and key in PEM. Undefined for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Names that a Host header may have, in addition to addresses. In lower case. */
  readonly hostNames: readonly string[];
  /** Origins of other sites whose scripts may call, or `*`. */
  readonly corsOrigins: readonly string[];
  /** The folder of the page under `/ui/`. Undefined when there is none. */
  readonly uiFolder: string | undefined;
  readonly limits: HttpLimits;
  readonly gate: GateSettings;
}

/** What the server's thread knows in order to refuse requests on its own. */
export interface GateSettings extends Omit<RuneMemory, 'usageOf'> {
  readonly limits: CallLimits;
  /** The names of all commands, with the other names of their parameters. */
  readonly aliases: readonly (readonly [string, Readonly<Record<string, string>>])[];
}

/** What changes of the gate's knowledge while the service runs. */
export type RuneNews =
  | { readonly kind: 'blacklist'; readonly blacklist: RuneMemory['blacklist'] }
  /** A rune whose uses are limited by time was used. */
  | { readonly kind: 'used'; readonly uniqueId: bigint; readonly lastUsedNs: bigint };

/** What the server's thread refused since it told the last time. */
export interface RefusedMessage {
  readonly kind: 'refused';
  /** A line of the log about the last refusal. */
  readonly line: string | undefined;
  /** Refusals without a line. */
  readonly unwritten: number;
  /** Number of refusals for each method, and the milliseconds they took together. */
  readonly counts: readonly { readonly method: string; readonly count: number; readonly ms: number }[];
}

/** Which documents the main thread makes. */
export type DocumentName = 'health' | 'ready' | 'metrics' | 'openrpc' | 'swagger' | 'methods';

/** A request that a rune must permit. */
export interface CallMessage {
  readonly kind: 'call';
  readonly id: number;
  /** `rpc`: the body is a JSON-RPC request or a batch. `rest`: it is the parameters of `method`. */
  readonly form: 'rpc' | 'rest';
  readonly method: string;
  readonly body: string;
  readonly rune: string | undefined;
  readonly address: string;
  readonly idempotencyKey: string | undefined;
}

/** A document is requested. When `method` is given, only a rune that permits that method gets it. */
export interface DocumentMessage {
  readonly kind: 'document';
  readonly id: number;
  readonly name: DocumentName;
  readonly address: string;
  /** The method that a rune must permit. Undefined when everyone may read the document. */
  readonly method: string | undefined;
  readonly rune: string | undefined;
}

/** Files that the main thread keeps for the page, in addition to the static ones. */
export type PageFileName = 'graph' | 'ids' | 'names';

/** A file of the page is requested. Only a rune that permits `method` gets it. */
export interface PageFileMessage {
  readonly kind: 'file';
  readonly id: number;
  readonly name: PageFileName;
  readonly address: string;
  readonly method: string;
  readonly rune: string | undefined;
}

/** The page sends the code of the link that opened it, and wants the rune that it stands for. */
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

/** A client wants to follow events. Its rune must permit `method`. */
export interface FollowMessage {
  readonly kind: 'follow';
  readonly id: number;
  readonly method: string;
  readonly rune: string | undefined;
  readonly address: string;
  /** The last event that it has seen. */
  readonly afterId: number | undefined;
}

/** An event as it is sent to clients. */
export interface FeedEvent {
  readonly id: number;
  readonly name: string;
  /** One line of JSON. */
  readonly text: string;
}

/** A client may follow events. */
export interface StartedMessage {
  readonly kind: 'started';
  readonly id: number;
  /** What it missed. Undefined when that is not known, or too much. */
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
  /** A client that followed events has gone. */
  | { readonly kind: 'unfollow' }
  /** The next chunk of an answer is wanted. */
  | { readonly kind: 'more'; readonly id: number }
  /** The answer is no longer needed. */
  | { readonly kind: 'gone'; readonly id: number };

/** The beginning of an answer. */
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
  | RuneNews
  | { readonly kind: 'fileFound'; readonly id: number; readonly file: PageFile }
  | { readonly kind: 'events'; readonly events: readonly FeedEvent[] }
  /** More of an answer, as UTF-8. Its memory is handed over. */
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array; readonly isLast: boolean }
  /** The answer cannot be completed. */
  | { readonly kind: 'broken'; readonly id: number }
  | { readonly kind: 'close'; readonly graceMs: number };
