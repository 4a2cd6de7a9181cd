/**
 * The runs of a daemon in the database, by which other daemons can tell whether the process of an earlier run has ended
 * (`PaymentLeases.hasRecorderEnded`).
 *
 *     run n ──the daemon starts again, or the operator retires it──▶ run n + 1
 *
 * A process holds the lock of its data directory before it begins a run, so the process of the previous run has ended. A
 * statement on an abandoned connection may still reach the server, long after a later run has begun. It must not end
 * that run, so each statement names the run that it ends.
 *
 * Retiring. The operator states that the process of a lost daemon has ended. If that is wrong, because the process is
 * only paused, it must not send the HTLCs of its run when it wakes up: others may have paid instead. Four rules prevent
 * this:
 *
 *   1. A process may send only within one lease after the database confirmed that its run is the last one, measured by
 *      the clocks of its machine. It checks this just before it hands an HTLC to its Lightning node (`NetworkPort.send`).
 *   2. The statement that confirms a run also records when the daemon was last seen.
 *   3. The statement that retires a daemon does so only if the daemon was last seen `RETIRED_AFTER_MS` ago or earlier, which
 *      is much longer than a lease. So at that moment, the process has no permission to send, and gets no new one.
 *   4. Rows of an ended run are refused. The row of the daemon is locked until they are committed, so each attempt of the
 *      run is in the database before the run ends.
 *
 * What remains is a process that stands still exactly between the check and the write to its node, and one whose clocks
 * stand still with it, as those of a suspended virtual machine may. No database can stop these, so the operator must be
 * sure.
 */
import { VERSION } from '../../model/version.ts';
import type { PgValue, PostgresLine } from './line.ts';
import { UNFINISHED } from './payment-rows.ts';
import { storeFailed } from './refusal.ts';

/**
 * Minimum time since a daemon was last seen before it can be retired, in milliseconds. Also long enough for the operating
 * system of a remote process that was killed to give up delivering what the process had written to its node: about 100
 * seconds (`tcp_orphan_retries` of Linux).
 */
export const RETIRED_AFTER_MS = 120_000;

const KNOWN_DAEMON = `
  INSERT INTO daemon (daemon, node, version, seen_at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT DO NOTHING`;
const CURRENT_RUN = 'SELECT run FROM daemon WHERE daemon = $1';
const NEXT_RUN = `UPDATE daemon SET run = run + 1, node = $3, version = $4, seen_at = clock_timestamp()
  WHERE daemon = $1 AND run = $2 RETURNING run`;
/** Maximum number of attempts to begin a run. An attempt fails only if a late statement of an earlier run intervenes. */
const MAX_ATTEMPTS = 10;

/**
 * Records that the run `$4` of the daemon `$1` is seen, and returns a row, unless a later run has begun. A failover may
 * have lost the row, or the beginning of the run, which is then recorded again.
 */
export const SEE_RUN = `
  INSERT INTO daemon (daemon, node, version, run, seen_at) VALUES ($1, $2, $3, $4::bigint, clock_timestamp())
  ON CONFLICT (daemon) DO UPDATE SET node = excluded.node, version = excluded.version, run = excluded.run,
    seen_at = excluded.seen_at
  WHERE daemon.run <= excluded.run
  RETURNING run`;

/** Whether the run `run` of the daemon `daemon` is the last one. Both are SQL expressions. */
export const isLastRun = (daemon: string, run: string): string =>
  `NOT EXISTS (SELECT FROM daemon d WHERE d.daemon = ${daemon} AND d.run > ${run})`;

/** A daemon that has not been seen for a while, and has no valid lease. */
const IS_SILENT = `seen_at <= clock_timestamp() - $2::bigint * interval '1 millisecond' AND NOT EXISTS (
  SELECT FROM payment WHERE ${UNFINISHED} AND owner = $1 AND until > clock_timestamp())`;
const RETIRE = `UPDATE daemon SET run = run + 1 WHERE daemon = $1 AND ${IS_SILENT} RETURNING run`;
const LAST_SEEN = `
  SELECT (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint AS ms_ago FROM daemon WHERE daemon = $1`;
const OPEN_ATTEMPTS = `
  SELECT count(*) AS attempts FROM attempt WHERE status = 'sent' AND daemon = $1 AND run = $2::bigint - 1`;

/**
 * Begins a run of the daemon, which ends its previous run.
 * @param node the Lightning node whose channels carry its payments
 * @returns the number of the run
 * @throws FulguriteError storeFailed
 */
export async function beginRun(
  line: Pick<PostgresLine, 'ask'>,
  daemon: string,
  node: string,
): Promise<number> {
  await line.ask(KNOWN_DAEMON, [daemon, node, VERSION]);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const [current] = await line.ask(CURRENT_RUN, [daemon]);
    const [begun] = await line.ask(NEXT_RUN, [daemon, Number(current!.run), node, VERSION]);
    if (begun !== undefined) return Number(begun.run);
  }
  throw storeFailed('the number of this run of the daemon could not be recorded');
}

/** The parameters of `SEE_RUN`. */
export const seenRun = (daemon: string, node: string, run: number): PgValue[] => [daemon, node, VERSION, run];

/** A daemon cannot be retired: it is not in the database, or it may be running. */
export class NotRetired extends Error {
  readonly reason: 'unknown' | 'running';

  constructor(reason: NotRetired['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Ends the last run of a daemon that is lost. The caller states that its process has ended.
 * @returns the number of attempts of that run that have no outcome yet
 * @throws NotRetired; FulguriteError storeFailed
 */
export async function retireDaemon(line: Pick<PostgresLine, 'ask'>, daemon: string): Promise<number> {
  const [ended] = await line.ask(RETIRE, [daemon, RETIRED_AFTER_MS]);
  if (ended !== undefined) {
    const [open] = await line.ask(OPEN_ATTEMPTS, [daemon, Number(ended.run)]);
    return Number(open!.attempts);
  }
  const [seen] = await line.ask(LAST_SEEN, [daemon]);
  if (seen === undefined) throw new NotRetired('unknown', `the database has no daemon ${daemon}`);
  const secondsAgo = Math.max(0, Math.round(Number(seen.ms_ago) / 1000));
  throw new NotRetired(
    'running',
    `daemon ${daemon} may be running: it was last seen ${secondsAgo} s ago. Only a daemon that was not seen for ` +
      `${RETIRED_AFTER_MS / 1000} s, and whose leases have expired, can be retired`,
  );
}
