/**
 * Limits on the resources that HTTP clients can occupy. A client that exceeds a limit gets an error, must wait, or is
 * disconnected.
 */
export interface HttpLimits {
  /** Maximum size of a request body in bytes. Above it, the status is 413. */
  readonly maxBodyBytes: number;
  /** Maximum number of bytes of all bodies being received. Above it, the status is 503. */
  readonly maxInputBytes: number;
  /**
   * Maximum number of connections. Above it, a new connection replaces the one that has been idle longest, or is closed
   * if none is idle.
   */
  readonly maxConnections: number;
  /** Maximum number of connections per remote address. This machine's addresses have no such limit. */
  readonly maxPerAddress: number;
  /** Maximum number of concurrent requests of all clients. Above it, the status is 503. */
  readonly maxInFlight: number;
  /**
   * Maximum number of concurrent requests on one connection, because a client may send several without waiting for
   * answers. Above it, the status is 503.
   */
  readonly maxPipelined: number;
  /**
   * Maximum number of concurrent requests with one rune, or from one address without a valid rune. Above it, the status
   * is 503.
   */
  readonly maxInFlightOfOne: number;
  /** Length in bytes above which a body counts as long. */
  readonly longBodyBytes: number;
  /**
   * Maximum total length in bytes of the long bodies with one rune, or from one address without a valid rune, that are
   * being read or answered. Further long bodies wait.
   */
  readonly maxLongBytesOfOne: number;
  /** Maximum number of clients that follow events. Above it, the status is 503. */
  readonly maxFollowers: number;
  /** Maximum number of clients that follow events with the same rune. Above it, the status is 503. */
  readonly maxFollowersOfOne: number;
  /** Maximum number of values in the JSON of a request, which is parsed before its rune is checked. */
  readonly maxValues: number;
  /**
   * Maximum size in bytes of a JSON-RPC body that is read although the request has no valid rune of this node. Only the
   * request's id is used.
   */
  readonly maxStrangerBytes: number;
  /** Timeout for the headers of a request, in milliseconds. */
  readonly headersMs: number;
  /** Timeout for receiving a whole request, in milliseconds. Its answer may take longer. */
  readonly requestMs: number;
  /** Milliseconds for which an idle connection stays open. */
  readonly keepAliveMs: number;
  /** Milliseconds for which a client may leave an answer unread before it is disconnected. */
  readonly stalledMs: number;
  /**
   * Milliseconds for which a client that has closed its side of the connection may wait for its answers. A client that
   * has left looks the same, so its requests may occupy its share for as long.
   */
  readonly halfOpenMs: number;
}

/** The daemon's limits. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 1024 * 1024,
  maxInputBytes: 64 * 1024 * 1024,
  maxConnections: 1024,
  maxPerAddress: 64,
  maxInFlight: 256,
  maxPipelined: 8,
  maxInFlightOfOne: 128,
  longBodyBytes: 64 * 1024,
  maxLongBytesOfOne: 1024 * 1024,
  maxFollowers: 64,
  maxFollowersOfOne: 16,
  maxValues: 50_000,
  maxStrangerBytes: 4096,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  stalledMs: 60_000,
  halfOpenMs: 30_000,
};
