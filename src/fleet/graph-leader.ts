/**
 * Writes what a source of the graph reports into the log that all machines follow, while this daemon is the one that may.
 *
 * All daemons with a source run for it, by a lease of 10 seconds that is renewed every 3. The others keep their sources
 * up to date and wait. So when the leader dies or is paused, another one continues within a lease. What is written is the
 * difference between the copy that the log makes and the source, so nothing need be handed over.
 *
 * A daemon that knows much less than the log does is still learning from its peers. It waits for three leases more, so
 * that one that knows the graph goes first. Else it would close every channel that it has not heard of yet.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import { GraphComparison } from '../model/graph-difference.ts';
import type { GraphRecord } from '../model/graph-records.ts';
import type { GraphReplica } from '../model/graph-replica.ts';

/** Milliseconds that the lease lasts. */
const LEASE_MS = 10_000;
/** Milliseconds between two looks at a source that changes all the time. */
const GAP_MS = 250;
/** A daemon with less than this share of the channels of the log is still loading. */
const KNOWS_ENOUGH = 0.9;
/** Leases for which it waits. */
const PATIENCE = 3;
/** A difference is written at once; changes that follow from its channel closings are written with the next one. */
const ROUNDS = 3;

/** The part of the log that a writer of the graph needs. */
export interface GraphWriting {
  claim(leaseMs: number, patienceMs: number): Promise<number | undefined>;
  append(records: readonly GraphRecord[], base: number): Promise<number | undefined>;
  release(): Promise<void>;
}

/** What a leader is made of. */
export interface GraphLeaderOptions {
  readonly source: ChannelGraph;
  readonly replica: GraphReplica;
  readonly log: GraphWriting;
  readonly leaseMs?: number;
  readonly gapMs?: number;
  /** Told when this daemon begins to lead, and when it ends. */
  readonly onLead?: (isLeader: boolean) => void;
}

/** One daemon that leads or may have to. */
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

  /** Whether the last claim was ours. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Starts trying to get the lease. Resolves after the first attempt. */
  start(): Promise<void> {
    this.#renewal = setInterval(() => void this.#turn(), this.#leaseMs / 3).unref();
    return this.#turn();
  }

  /** The source has changed. */
  changed(): void {
    if (!this.#isLeader || this.#isClosed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#turn();
    }, this.#options.gapMs ?? GAP_MS).unref();
  }

  /** Ends, and lets another one lead at once. */
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
        // The database is away. The next turn tries again, and until then the graph stays as it is.
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
      // A node that lost all its channels lost its announcement too. It comes with the next round.
      if (!records.some(([kind]) => kind === 'closed')) return;
    }
  }

  #lead(isLeader: boolean): void {
    if (isLeader !== this.#isLeader) this.#options.onLead?.(isLeader);
    this.#isLeader = isLeader;
  }
}
