/** Calls of LND's gRPC interface, whichever thread makes them. */
import type { LndMethod } from '../graph/schema.ts';

/** Statuses of gRPC that are distinguished here (google.rpc.Code). */
export const STATUS = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** LND's answer to a call was an error, or there was no answer. `status` is gRPC's. */
export class LndError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Told of each message of a stream, and once of its end. No message follows the end. */
export interface StreamListener {
  readonly onMessage: (message: never) => void;
  readonly onEnd: (error: LndError) => void;
}

/** Makes calls. Answers have the shapes of `answers.ts`. */
export interface LndCalls {
  /**
   * Ends the connections, reads certificate and macaroon again, and begins with new connections. Calls in progress go on
   * where they are.
   * @throws LndError when a file cannot be read
   */
  reconnect(): Promise<void>;
  /** @param timeoutMs absent where the answer may take any time. @throws LndError */
  call<T>(method: LndMethod, request: object, timeoutMs?: number): Promise<T>;
  /** Opens a stream. Returns a function that ends it without a word to the listener. */
  stream(method: LndMethod, request: object, listener: StreamListener): () => void;
  /** Ends everything. Open calls are rejected. */
  close(): Promise<void>;
}
