/** What lasts longer than one call: the settings of a connection, and the kinds of messages that calls send on it. */

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
  /** Whose idempotency keys its requests use, if not those of the socket. */
  readonly keyScope?: string | undefined;
  /** The rune that was sent over HTTP. Undefined at the socket. It is a secret. */
  readonly rune?: string | undefined;
  /** Who calls, for the log. Undefined for clients of the socket. */
  readonly caller?: string | undefined;
  /** Whether the client has disconnected. Then queued requests need not be served. */
  isClosed?: boolean;
}

/** Which part of a longer command is in progress: stage `num` of `total`. */
export interface Stage {
  readonly num: number;
  readonly total: number;
}
