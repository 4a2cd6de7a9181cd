/**
 * Bounds on what one client can make the service hold in memory. A client that exceeds one gets a typed error, or
 * its connection is not read for a while.
 */
export interface RpcLimits {
  /** Maximum bytes of one request, or of a whole batch. Beyond it: `tooLarge`, and the connection is closed. */
  readonly maxRequestBytes: number;
  /**
   * Maximum bytes of all requests that are unfinished or running. Beyond it: `busy`, and the connection is
   * closed.
   */
  readonly maxInputBytes: number;
  /**
   * Deepest nesting of arrays and objects in a request. Beyond it: a parse error, and the connection is
   * closed.
   */
  readonly maxDepth: number;
  /**
   * Maximum number of values in a request, containers included. A million zeros are two megabytes of text, but some
   * hundred megabytes of memory. Beyond it: a parse error, and the connection is closed.
   */
  readonly maxValues: number;
  /** Maximum number of requests of one batch. Beyond it: `tooLarge`. */
  readonly maxBatch: number;
  /**
   * Maximum number of requests of one connection running at once. Beyond it, the connection is not read until one is
   * answered.
   */
  readonly maxInFlight: number;
  /**
   * Maximum bytes of answers that the client has not taken. Beyond it, the connection is not read until they are
   * taken.
   */
  readonly maxUnsentBytes: number;
  /** Maximum number of connections. Beyond it: `busy`, and the connection is closed. */
  readonly maxConnections: number;
}

/** The bounds that the daemon uses. */
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
