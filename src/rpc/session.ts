/** The settings of a connection of the socket, or of one HTTP request, and the kinds of messages that calls send. */

/** The importance of a message to the client, from least to most. */
export type NotificationLevel = 'trace' | 'debug' | 'info' | 'unusual' | 'broken';

/** Settings of one connection of the socket, or of one HTTP request. */
export interface Session {
  /** Whether calls started from now on may send notifications. */
  notifications: boolean;
  /** Whether deprecated commands are available. */
  deprecations: boolean;
  /** Whether the client asked for database commits to be batched. */
  batching: boolean;
  /**
   * Requests wait in one queue per client. Sessions with the same object share one queue. Over HTTP, each request has
   * its own session, and all requests with the same rune share this object. If it is undefined, the session counts as a
   * separate client.
   */
  readonly client?: object;
  /** The scope of the idempotency keys of the session's requests. Undefined for the scope of the socket. */
  readonly keyScope?: string | undefined;
  /** The rune sent over HTTP, a secret. Undefined for the socket. */
  readonly rune?: string | undefined;
  /** The caller, for the log. Undefined for clients of the socket. */
  readonly caller?: string | undefined;
  /** Called with the amount that a command with `outgo` has spent, once the amount is final. */
  settle?(spentMsat: bigint): void;
  /** Whether the client has disconnected, so that queued requests need not be served. */
  isClosed?: boolean;
}

/** The current part of a longer command: stage `num` of `total`. */
export interface Stage {
  readonly num: number;
  readonly total: number;
}
