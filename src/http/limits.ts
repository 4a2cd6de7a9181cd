/**
 * Bounds on what clients over HTTP can make the service hold. Anyone who exceeds one gets an error, or loses the
 * connection.
 */
export interface HttpLimits {
  /** Maximum bytes of one request's body. Beyond it: 413. */
  readonly maxBodyBytes: number;
  /** Maximum bytes of bodies that are being received, of all clients together. Beyond it: 503. */
  readonly maxInputBytes: number;
  /** Maximum connections. Beyond it, a new one takes the place of the one that has been idle longest, if any is. */
  readonly maxConnections: number;
  /** Maximum number of connections of one address that is not of this machine. */
  readonly maxPerAddress: number;
  /** Maximum number of requests running at once, of all clients together. Beyond it: 503. */
  readonly maxInFlight: number;
  /** Maximum number of requests of one connection running at once. Its client may not wait for answers. Beyond it: 503. */
  readonly maxPipelined: number;
  /** Maximum requests with one rune that run at once. Beyond it: 503. */
  readonly maxInFlightOfOne: number;
  /** A body of more bytes is a long one. */
  readonly longBodyBytes: number;
  /** Maximum bytes of long bodies with one rune that are read or answered at once. Beyond it, they wait. */
  readonly maxLongBytesOfOne: number;
  /** Maximum number of clients that follow events. Beyond it: 503. */
  readonly maxFollowers: number;
  /** Maximum clients with one rune that follow events. Beyond it: 503. */
  readonly maxFollowersOfOne: number;
  /** Maximum values in the JSON of one request, which is read before it is known whether its rune permits it. */
  readonly maxValues: number;
  /** Maximum bytes of a JSON-RPC body that is read when no rune of this node comes with it. Only its id is used. */
  readonly maxStrangerBytes: number;
  /** Milliseconds for the headers of a request to arrive. */
  readonly headersMs: number;
  /** Milliseconds for a whole request to arrive. Its answer may take longer. */
  readonly requestMs: number;
  /** Milliseconds for which a connection without a request stays open. */
  readonly keepAliveMs: number;
  /** Milliseconds for which a client may leave a waiting answer unread. After that it is disconnected. */
  readonly stalledMs: number;
}

/** The bounds that the daemon uses. */
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
};
