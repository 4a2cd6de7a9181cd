/**
 * Limits on the memory that one client can use. When a client exceeds a limit, it gets a typed error, or its input is
 * not read for a while.
 */
export interface RpcLimits {
  /**
   * Maximum size of one request, or of a whole batch, in bytes. Above it, the error is `tooLarge`, and the connection
   * is closed.
   */
  readonly maxRequestBytes: number;
  /**
   * Maximum number of bytes of all unfinished or running requests. Above it, the error is `busy`, and the connection is
   * closed.
   */
  readonly maxInputBytes: number;
  /** Maximum nesting depth of a request. Above it, the error is a parse error, and the connection is closed. */
  readonly maxDepth: number;
  /**
   * Maximum number of values in a request, including containers. A list of a million zeros is two megabytes of text,
   * but takes a few hundred megabytes of memory. Above the maximum, the error is a parse error, and the connection is
   * closed.
   */
  readonly maxValues: number;
  /** Maximum number of requests per batch. Above it, the error is `tooLarge`. */
  readonly maxBatch: number;
  /** Maximum number of concurrent requests of one connection. While it is reached, no more input is read. */
  readonly maxInFlight: number;
  /**
   * Maximum number of bytes of answers that the client has not read. Above it, no more input is read until the client
   * has read some.
   */
  readonly maxUnsentBytes: number;
  /**
   * Maximum number of connections. Above it, a new connection replaces the one that has been idle longest. If none is
   * idle, the new connection is served for `alwaysServed` only, or gets the error `busy` (socket-server.ts).
   */
  readonly maxConnections: number;
}

/** The daemon's limits. */
export const DEFAULT_LIMITS: RpcLimits = {
  maxRequestBytes: 64 * 1024 * 1024,
  maxInputBytes: 512 * 1024 * 1024,
  maxDepth: 1000,
  maxValues: 1_000_000,
  maxBatch: 10_000,
  maxInFlight: 256,
  maxUnsentBytes: 1024 * 1024,
  maxConnections: 4096,
};
