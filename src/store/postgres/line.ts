/**
 * One PostgreSQL connection that reconnects by itself, and on which no query waits forever.
 *
 * The client library has no timeout for a query on a broken link: it waits forever, and meanwhile the server keeps the
 * locks of the dead session. So we set a timer for each query. When the timer expires, the connection is abandoned,
 * everything waiting on it fails, and the next query makes a new connection. The server has timeouts of its own for the
 * same purpose.
 *
 * When the server is known to be unresponsive (`KnownServer`), queries fail immediately, and a new connection is
 * attempted in the background. So a caller with several queries waits only once for a dead server.
 */
import type postgres from 'postgres';
import type { PostgresAddress } from './address.ts';
import { type Library, openConnection, type PgConnection, type PgSession } from './connection.ts';
import type { KnownServer } from './known-server.ts';
import { asOurs, storeFailed } from './refusal.ts';

/** The type of a parameter. Arrays are passed as PostgreSQL texts (see `arrays.ts`). */
export type PgValue = null | number | bigint | string | boolean | Uint8Array;

/** A statement with numbered parameters, `$1` and so on. */
export interface PgStatement {
  readonly sql: string;
  readonly parameters?: readonly PgValue[];
}

/** One row: bigint columns are bigint, bytea is a Buffer. */
export type PgRow = Readonly<Record<string, unknown>>;

/** The rows of an answer. */
export type PgRows = readonly PgRow[];

/** Timeout for connecting and checking, in milliseconds. */
export const CONNECT_MS = 4000;
/** Timeout for a query, in milliseconds. The server's own timeout is slightly shorter. */
export const QUESTION_MS = 5000;

/** Loads the client library. @throws Error when it is not installed. */
export async function loadLibrary(): Promise<Library> {
  return (await import('postgres')).default;
}

/** Settings of a line that differ from the defaults. */
export interface LineOptions {
  /** Session settings in addition to the usual ones. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Timeout for a query, in milliseconds. Default 5000. */
  readonly questionMs?: number;
  /** Receives notifications, if the session listens. */
  readonly onNotify?: ((payload: string) => void) | undefined;
}

/** A connection that reconnects by itself. Queries are answered in order, and several may be in progress. */
export class PostgresLine {
  readonly #library: Library;
  readonly #address: PostgresAddress;
  readonly #server: KnownServer;
  readonly #settings: Readonly<Record<string, string | number>>;
  readonly #questionMs: number;
  readonly #onNotify: (payload: string) => void;
  readonly #endOutages: () => void;
  #connecting: Promise<PgConnection> | undefined;
  #connection: PgConnection | undefined;
  #timeline = 0;
  #isClosed = false;

  constructor(library: Library, address: PostgresAddress, server: KnownServer, options: LineOptions = {}) {
    this.#library = library;
    this.#address = address;
    this.#server = server;
    this.#settings = options.settings ?? {};
    this.#questionMs = options.questionMs ?? QUESTION_MS;
    this.#onNotify = options.onNotify ?? (() => undefined);
    this.#endOutages = server.onOutage((reason) => this.#connection?.abandon(reason));
  }

  /**
   * The timeline of the server that answered last. It increases when a standby is promoted. 0 before the first answer.
   */
  get timeline(): number {
    return this.#timeline;
  }

  /**
   * Runs one query.
   * @throws PostgresRefusal when the database refuses the statement; FulguriteError storeFailed when the database
   *   cannot be reached or does not answer in time, so that it is unknown whether the statement was executed.
   */
  ask(sql: string, parameters: readonly PgValue[] = [], withinMs = this.#questionMs): Promise<PgRows> {
    return this.#within(withinMs, (session) => run(session, { sql, parameters }));
  }

  /** Runs all statements in one transaction, with one round trip. @throws as `ask` */
  transaction(statements: readonly PgStatement[], withinMs = this.#questionMs): Promise<readonly PgRows[]> {
    return this.#within(withinMs, async (session) => {
      const answers = [BEGIN, ...statements, COMMIT].map((statement) => run(session, statement));
      const settled = await Promise.allSettled(answers);
      const failed = settled.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return (await Promise.all(answers)).slice(1, -1);
    });
  }

  /** Abandons the connection immediately. Pending queries fail. */
  close(): void {
    this.#isClosed = true;
    this.#endOutages();
    this.#connection?.abandon(storeFailed('the store is closed'));
  }

  async #within<T>(withinMs: number, work: (session: PgSession) => Promise<T>): Promise<T> {
    const connection = await this.#ready();
    this.#timeline = connection.timeline;
    const timer = setTimeout(
      () => connection.abandon(storeFailed(`the database did not answer in ${withinMs} ms`)),
      withinMs,
    );
    try {
      return await connection.waits.or(work(connection.session));
    } catch (error) {
      throw asOurs(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A connection to the current primary. @throws FulguriteError storeFailed */
  async #ready(): Promise<PgConnection> {
    if (this.#isClosed) throw storeFailed('the store is closed');
    if (this.#connection !== undefined && this.#connection.timeline < this.#server.timeline) {
      // Another connection has reached the new primary, but this connection may still be answered by the old one.
      this.#connection.abandon(storeFailed('the server is no longer the primary'));
    }
    if (this.#connection !== undefined) return this.#connection;
    this.#connecting ??= this.#connect();
    if (this.#server.outage === undefined) return this.#connecting;
    this.#connecting.catch(() => undefined);
    throw this.#server.outage;
  }

  async #connect(): Promise<PgConnection> {
    const options = {
      library: this.#library,
      address: this.#address,
      server: this.#server,
      settings: this.#settings,
      onNotify: this.#onNotify,
    };
    try {
      const connection = await openConnection(options, CONNECT_MS, (over) => {
        if (this.#connection === over) this.#connection = undefined;
      });
      this.#connection = connection;
      if (this.#isClosed) {
        const closed = storeFailed('the store is closed');
        connection.abandon(closed);
        throw closed;
      }
      return connection;
    } finally {
      this.#connecting = undefined;
    }
  }
}

const BEGIN: PgStatement = { sql: 'BEGIN' };
const COMMIT: PgStatement = { sql: 'COMMIT' };

function run(session: PgSession, { sql, parameters = [] }: PgStatement): Promise<PgRows> {
  const values = parameters.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
  const query = session.unsafe(sql, values as postgres.ParameterOrJSON<bigint>[], {
    prepare: parameters.length > 0,
  });
  return query as unknown as Promise<PgRows>;
}
