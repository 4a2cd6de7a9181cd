/** What outlives a single call: the settings of a connection, and the kinds of messages that calls send on it. */

/** The importance of a progress message, from least to most. */
export type NotificationLevel = 'trace' | 'debug' | 'info' | 'unusual' | 'broken';

/** Settings of one connection. They end with it. */
export interface Session {
  /** Whether calls started from now on may send notifications. */
  notifications: boolean;
  /** Whether deprecated commands are available. */
  deprecations: boolean;
  /** Whether the client asked for database commits to be batched. */
  batching: boolean;
  /**
   * Requests queue in turns, one queue per client. Sessions with the same object here share one turn. Over HTTP each
   * request has its own session, and all requests with the same rune share this object. Undefined: the session counts
   * as a separate client.
   */
  readonly client?: object;
  /** The scope of its requests' idempotency keys, if not the socket's. */
  readonly keyScope?: string | undefined;
  /** The rune sent over HTTP, a secret. Undefined for the socket. */
  readonly rune?: string | undefined;
  /** The caller, for the log. Undefined for clients of the socket. */
  readonly caller?: string | undefined;
  /** Whether the client has disconnected, so that queued requests need not be served. */
  isClosed?: boolean;
}

/** The current part of a longer command: stage `num` of `total`. */
export interface Stage {
  readonly num: number;
  readonly total: number;
}
