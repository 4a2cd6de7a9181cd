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
   * Whose turn its requests take when they queue with those of others. Undefined: the session is a client of its
   * own. Over HTTP, where each request has a session, it is all who share a rune.
   */
  readonly client?: object;
  /** Whether the client is gone, so that nobody waits for what it asked. */
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
  /** Our own number of the request, as text. Lines of the log have it, because clients may repeat their ids. */
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
