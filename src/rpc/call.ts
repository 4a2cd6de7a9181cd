/**
 * One call in progress, as its handler sees it: who asked, what exactly, and a way to report progress.
 */
import type { JsonToken } from './json-token.ts';
import type { Registry } from './registry.ts';

/** How important a message about progress is, from least to most. */
export type NotificationLevel = 'trace' | 'debug' | 'info' | 'unusual' | 'broken';

/** Flags of one connection; they die with it. */
export interface Session {
  /** Whether calls started from now on may send notifications. */
  notifications: boolean;
  /** Whether deprecated commands are served. */
  deprecations: boolean;
  /** Whether the client asked for database commits to be gathered. */
  batching: boolean;
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
  /** Source text of the request's id, quotes of a string included. */
  readonly id: string;
  /** The request's parameters as sent; undefined when there were none. */
  readonly params: JsonToken | undefined;
  /**
   * Sends a message to a client that enabled notifications, before the answer; `details` become members beside
   * the text, for programs.
   */
  readonly notify: (level: NotificationLevel, message: string, details?: object) => void;
  /** Reports step `num` (from 0) of `total`, of one of several stages perhaps. */
  readonly progress: (num: number, total: number, stage?: Stage) => void;
}
