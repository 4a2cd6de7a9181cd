/**
 * The status of a fleet: the head of the log of changes, the writer of the graph, the solvers and their lag, the
 * daemons and their payments, and clock differences. All of it comes from the database and the bus, so no daemon is
 * queried.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parsePostgresAddress } from '../store/postgres/address.ts';
import { KnownServer } from '../store/postgres/known-server.ts';
import { loadLibrary, PostgresLine } from '../store/postgres/line.ts';
import { UNFINISHED } from '../store/postgres/payment-rows.ts';
import { THIS_SERVER } from '../store/postgres/schema.ts';
import { connectBus } from './bus.ts';
import { SOLVER_LOAD, type SolverLoad, subjects, unpack } from './bus-messages.ts';
import { FleetName } from './fleet-name.ts';

/** How long to listen for solvers, in milliseconds. Each solver reports its load five to ten times a second. */
const LISTEN_MS = 500;

/** One solver. */
export interface SolverStatus {
  readonly id: string;
  readonly version: string;
  readonly depth: number;
  readonly capacity: number;
  /** Number of log chunks by which its copy of the layers lags. */
  readonly lag: number;
  /** Its clock minus ours, in milliseconds, including the message's time in transit. */
  readonly clockMs: number;
  readonly graph: string;
  readonly answered: number;
  readonly stale: number;
}

/** One daemon, with its unfinished payments. */
export interface DaemonStatus {
  readonly daemon: string;
  /** The Lightning node that the daemon pays with. Undefined for a daemon known only from payments. */
  readonly node: string | undefined;
  readonly version: string | undefined;
  /** Number of times that the daemon was started or retired. */
  readonly run: number | undefined;
  /** Milliseconds since its last heartbeat. */
  readonly seenMsAgo: number | undefined;
  readonly payments: number;
  /**
   * Number of attempts without an outcome that its last run recorded. Other daemons may own their payments by now. For
   * some of them, these daemons may have to wait until this daemon starts again or is retired.
   */
  readonly attempts: number;
  /**
   * Milliseconds until the first of its leases expires. If negative, another daemon may take over. Undefined if it has
   * no unfinished payments.
   */
  readonly leftMs: number | undefined;
}

/** The daemon that has the lease for writing the graph, or had it last. */
export interface LeaderStatus {
  readonly daemon: string;
  /** Milliseconds until its lease expires. If negative, another daemon may become the leader. */
  readonly leftMs: number;
}

/** An HTLC that belongs to no known payment. */
export interface UnknownStatus {
  readonly node: string;
  /** The payment hash in hex. */
  readonly paymentHash: string;
  readonly amountMsat: bigint;
  readonly isSettled: boolean;
}

/** The fleet at one moment. */
export interface FleetStatus {
  /** Number of the last chunk of the log. */
  readonly head: number;
  /** The database's clock minus ours, in milliseconds, accurate to half the query time. */
  readonly databaseClockMs: number;
  /** Undefined if no daemon ever shared its graph. */
  readonly graphLeader: LeaderStatus | undefined;
  readonly solvers: readonly SolverStatus[];
  /** Daemons seen within the last day, and daemons with unfinished payments or open attempts. */
  readonly daemons: readonly DaemonStatus[];
  /** Id of the fleet, used in the subjects of the bus. */
  readonly fleet: string;
  readonly schema: number;
  /** Lightning nodes whose HTLCs must still be matched after a failover. No new payment starts before that. */
  readonly inDoubt: readonly string[];
  readonly unknownHtlcs: readonly UnknownStatus[];
}

/** The addresses of the fleet's database and bus. */
export interface FleetPlace {
  readonly store: string;
  /** Undefined for a fleet without solvers. */
  readonly bus: string | undefined;
  readonly chain: string;
}

const HEAD = `
  SELECT (SELECT id FROM fleet) AS fleet, (SELECT seq FROM log_head) AS head, (SELECT max(version) FROM schema_version) AS schema,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`;

const LEADER = `
  SELECT daemon, (extract(epoch FROM until - clock_timestamp()) * 1000)::bigint AS left_ms
  FROM graph_head WHERE daemon <> ''`;

const DAEMONS = `
  WITH held AS (
    SELECT owner, count(*) AS payments,
      (extract(epoch FROM min(until) - clock_timestamp()) * 1000)::bigint AS left_ms
    FROM payment WHERE ${UNFINISHED} GROUP BY owner
  ), open AS (
    SELECT daemon, run, count(*) AS attempts FROM attempt WHERE status = 'sent' GROUP BY daemon, run
  ), seen AS (
    SELECT *, (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint AS seen_ms_ago
    FROM daemon LEFT JOIN open USING (daemon, run)
    WHERE seen_at > clock_timestamp() - interval '1 day' OR attempts > 0
  )
  SELECT coalesce(daemon, owner) AS daemon, node, version, run, seen_ms_ago, coalesce(payments, 0) AS payments,
    coalesce(attempts, 0) AS attempts, left_ms
  FROM seen FULL JOIN held ON daemon = owner ORDER BY 1`;

const DOUBT = `SELECT node FROM paying_node WHERE server <> ${THIS_SERVER} ORDER BY node`;

const UNKNOWN = `
  SELECT node, encode(payment_hash, 'hex') AS hash, amount_msat, preimage IS NOT NULL AS is_settled
  FROM unknown_htlc ORDER BY found_at`;

/** Queries the database and the bus. @throws BusError, StoreError, FulguriteError storeFailed */
export async function fleetStatus({ store, bus, chain }: FleetPlace): Promise<FleetStatus> {
  const database = await databaseStatus(store);
  const name = new FleetName(chain, database.fleet);
  const loads = bus === undefined ? new Map<string, Heard>() : await listen(bus, name);
  const solvers = [...loads.values()].map(({ load, clockMs }) => {
    const { id, version, depth, capacity, graph, answered, stale } = load;
    const lag = Math.max(0, database.head - load.layers);
    return { id, version, depth, capacity, lag, clockMs, graph, answered, stale };
  });
  return { ...database, solvers: solvers.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** The part of the status that comes from the database. @throws StoreError, FulguriteError storeFailed */
export async function databaseStatus(store: string): Promise<Omit<FleetStatus, 'solvers'>> {
  const line = new PostgresLine(await loadLibrary(), parsePostgresAddress(store), new KnownServer());
  try {
    await line.ask('SELECT 1');
    const askedAtMs = Date.now();
    const [row] = await line.ask(HEAD);
    const middleMs = (askedAtMs + Date.now()) / 2;
    const [leader] = await line.ask(LEADER);
    const daemons = await line.ask(DAEMONS);
    const inDoubt = await line.ask(DOUBT);
    const unknown = await line.ask(UNKNOWN);
    return {
      fleet: String(row!.fleet),
      head: Number(row!.head),
      databaseClockMs: Math.round(Number(row!.now_ms) - middleMs),
      graphLeader: leader && { daemon: String(leader.daemon), leftMs: Number(leader.left_ms) },
      schema: Number(row!.schema),
      daemons: daemons.map(({ daemon, node, version, run, seen_ms_ago, payments, attempts, left_ms }) => ({
        daemon: String(daemon),
        node: textOrNothing(node),
        version: textOrNothing(version),
        run: numberOrNothing(run),
        seenMsAgo: numberOrNothing(seen_ms_ago),
        payments: Number(payments),
        attempts: Number(attempts),
        leftMs: numberOrNothing(left_ms),
      })),
      inDoubt: inDoubt.map(({ node }) => String(node)),
      unknownHtlcs: unknown.map(({ node, hash, amount_msat, is_settled }) => ({
        node: String(node),
        paymentHash: String(hash),
        amountMsat: amount_msat as bigint,
        isSettled: is_settled === true,
      })),
    };
  } finally {
    line.close();
  }
}

const textOrNothing = (value: unknown): string | undefined => (value === null ? undefined : String(value));
const numberOrNothing = (value: unknown): number | undefined => (value === null ? undefined : Number(value));

interface Heard {
  readonly load: SolverLoad;
  readonly clockMs: number;
}

async function listen(url: string, name: FleetName): Promise<ReadonlyMap<string, Heard>> {
  const bus = await connectBus(url, 'fulgurite fleet status');
  const heard = new Map<string, Heard>();
  try {
    bus.subscribe(subjects(name).everyLoad, {
      callback: (error, message) => {
        if (error !== null) return;
        try {
          const load = unpack(message.data, SOLVER_LOAD);
          if (!name.owns(load)) return;
          heard.set(load.id, { load, clockMs: load.nowMs - Date.now() });
        } catch {
          // A message that is not a load report does not come from a solver.
        }
      },
    });
    await sleep(LISTEN_MS);
    return heard;
  } finally {
    await bus.close();
  }
}
