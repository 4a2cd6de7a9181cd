/** The interface by which a dispatcher reports each request that it answers, to count and time requests. */

/** How requests reach us. */
export type RpcTransport = 'socket' | 'http';

/**
 * How a request ended: with a result, with an error that is an answer (no route, a wrong parameter), not permitted, or
 * with an error because the service could not do its work (`fault`).
 */
export type RequestOutcome = 'ok' | 'error' | 'refused' | 'fault';

/** Called when a request began, and how it ended. It must be quick, and must not throw. */
export interface RequestWatcher {
  began(): void;
  /** `ms` from the moment when the request was read. */
  ended(method: string, transport: RpcTransport, outcome: RequestOutcome, ms: number): void;
}

/** Who is notified by a dispatcher, and what it serves. */
export interface Watched {
  readonly watcher: RequestWatcher;
  readonly transport: RpcTransport;
}
