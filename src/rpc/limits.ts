/**
 * Bounds on what one client can make the service hold. Each is exceeded with a typed error or with
 * back-pressure, never with memory.
 */
export interface RpcLimits {
  /** Bytes of one request, a whole batch included. Beyond: `tooLarge`, and the connection is closed. */
  readonly maxRequestBytes: number;
  /** Bytes of all requests that are unfinished or running. Beyond: `busy`, and the connection is closed. */
  readonly maxInputBytes: number;
  /** Nested arrays and objects in a request. Beyond: a parse error, and the connection is closed. */
  readonly maxDepth: number;
  /**
   * Values in a request, containers counted too: a million zeros are two megabytes of text and some hundred of
   * memory. Beyond: a parse error, and the connection is closed.
   */
  readonly maxValues: number;
  /** Requests of one batch. Beyond: `tooLarge`. */
  readonly maxBatch: number;
  /** Requests of one connection that run at once. Beyond: the connection is not read until one is answered. */
  readonly maxInFlight: number;
  /** Bytes of answers not yet taken by the client. Beyond: the connection is not read until they are. */
  readonly maxUnsentBytes: number;
  /** Connections at once. Beyond: `busy`, and the connection is closed. */
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
