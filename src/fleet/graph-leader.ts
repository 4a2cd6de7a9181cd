/**
 * While this daemon is the leader, writes the graph of its source into the log that all machines follow.
 *
 * All daemons with a graph source compete for a lease of 10 seconds, which the leader renews three times in that time.
 * The other daemons keep their sources up to date, and try to take the lease as often. So if the leader dies or is
 * paused, another daemon continues within 14 seconds. The leader writes the difference between the log's copy and the
 * source, so no handover is needed.
 *
 * A daemon that knows far fewer channels than the log is still learning from its peers. It waits until the lease has
 * been expired for 30 seconds, so that a daemon that knows the graph can take it first. Otherwise, the learning daemon
 * would close every channel that it has not heard of yet.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import { GraphComparison } from '../model/graph/graph-difference.ts';
import type { GraphRecord } from '../model/graph/graph-records.ts';
import type { GraphReplica } from '../model/graph/graph-replica.ts';

const LEASE_MS = 10_000;
/** Milliseconds between two checks of a source that changes constantly. */
const GAP_MS = 250;
/** A daemon that knows less than this share of the log's channels is still loading its graph. */
const KNOWS_ENOUGH = 0.9;
/**
 * A daemon that is still loading takes the lease only when the lease has been expired for this many lease durations.
 */
const PATIENCE = 3;
/**
 * Maximum number of rounds per turn. Each round writes all differences between the source and the log. Closing channels
 * may cause further differences, which the next round writes.
 */
const ROUNDS = 3;

/** The functions of the log that a writer of the graph needs. */
export interface GraphWriting {
  claim(leaseMs: number, patienceMs: number): Promise<number | undefined>;
  append(records: readonly GraphRecord[], base: number): Promise<number | undefined>;
  release(): Promise<void>;
}

/** Options of a leader. */
export interface GraphLeaderOptions {
  readonly source: ChannelGraph;
  readonly replica: GraphReplica;
  readonly log: GraphWriting;
  readonly leaseMs?: number;
  readonly gapMs?: number;
  /** Called when this daemon becomes leader, and when it stops being leader. */
  readonly onLead?: (isLeader: boolean) => void;
}

/** A daemon that is the leader, or may become the leader. */
export class GraphLeader {
  readonly #options: GraphLeaderOptions;
  readonly #leaseMs: number;
  readonly #comparison: GraphComparison;
  #isLeader = false;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #renewal: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: GraphLeaderOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#comparison = new GraphComparison(options.replica.graph, options.source);
  }

  /** Whether the last claim succeeded. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Starts to compete for the lease. Resolves after the first attempt. */
  start(): Promise<void> {
    this.#renewal = setInterval(() => void this.#turn(), this.#leaseMs / 3).unref();
    return this.#turn();
  }

  /** Call this when the source has changed. */
  changed(): void {
    if (!this.#isLeader || this.#isClosed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#turn();
    }, this.#options.gapMs ?? GAP_MS).unref();
  }

  /** Stops, and lets another daemon lead at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#soon);
    await this.#running;
    if (this.#isLeader) await this.#options.log.release().catch(() => undefined);
    this.#isLeader = false;
  }

  #turn(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isAskedAgain = this.#running !== undefined;
    this.#running ??= this.#turns().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #turns(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      try {
        await this.#claimAndWrite();
      } catch {
        // The database is unreachable. The next turn tries again, and until then the graph stays as it is.
      }
    } while (this.#isAskedAgain && !this.#isClosed);
  }

  async #claimAndWrite(): Promise<void> {
    const { log, source, replica } = this.#options;
    const isLearning = source.channelCount < KNOWS_ENOUGH * replica.graph.channelCount;
    const claimed = await log.claim(this.#leaseMs, isLearning ? PATIENCE * this.#leaseMs : 0);
    this.#lead(claimed !== undefined);
    let base = claimed;
    for (let round = 0; round < ROUNDS && base !== undefined; round++) {
      const records = this.#comparison.difference();
      if (!replica.isWhole) records.push(['whole']);
      if (records.length === 0) return;
      base = await log.append(records, base);
      // A node whose channels were all closed and announced again lost its announcement. The next round adds it.
      if (!records.some(([kind]) => kind === 'closed')) return;
    }
  }

  #lead(isLeader: boolean): void {
    if (isLeader !== this.#isLeader) this.#options.onLead?.(isLeader);
    this.#isLeader = isLeader;
  }
}
