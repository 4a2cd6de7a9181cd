/**
 * Numbers the runs of a daemon in the database, so that other daemons can tell whether the process of an earlier run has
 * ended (`PaymentLeases.hasRecorderEnded`).
 *
 * A process holds the lock of its data directory before it begins a run, so the process of the previous run has ended. A
 * statement on an abandoned connection may still reach the server, long after a later run has begun. It must not end
 * that run, so each statement names the run that it ends.
 */
import { VERSION } from '../../model/version.ts';
import type { PostgresLine } from './line.ts';
import { storeFailed } from './refusal.ts';

const KNOWN_DAEMON = `
  INSERT INTO daemon (daemon, node, version, seen_at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT DO NOTHING`;
const CURRENT_RUN = 'SELECT run FROM daemon WHERE daemon = $1';
const NEXT_RUN = 'UPDATE daemon SET run = run + 1 WHERE daemon = $1 AND run = $2 RETURNING run';
/** Maximum number of attempts to begin a run. An attempt fails only if a late statement of an earlier run intervenes. */
const MAX_ATTEMPTS = 10;

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
    const [begun] = await line.ask(NEXT_RUN, [daemon, Number(current!.run)]);
    if (begun !== undefined) return Number(begun.run);
  }
  throw storeFailed('the number of this run of the daemon could not be recorded');
}
