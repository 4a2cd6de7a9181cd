/**
 * Keeps the report of our channels up to date. It lists the channels when the node reports a change: of an HTLC (`wait
 * htlcs`), of a connection (`wait networkevents`), or of a block. It also lists them after each of our HTLCs. Changes
 * without an event, such as the peer's policy, a fee rate, or a channel that becomes usable between two blocks, are
 * noticed at the next pulse, or before a route search (`refreshed`).
 *
 * The revision of a report is the number of its listing. Listings run one at a time, and are numbered when they start.
 * So a report with a higher revision than the number of listings started so far (`#begun`) is newer than the present
 * moment. While the node is unreachable, the last report remains, so that route queries still work. Payments check
 * separately whether the node is up, and wait a while for peers that reconnect after it (`settled`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../model/errors.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import type { OwnChannelReport, Peer } from '../port.ts';
import { NodeError } from './answer.ts';
import type { NodeConnection, NodeLink } from './node-link.ts';
import { absentPeersOf, CHANNEL_FILTER, ownChannelsOf } from './own-channels.ts';
import { peersOf } from './peers.ts';
import type { ClnTiming } from './timing.ts';

/**
 * The pause before the next listing, as a multiple of the last one's duration, at most a pulse. A node with thousands
 * of channels has other work to do. During that time, the report is recent enough for route searches.
 */
const REST_FACTOR = 4;

/** Milliseconds between two listings while a payment waits for peers. Older nodes do not report connections. */
const SETTLE_LOOK_MS = 200;

/** Subsystems and indexes of `wait` that report changes. Older nodes have fewer. */
const EVENTS = [
  ['htlcs', 'created'],
  ['htlcs', 'updated'],
  ['networkevents', 'created'],
] as const;

/** What the watch needs. */
export interface ChannelWatchOptions {
  readonly link: NodeLink;
  readonly timing: ClnTiming;
  readonly log: Log;
  /**
   * Whether gossip says that a channel's funding is spent. Such a channel is not used. While the node still lists one,
   * channels are listed often, because a splice gives the channel another id without an event.
   */
  readonly isDying: (shortChannelId: ShortChannelId) => boolean;
}

/** Our channels and peers, as last listed by the node. */
export class ChannelWatch {
  readonly #link: NodeLink;
  readonly #timing: ClnTiming;
  readonly #log: Log;
  readonly #isDying: ChannelWatchOptions['isDying'];
  #soon: NodeJS.Timeout | undefined;
  readonly #listeners = new Set<(report: OwnChannelReport) => void>();
  readonly #unsubscribe: (() => void)[];
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
  /** Peers with a channel in normal operation that were absent in the last listing. */
  #absent: ReadonlySet<string> = new Set();
  /** Peers whose channels were usable before the current connection to the node. */
  #expected: ReadonlySet<string> = new Set();
  /** The first report of this connection, and when to stop waiting for peers. */
  #firstRevision = 0;
  #settledAtMs = 0;
  readonly #skipped = new Set<string>();

  constructor({ link, timing, log, isDying }: ChannelWatchOptions) {
    this.#link = link;
    this.#timing = timing;
    this.#log = log;
    this.#isDying = isDying;
    this.#unsubscribe = [
      link.onUp((connection) => this.#follow(connection)),
      link.onPulse(() => this.look()),
    ];
  }

  /** The latest report. */
  get report(): OwnChannelReport {
    return this.#report;
  }

  get peers(): readonly Peer[] {
    return this.#peers;
  }

  /** The revision of the next report whose listing starts after this call. The call also requests that listing. */
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
   * Resolves once the previously connected peers are back and at least one channel is usable, at the latest when the
   * time for that is over, because a peer may be gone for good.
   */
  async settled(): Promise<void> {
    for (;;) {
      const leftMs = this.#settledAtMs - performance.now();
      if (leftMs <= 0 || this.#isClosed || !this.#isWaitingForPeers()) return;
      this.look();
      await sleep(Math.min(leftMs, SETTLE_LOOK_MS));
    }
  }

  /** Resolves once the report is recent enough for route searches, at the latest after `refreshMs`. */
  async refreshed(): Promise<void> {
    const endMs = performance.now() + this.#timing.refreshMs;
    while (!this.#isClosed && this.#link.problem === undefined && !this.#isFresh()) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return;
      const tooLong = new AbortController();
      const late = sleep(leftMs, undefined, { signal: tooLong.signal }).catch(() => undefined);
      const tookMs = await Promise.race([this.#lookNow(), late]);
      tooLong.abort();
      if (tookMs === undefined) return;
    }
  }

  #isFresh(): boolean {
    const mostMs = Math.max(this.#timing.coalesceMs, REST_FACTOR * this.#tookMs);
    return performance.now() - this.#reportedAtMs <= Math.min(mostMs, this.#timing.pulseMs);
  }

  #isWaitingForPeers(): boolean {
    if (this.#report.revision < this.#firstRevision) return true;
    if ([...this.#expected].some((peer) => this.#absent.has(peer))) return true;
    return this.#absent.size > 0 && !this.#report.channels.some(({ usable }) => usable);
  }

  /** Resolves once all requested listings are over. */
  async looked(): Promise<void> {
    await this.#looking;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#soon);
    this.#listeners.clear();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #follow(connection: NodeConnection): void {
    const usable = this.#report.channels.filter((channel) => channel.usable);
    this.#expected = new Set(usable.map(({ peerId }) => peerId));
    this.#firstRevision = this.nextRevision();
    this.#settledAtMs = performance.now() + this.#timing.peersMs;
    for (const [subsystem, indexname] of EVENTS) void this.#awaitEvents(connection, subsystem, indexname);
  }

  /** Lists the channels after each event of a kind, until the connection ends. */
  async #awaitEvents({ socket }: NodeConnection, subsystem: string, indexname: string): Promise<void> {
    let nextvalue = 0n;
    try {
      while (socket.isOpen && !this.#isClosed) {
        const event = await socket.call('wait', { subsystem, indexname, nextvalue });
        if (nextvalue > 0n) this.look();
        nextvalue = event.requireWhole(indexname) + 1n;
      }
    } catch (error) {
      if (error instanceof NodeError) this.#log.info(`no events of ${subsystem}: ${error.message}`);
      else if (!(error instanceof FulguriteError)) throw error;
    }
  }

  async #lookWhileDirty(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      await sleep(this.#begun === 0 ? 0 : this.#timing.coalesceMs);
      // A listing that started before the change may not include it.
      while (this.#present !== undefined) await this.#present;
      this.#isDirty = false;
      const tookMs = await this.#lookNow();
      if (tookMs === undefined) return;
      await sleep(Math.min(REST_FACTOR * tookMs, this.#timing.pulseMs), undefined, { ref: false });
    }
  }

  /** Lists the channels once, or waits for the listing in progress. @returns as `#lookOnce` */
  #lookNow(): Promise<number | undefined> {
    this.#present ??= this.#lookOnce().finally(() => {
      this.#present = undefined;
    });
    return this.#present;
  }

  /**
   * Lists the channels once. @returns the duration in milliseconds; undefined when the node is unreachable. When it is
   * back, another listing follows.
   */
  async #lookOnce(): Promise<number | undefined> {
    const revision = ++this.#begun;
    const startMs = performance.now();
    try {
      const [channels, peers] = await Promise.all([
        this.#link.call('listpeerchannels', {}, { filter: CHANNEL_FILTER }),
        this.#link.call('listpeers'),
      ]);
      this.#peers = peersOf(peers);
      this.#absent = absentPeersOf(channels);
      this.#report = {
        revision,
        channels: this.#withoutDying(ownChannelsOf(channels, (why) => this.#skip(why))),
      };
      for (const listener of this.#listeners) listener(this.#report);
      this.#reportedAtMs = startMs;
      this.#tookMs = performance.now() - startMs;
      return this.#tookMs;
    } catch (error) {
      if (!(error instanceof FulguriteError || error instanceof NodeError)) throw error;
      return undefined;
    }
  }

  #withoutDying(channels: readonly OwnChannel[]): readonly OwnChannel[] {
    clearTimeout(this.#soon);
    const isSpent = ({ shortChannelId }: OwnChannel): boolean =>
      shortChannelId !== undefined && this.#isDying(shortChannelId);
    if (!channels.some(isSpent)) return channels;
    this.#soon = setTimeout(() => this.look(), this.#timing.troubledMs).unref();
    return channels.map((channel) => (isSpent(channel) ? { ...channel, usable: false } : channel));
  }

  #skip(why: string): void {
    if (this.#skipped.has(why)) return;
    this.#skipped.add(why);
    this.#log.unusual(why);
  }
}
