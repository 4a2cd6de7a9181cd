/**
 * Limits on the memory that one client can use. A client that exceeds one gets a typed error, or is not read from for a
 * while.
 */
export interface RpcLimits {
  /** Maximum bytes of one request, or of a whole batch. Beyond it: `tooLarge`, and the connection is closed. */
  readonly maxRequestBytes: number;
  /** Maximum bytes of all unfinished or running requests. Beyond it: `busy`, and the connection is closed. */
  readonly maxInputBytes: number;
  /** Maximum nesting depth of a request. Beyond it: a parse error, and the connection is closed. */
  readonly maxDepth: number;
  /**
   * Maximum number of values in a request, including containers. A million zeros are two megabytes of text, but a few
   * hundred megabytes of memory. Beyond it: a parse error, and the connection is closed.
   */
  readonly maxValues: number;
  /** Maximum number of requests per batch. Beyond it: `tooLarge`. */
  readonly maxBatch: number;
  /**
   * Maximum number of concurrent requests of one connection. Beyond it, the connection is not read until one is
   * answered.
   */
  readonly maxInFlight: number;
  /**
   * Maximum bytes of answers that the client has not read. Beyond it, the connection is not read until it reads them.
   */
  readonly maxUnsentBytes: number;
  /** Maximum number of connections. Beyond it: `busy`, and the connection is closed. */
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
