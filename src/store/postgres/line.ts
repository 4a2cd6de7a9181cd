/**
 * One connection to PostgreSQL that comes back by itself, and on which no question waits for ever.
 *
 * The client library has no limit for a question on a link that was cut: it waits for ever, and so does the
 * server with the locks of the dead session. So each question has a timer of our own. When it runs out, the
 * connection is given up, everything that waits on it fails, and the next question makes a new one. The server is
 * told to do the same on its side.
 *
 * Each new connection is looked at before it is used: the server must be the primary, the same one as before
 * (system identifier), and on the same timeline or a later one. An old primary that comes back after its standby
 * took over has an older timeline, and is refused. A connection that it still answers is given up as soon as another
 * one finds the successor.
 */
import { connect, type Socket } from 'node:net';
import type postgres from 'postgres';
import { Abandonment } from '../../model/abandonment.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { PostgresAddress } from './address.ts';

/** What a parameter can be. Arrays are given as PostgreSQL's own texts (see `arrays.ts`). */
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

/** Milliseconds for a connection to be made and looked at. */
const CONNECT_MS = 4000;
/** Milliseconds for a question. The server gives up a little earlier. */
const QUESTION_MS = 5000;

/** Settings of every session. Times are in milliseconds, keep-alives in seconds (PostgreSQL, runtime-config). */
const SESSION = {
  application_name: 'fulgurite',
  search_path: 'fulgurite',
  statement_timeout: 4500,
  lock_timeout: 3000,
  idle_in_transaction_session_timeout: 5000,
  tcp_user_timeout: 5000,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
} as const;

const LOOK = `
  SELECT pg_is_in_recovery() AS is_standby,
    (SELECT system_identifier FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
      AS timeline`;

/** The server that a process knows. All its lines share this. */
export class KnownServer {
  #system: bigint | undefined;
  #timeline = 0;

  /** The latest timeline that a server was on. 0 before the first one was looked at. */
  get timeline(): number {
    return this.#timeline;
  }

  /**
   * @returns its timeline
   * @throws FulguriteError storeFailed when the server is a standby, another one, or an old primary.
   */
  check({ is_standby, system, timeline }: PgRow): number {
    if (is_standby === true) throw storeFailed('the server is a standby, which takes no changes');
    const number = Number.parseInt(String(timeline), 16);
    if (this.#system !== undefined && this.#system !== system) {
      throw storeFailed('another server answers at this address than before');
    }
    if (number < this.#timeline) {
      throw storeFailed(`the server is on timeline ${number}, and its successor on ${this.#timeline}`);
    }
    this.#system = system as bigint;
    this.#timeline = number;
    return number;
  }
}

type Connection = postgres.Sql<{ bigint: bigint }>;
type Library = typeof postgres;

interface Open {
  readonly sql: Connection;
  /** On which its server was when the connection was made. */
  readonly timeline: number;
  /** Gives the connection up: whoever waits on it gets an error. */
  readonly abandon: (reason: Error) => void;
  /** Ends the waits when the connection is given up. */
  readonly waits: Abandonment;
}

/** Loads the client library. @throws Error when it is not installed. */
export async function loadLibrary(): Promise<Library> {
  return (await import('postgres')).default;
}

/** How a line differs from the usual one. */
export interface LineOptions {
  /** Settings of the session, beside the usual ones. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Milliseconds for a question. Default 5000. */
  readonly questionMs?: number;
  /** Told of what is notified to a session that listens. */
  readonly onNotify?: ((payload: string) => void) | undefined;
}

/** Questions are answered in the order in which they are asked. Several may be under way. */
export class PostgresLine {
  readonly #library: Library;
  readonly #address: PostgresAddress;
  readonly #server: KnownServer;
  readonly #settings: Readonly<Record<string, string | number>>;
  readonly #questionMs: number;
  readonly #onNotify: (payload: string) => void;
  #open: Promise<Open> | undefined;
  #timeline = 0;
  /** Number of the latest connection. */
  #connections = 0;
  #isClosed = false;

  constructor(library: Library, address: PostgresAddress, server: KnownServer, options: LineOptions = {}) {
    this.#library = library;
    this.#address = address;
    this.#server = server;
    this.#settings = options.settings ?? {};
    this.#questionMs = options.questionMs ?? QUESTION_MS;
    this.#onNotify = options.onNotify ?? (() => undefined);
  }

  /**
   * The timeline of the server that answered last. It grows when a standby is promoted. 0 before the first answer.
   */
  get timeline(): number {
    return this.#timeline;
  }

  /**
   * Asks one question.
   * @throws PostgresRefusal when the database refuses the statement; FulguriteError storeFailed when it cannot
   *   be reached, or does not answer in time. Then nobody knows whether it was done.
   */
  ask(sql: string, parameters: readonly PgValue[] = [], withinMs = this.#questionMs): Promise<PgRows> {
    return this.#within(withinMs, (connection) => run(connection, { sql, parameters }));
  }

  /** All statements in one transaction, or none of them. One round trip. @throws as `ask` */
  transaction(statements: readonly PgStatement[], withinMs = this.#questionMs): Promise<readonly PgRows[]> {
    return this.#within(withinMs, async (connection) => {
      const answers = [BEGIN, ...statements, COMMIT].map((statement) => run(connection, statement));
      const settled = await Promise.allSettled(answers);
      const failed = settled.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return (await Promise.all(answers)).slice(1, -1);
    });
  }

  /** Gives the connection up at once. What waits on it fails. */
  close(): void {
    this.#isClosed = true;
    void this.#open
      ?.then(({ abandon }) => abandon(storeFailed('the store is closed')))
      .catch(() => undefined);
  }

  async #within<T>(withinMs: number, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw storeFailed('the store is closed');
    const open = await this.#connection();
    if (open.timeline < this.#server.timeline) {
      // Another connection found the successor. The old primary may still answer on this one.
      open.abandon(storeFailed('the server is not the primary any more'));
      return this.#within(withinMs, work);
    }
    this.#timeline = open.timeline;
    const timer = setTimeout(
      () => open.abandon(storeFailed(`the database did not answer in ${withinMs} ms`)),
      withinMs,
    );
    try {
      return await open.waits.or(work(open.sql));
    } catch (error) {
      throw asOurs(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #connection(): Promise<Open> {
    this.#open ??= this.#connect(++this.#connections);
    return this.#open;
  }

  async #connect(number: number): Promise<Open> {
    let socket: Socket | undefined;
    let isOver = false;
    const waits = new Abandonment();
    const { host, port } = this.#address;
    const sql = this.#library({
      ...this.#login(),
      max: 1,
      fetch_types: false,
      onnotice: () => undefined,
      types: { bigint: this.#library.BigInt },
      connect_timeout: CONNECT_MS / 1000,
      connection: { ...SESSION, ...this.#settings },
      onclose: () => abandon(storeFailed('the connection to the database was lost')),
      // The library keeps its socket to itself, and cannot give up one whose other end is gone. Notifications it gives
      // only to connections of its own, on which no question has a limit.
      ...({
        onnotify: (_channel: string, payload: string) => this.#onNotify(payload),
        socket: () => {
          if (isOver) throw storeFailed('the connection was given up');
          socket = connect({ host, port, noDelay: true });
          return socket;
        },
      } as object),
    });
    const abandon = (reason: Error): void => {
      if (isOver) return;
      isOver = true;
      if (this.#connections === number) this.#open = undefined;
      waits.giveUp(reason);
      socket?.destroy();
      void sql.end({ timeout: 0 }).catch(() => undefined);
    };
    const timer = setTimeout(
      () => abandon(storeFailed(`no connection to the database in ${CONNECT_MS} ms`)),
      CONNECT_MS,
    );
    let timeline: number;
    try {
      const [row] = await waits.or(run(sql, { sql: LOOK }));
      timeline = this.#server.check(row!);
      if (this.#isClosed) throw storeFailed('the store is closed');
    } catch (error) {
      const ours = asOurs(error);
      abandon(ours);
      throw ours;
    } finally {
      clearTimeout(timer);
    }
    return { sql, timeline, abandon, waits };
  }

  #login(): object {
    const { role, password, database, sslMode, host, port } = this.#address;
    const ssl =
      sslMode === 'disable' ? false : { rejectUnauthorized: sslMode === 'verify-full', servername: host };
    return { host, port, user: role, pass: password, database, ssl };
  }
}

const BEGIN: PgStatement = { sql: 'BEGIN' };
const COMMIT: PgStatement = { sql: 'COMMIT' };

function run(connection: Connection, { sql, parameters = [] }: PgStatement): Promise<PgRows> {
  const values = parameters.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
  const query = connection.unsafe(sql, values as postgres.ParameterOrJSON<bigint>[], {
    prepare: parameters.length > 0,
  });
  return query as unknown as Promise<PgRows>;
}

/** The database understood a statement, and refuses it. It would refuse it again. */
export class PostgresRefusal extends Error {
  /** SQLSTATE (PostgreSQL, errcodes-appendix). */
  readonly state: string;
  /** Name of the constraint that was broken, if it was one. */
  readonly constraint: string | undefined;

  constructor(state: string, message: string, constraint: string | undefined) {
    super(message);
    this.state = state;
    this.constraint = constraint;
  }
}

/** Classes of SQLSTATE that blame the statement or its values: data exception, integrity constraint. */
const REFUSALS = ['22', '23'];

function asOurs(error: unknown): Error {
  if (error instanceof FulguriteError || error instanceof PostgresRefusal) return error;
  const { code, message, constraint_name } = error as {
    code?: string;
    message: string;
    constraint_name?: string;
  };
  if (code !== undefined && REFUSALS.includes(code.slice(0, 2)) && code.length === 5) {
    return new PostgresRefusal(code, message, constraint_name);
  }
  return storeFailed(message, code);
}

/** The error of a database that cannot be reached or does not do its work. */
export function storeFailed(reason: string, state?: string): FulguriteError {
  const data = { reason, ...(state !== undefined && { state }) };
  return new FulguriteError('storeFailed', `The database cannot be used: ${reason}`, data);
}
