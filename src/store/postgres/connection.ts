/** One connection to the primary, checked before use, which can be abandoned at any time. */
import type postgres from 'postgres';
import { Abandonment } from '../../model/abandonment.ts';
import type { PostgresAddress } from './address.ts';
import { Dial } from './dial.ts';
import { type KnownServer, LOOK, SEARCH_PATH } from './known-server.ts';
import { asOurs, storeFailed } from './refusal.ts';

/** The client library. */
export type Library = typeof postgres;

/** A session of the client library. */
export type PgSession = postgres.Sql<{ bigint: bigint }>;

/**
 * Settings of every session. Timeouts are in milliseconds, times of keep-alives in seconds (PostgreSQL,
 * runtime-config).
 */
const SETTINGS = {
  application_name: 'fulgurite',
  search_path: SEARCH_PATH,
  statement_timeout: 4500,
  lock_timeout: 3000,
  idle_in_transaction_session_timeout: 5000,
  tcp_user_timeout: 5000,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
} as const;

/** Options of a connection. */
export interface PgConnectionOptions {
  readonly library: Library;
  readonly address: PostgresAddress;
  readonly server: KnownServer;
  /** Session settings in addition to `SETTINGS`. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** Receives notifications, if the session listens. */
  readonly onNotify: (payload: string) => void;
}

/** A connection in use. */
export interface PgConnection {
  readonly session: PgSession;
  /** The server's timeline when the connection was made. */
  readonly timeline: number;
  /** Abandons the connection: all waiting callers get an error. */
  readonly abandon: (reason: Error) => void;
  /** Rejects all pending calls when the connection is abandoned. */
  readonly waits: Abandonment;
}

/**
 * Connects to the first host that is the primary, starting with the last one that answered.
 * @param withinMs time limit for all hosts together
 * @param onOver called once, when the connection is over or abandoned.
 * @throws FulguriteError storeFailed, from the last host
 */
export async function openConnection(
  options: PgConnectionOptions,
  withinMs: number,
  onOver: (connection: PgConnection) => void,
): Promise<PgConnection> {
  const { hosts } = options.address;
  let failure: Error | undefined;
  for (let turn = 0, first = options.server.host; turn < hosts.length; turn++) {
    const host = (first + turn) % hosts.length;
    try {
      return await openAt(options, host, withinMs / hosts.length, onOver);
    } catch (error) {
      failure = error as Error;
    }
  }
  throw failure;
}

async function openAt(
  options: PgConnectionOptions,
  host: number,
  withinMs: number,
  onOver: (connection: PgConnection) => void,
): Promise<PgConnection> {
  const { address, server } = options;
  const dial = new Dial(address, address.hosts[host]!);
  const waits = new Abandonment();
  let isOver = false;
  let open: PgConnection | undefined;
  const abandon = (reason: Error): void => {
    if (isOver) return;
    isOver = true;
    waits.giveUp(reason);
    dial.destroy();
    void session.end({ timeout: 0 }).catch(() => undefined);
    if (open !== undefined) onOver(open);
  };
  const session = newSession(options, dial, (reason) => abandon(storeFailed(reason)));
  const timer = setTimeout(
    () => abandon(storeFailed(`cannot connect to the database within ${withinMs} ms`)),
    withinMs,
  );
  try {
    const [row] = await waits.or(session.unsafe(LOOK) as unknown as Promise<Record<string, unknown>[]>);
    open = { session, timeline: server.check(row!, host), abandon, waits };
    return open;
  } catch (error) {
    const ours = asOurs(error);
    abandon(ours);
    throw ours;
  } finally {
    clearTimeout(timer);
  }
}

function newSession(
  { library, address, settings, onNotify }: PgConnectionOptions,
  dial: Dial,
  abandon: (reason: string) => void,
): PgSession {
  const { role, password, database } = address;
  return library({
    user: role,
    ...(password !== undefined && { pass: password }),
    database,
    // The socket is already encrypted.
    ssl: false,
    max: 1,
    fetch_types: false,
    onnotice: () => undefined,
    types: { bigint: library.BigInt },
    // `openConnection` has a timeout of its own.
    connect_timeout: 0,
    connection: { ...SETTINGS, ...settings },
    onclose: () => abandon('the connection to the database was lost'),
    // The library delivers notifications only on its own connections, where queries have no timeout.
    ...({
      onnotify: (_channel: string, payload: string) => onNotify(payload),
      socket: () => dial.open(),
    } as object),
  });
}
