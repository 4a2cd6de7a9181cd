/** One call in progress, as its handler sees it: who asked, what exactly, and how to report progress. */
import type { JsonToken } from './json-token.ts';
import type { Registry } from './registry.ts';

/** How important a message about progress is, from least to most. */
export type NotificationLevel = 'trace' | 'debug' | 'info' | 'unusual' | 'broken';

/** Settings of one connection. They end with it. */
export interface Session {
  /** Whether calls started from now on may send notifications. */
  notifications: boolean;
  /** Whether deprecated commands are served. */
  deprecations: boolean;
  /** Whether the client asked for database commits to be gathered. */
  batching: boolean;
  /**
   * Requests queue in turns, one queue per client. Sessions with the same object here share one turn. Over HTTP each
   * request has its own session, and all requests with the same rune share this object. Undefined: the session is a
   * client of its own.
   */
  readonly client?: object;
  /** Whether the client has disconnected. Then queued requests need not be served. */
  isClosed?: boolean;
}

/** Which part of a longer command is under way: stage `num` of `total`. */
export interface Stage {
  readonly num: number;
  readonly total: number;
}

/** One call of a command, as its handler gets it. `C` is the context that all commands share. */
export interface Call<C> {
  readonly registry: Registry<C>;
  readonly session: Session;
  /** Source text of the request's id. A string still has its quotes. */
  readonly id: string;
  /** The number that we give to the request, as text. The log shows it, because clients may repeat their ids. */
  readonly requestId: string;
  /** The request's parameters as they were sent. Undefined when there were none. */
  readonly params: JsonToken | undefined;
  /**
   * Sends a message before the answer, to a client that enabled notifications. `details` become members
   * beside the text, for programs.
   */
  readonly notify: (level: NotificationLevel, message: string, details?: object) => void;
  /** Reports step `num` (from 0) of `total`. With `stage`, the steps are those of one of several stages. */
  readonly progress: (num: number, total: number, stage?: Stage) => void;
}
