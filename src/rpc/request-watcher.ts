/** The interface by which a dispatcher reports each request that it answers, to count and time requests. */

/** How requests reach us. */
export type RpcTransport = 'socket' | 'http';

/** How a request ended: with a result, with an error, or not permitted. */
export type RequestOutcome = 'ok' | 'error' | 'refused';

/** Is told that a request began, and how it ended. It must be quick, and must not throw. */
export interface RequestWatcher {
  began(): void;
  /** `ms` from the moment when the request was read. */
  ended(method: string, transport: RpcTransport, outcome: RequestOutcome, ms: number): void;
}

/** Whom a dispatcher tells, and what it serves. */
export interface Watched {
  readonly watcher: RequestWatcher;
  readonly transport: RpcTransport;
}
