/**
 * Keeps the report of our channels up to date, for a node in another process. It lists the channels after each event of
 * the node, after each of our HTLCs, and at each periodic query of the node (a poll).
 *
 * The revision of a report is the number of its listing. Listings run one at a time, and are numbered when they
 * start. So a report with a revision above `begun`, the number of listings started so far, comes from a listing that
 * starts later. While the node is unreachable, the last report remains, so that route queries still work. Payments
 * check separately whether the node is up. Once the node is back, payments wait a while for its peers to reconnect
 * (`settled`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnChannel } from '../model/own-channel.ts';
import type { NodeTiming } from './node-timing.ts';
import type { OwnChannelReport, Peer } from './port.ts';

/**
 * The pause after a listing, as a multiple of the listing's duration. It leaves a node with thousands of channels time
 * for other work, and is never longer than a poll interval. For about as long, the report is recent enough for route
 * searches (`isFresh`).
 */
const REST_FACTOR = 4;

/**
 * Milliseconds between two checks while a payment waits for peers. Each check requests a listing, because older nodes
 * send no event when a peer connects.
 */
const SETTLE_LOOK_MS = 200;

/** The part of the link to the node that a watch uses. */
export interface WatchedLink<Connection> {
  /** Why the node cannot pay at the moment. Undefined when it can. */
  readonly problem: string | undefined;
  onUp(listener: (connection: Connection) => void): () => void;
  onFacts(listener: () => void): () => void;
}

/** The node's channels and peers at one moment. */
export interface Listing {
  readonly channels: readonly OwnChannel[];
  readonly peers: readonly Peer[];
}

/** Our channels and peers, as last listed by the node. */
export abstract class ChannelWatch<Connection> {
  readonly #link: WatchedLink<Connection>;
  readonly #timing: NodeTiming;
  readonly #listeners = new Set<(report: OwnChannelReport) => void>();
  #unsubscribe: (() => void)[] = [];
  #report: OwnChannelReport = { revision: 0, channels: [] };
  #peers: readonly Peer[] = [];
  #begun = 0;
  #isDirty = false;
  #looking: Promise<void> | undefined;
  /** The listing in progress, which resolves with its duration in milliseconds. */
  #present: Promise<number | undefined> | undefined;
  #tookMs = 0;
  /** When the listing of the latest report started. */
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** Peers whose channels were usable before the current connection to the node. */
  #expected: ReadonlySet<string> = new Set();
  /** The revision of the first report over the current connection, and the time at which to stop waiting for peers. */
  #firstRevision = 0;
  #settledAtMs = 0;

  constructor(link: WatchedLink<Connection>, timing: NodeTiming) {
    this.#link = link;
    this.#timing = timing;
  }

  /** Lists channels and peers. @param revision the number of this listing */
  protected abstract list(revision: number): Promise<Listing>;

  /**
   * Called when a listing failed. @throws the error, unless it comes from the node, or means that the node was
   * unreachable
   */
  protected abstract notListed(error: unknown): void;

  /** Calls `look` after each event of the node, until the connection ends. */
  protected abstract follow(connection: Connection): void;

  /** Whether payments should wait for more peers. @param expected ids of the peers whose channels were usable before */
  protected abstract lacksPeers(expected: ReadonlySet<string>): boolean;

  /** Starts watching. Subclasses call it at the end of their constructors. */
  protected start(): void {
    this.#unsubscribe = [
      this.#link.onUp((connection) => {
        const usable = this.#report.channels.filter((channel) => channel.usable);
        this.#expected = new Set(usable.map(({ peerId }) => peerId));
        this.#firstRevision = this.nextRevision();
        this.#settledAtMs = performance.now() + this.#timing.peersMs;
        this.follow(connection);
      }),
      this.#link.onFacts(() => this.look()),
    ];
  }

  get report(): OwnChannelReport {
    return this.#report;
  }

  get peers(): readonly Peer[] {
    return this.#peers;
  }

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of listings started so far. */
  protected get begun(): number {
    return this.#begun;
  }

  /** Whether the report is recent enough for route searches. */
  protected get isFresh(): boolean {
    const mostMs = Math.max(this.#timing.coalesceMs, REST_FACTOR * this.#tookMs);
    return performance.now() - this.#reportedAtMs <= Math.min(mostMs, this.#timing.pollMs);
  }

  /** Requests a listing. @returns the revision of its report; the listing starts after this call */
  nextRevision(): number {
    this.look();
    return this.#begun + 1;
  }

  onReport(listener: (report: OwnChannelReport) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Lists the channels once the current listing, if any, is over. */
  look(): void {
    this.#isDirty = true;
    this.#looking ??= this.#lookWhileDirty().finally(() => {
      this.#looking = undefined;
    });
  }

  /**
   * Resolves once payments need not wait for more peers (`lacksPeers`). Waits for at most `peersMs` after the node is
   * back, because a peer may be gone for good.
   */
  async settled(): Promise<void> {
    for (;;) {
      const leftMs = this.#settledAtMs - performance.now();
      if (leftMs <= 0 || this.#isClosed) return;
      if (this.#report.revision >= this.#firstRevision && !this.lacksPeers(this.#expected)) return;
      this.look();
      await sleep(Math.min(leftMs, SETTLE_LOOK_MS));
    }
  }

  /**
   * Resolves once the report is recent enough for route searches, or a listing has failed, at the latest after
   * `refreshMs`. Resolves immediately while the node cannot pay.
   */
  async refreshed(): Promise<void> {
    const endMs = performance.now() + this.#timing.refreshMs;
    for (let isFirst = true; !this.#isClosed && this.#link.problem === undefined; isFirst = false) {
      if (this.isFresh) return;
      if (!isFirst) await sleep(Math.min(this.#timing.coalesceMs, Math.max(0, endMs - performance.now())));
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return;
      const tooLong = new AbortController();
      const late = sleep(leftMs, undefined, { signal: tooLong.signal }).catch(() => undefined);
      const tookMs = await Promise.race([this.#lookNow(), late]);
      tooLong.abort();
      if (tookMs === undefined) return;
    }
  }

  /** Resolves once all requested listings are over. */
  async looked(): Promise<void> {
    await this.#looking;
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  async #lookWhileDirty(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      await sleep(this.#begun === 0 ? 0 : this.#timing.coalesceMs);
      const tookMs = await this.lookAgain(() => {
        this.#isDirty = false;
      });
      if (tookMs === undefined) return;
      await sleep(Math.min(REST_FACTOR * tookMs, this.#timing.pollMs), undefined, { ref: false });
    }
  }

  /**
   * Makes a new listing of the channels. A listing already in progress does not count, because it may miss a recent
   * change.
   * @param onStart called when the new listing starts
   * @returns the listing's duration in milliseconds; undefined when the listing failed. The channels are then listed
   *   again at the next event or poll, or when the node is back.
   */
  protected async lookAgain(onStart?: () => void): Promise<number | undefined> {
    while (this.#present !== undefined) await this.#present;
    onStart?.();
    return this.#lookNow();
  }

  /** Lists the channels once, or waits for the listing in progress. @returns as `lookAgain` */
  #lookNow(): Promise<number | undefined> {
    this.#present ??= this.#lookOnce().finally(() => {
      this.#present = undefined;
    });
    return this.#present;
  }

  async #lookOnce(): Promise<number | undefined> {
    const revision = ++this.#begun;
    const startMs = performance.now();
    try {
      const { channels, peers } = await this.list(revision);
      this.#peers = peers;
      this.#report = { revision, channels };
      for (const listener of this.#listeners) listener(this.#report);
      this.#reportedAtMs = startMs;
      this.#tookMs = performance.now() - startMs;
      return this.#tookMs;
    } catch (error) {
      this.notListed(error);
      return undefined;
    }
  }
}
