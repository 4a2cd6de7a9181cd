/** The interface by which a dispatcher reports each request, for counting and timing. */

/** The transport of a request. */
export type RpcTransport = 'socket' | 'http';

/**
 * The outcome of a request: a result, an error that is a proper answer (no route, a wrong parameter), a refusal because
 * it is not permitted, or an error because the service could not do its work (`fault`).
 */
export type RequestOutcome = 'ok' | 'error' | 'refused' | 'fault';

/** Called when a request starts and ends. It must be quick, and must not throw. */
export interface RequestWatcher {
  began(): void;
  /** @param ms milliseconds since the request was read */
  ended(method: string, transport: RpcTransport, outcome: RequestOutcome, ms: number): void;
}

/** The watcher of a dispatcher, and its transport. */
export interface Watched {
  readonly watcher: RequestWatcher;
  readonly transport: RpcTransport;
}
