/**
 * What a process knows about its database server: the server's identity, and whether it responds. All connections of
 * the process share this knowledge.
 *
 * Each new connection is checked before use: the server must be the primary, the same one as before (system
 * identifier), and on the same timeline or a later one. An old primary that returns after its standby took over has an
 * older timeline, and is refused.
 */
import type { FulguriteError } from '../../model/errors.ts';
import { BEHIND_POOLER, storeFailed } from './refusal.ts';

/** The schema of our tables, set in each session. */
export const SEARCH_PATH = 'fulgurite';

/** The query that identifies a server. */
export const LOOK = `
  SELECT pg_is_in_recovery() AS is_standby,
    (SELECT system_identifier FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
      AS timeline,
    current_setting('search_path') AS search_path`;

/** The server known to a process. */
export class KnownServer {
  #system: bigint | undefined;
  #timeline = 0;
  #host = 0;
  #outage: FulguriteError | undefined;
  readonly #listeners = new Set<(reason: FulguriteError) => void>();

  /** The latest known timeline of the server. 0 before the first check. */
  get timeline(): number {
    return this.#timeline;
  }

  /** Index of the host that answered last, in the address's list. */
  get host(): number {
    return this.#host;
  }

  /** The reason why queries are not sent now. Undefined while the server responds. */
  get outage(): FulguriteError | undefined {
    return this.#outage;
  }

  /**
   * Checks a server's answer to `LOOK`, and remembers the server.
   * @param host index of the host that answered
   * @returns the server's timeline
   * @throws FulguriteError storeFailed when the server is a standby, a different server or an old primary, or when the
   *   session lacks its settings.
   */
  check(row: Readonly<Record<string, unknown>>, host = 0): number {
    const { is_standby, system, timeline, search_path = SEARCH_PATH } = row;
    if (search_path !== SEARCH_PATH) throw storeFailed(BEHIND_POOLER);
    if (is_standby === true) throw storeFailed('the server is a read-only standby');
    const number = Number.parseInt(String(timeline), 16);
    if (this.#system !== undefined && this.#system !== system) {
      throw storeFailed('a different server answers at this address');
    }
    if (number < this.#timeline) {
      throw storeFailed(`the server is on timeline ${number}, and its successor on ${this.#timeline}`);
    }
    this.#system = system as bigint;
    this.#timeline = number;
    this.#host = host;
    this.#outage = undefined;
    return number;
  }

  /**
   * Call this when the server does not respond. Abandons all connections. Queries then fail immediately until a new
   * connection succeeds.
   */
  fails(reason: FulguriteError): void {
    this.#outage = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  /** Calls back when the server is found unresponsive. @returns a function that unsubscribes */
  onOutage(listener: (reason: FulguriteError) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
