/** Calls of LND's gRPC interface, independent of the thread that makes them. */
import type { LndMethod } from '../graph/schema.ts';

/** The gRPC statuses that we distinguish (google.rpc.Code). */
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

/** Thrown for a call that LND answered with an error, or did not answer. `status` is the gRPC status. */
export class LndError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Callbacks for each message of a stream, and for its end, which is reported once. No message follows the end. */
export interface StreamListener {
  readonly onMessage: (message: never) => void;
  readonly onEnd: (error: LndError) => void;
}

/** Makes calls. Answers have the shapes in `answers.ts`. */
export interface LndCalls {
  /**
   * Reads certificate and macaroon again, and replaces the connections. Calls in progress finish on the old
   * connections.
   * @throws LndError when a file cannot be read
   */
  reconnect(): Promise<void>;
  /** @param timeoutMs absent if the answer may take any time. @throws LndError */
  call<T>(method: LndMethod, request: object, timeoutMs?: number): Promise<T>;
  /** Opens a stream. Returns a function that ends it without notifying the listener. */
  stream(method: LndMethod, request: object, listener: StreamListener): () => void;
  /** Closes everything. Pending calls are rejected. */
  close(): Promise<void>;
}
