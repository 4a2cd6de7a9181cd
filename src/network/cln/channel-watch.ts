/**
 * Keeps the report of our channels up to date. It looks at the channels when the node reports a change: of
 * an HTLC (`wait htlcs`), of a connection (`wait networkevents`), or of a block. It also looks after every
 * HTLC of ours. Changes without an event, such as the peer's policy, a fee rate, or a channel that becomes usable
 * between two blocks, are seen at the next pulse, or when someone is about to search for routes (`refreshed`).
 *
 * The revision of a report is the number of its look. Looks run one at a time, and are numbered when they begin.
 * So a report with a higher revision than the number of looks begun so far (`#begun`) will be taken after the
 * present moment. While the node is away, the last report stays, so that routes can still be requested. A
 * payment asks separately whether the node is there, and waits a while for peers that come back after it (`settled`).
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
 * The next look waits this many times as long as the last one took, but no longer than a pulse. A node with
 * thousands of channels has other work to do. For as long, a report is new enough to search for routes.
 */
const REST_FACTOR = 4;

/** Milliseconds between two looks while a payment waits for peers. Older nodes do not report connections. */
const SETTLE_LOOK_MS = 200;

/** Subsystems and indexes of `wait` that report changes. Older nodes know fewer. */
const EVENTS = [
  ['htlcs', 'created'],
  ['htlcs', 'updated'],
  ['networkevents', 'created'],
] as const;

/** What the watch works with. */
export interface ChannelWatchOptions {
  readonly link: NodeLink;
  readonly timing: ClnTiming;
  readonly log: Log;
  /**
   * Whether a channel's funding is spent, as gossip says. Such a channel is not used. While the node lists one, it is
   * looked at often, because a splice gives it another id, and the node has no event for that.
   */
  readonly isDying: (shortChannelId: ShortChannelId) => boolean;
}

/** Our channels and peers, as the node listed them last. */
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
  /** The look that is in progress, and milliseconds that the last one took. */
  #present: Promise<number | undefined> | undefined;
  #tookMs = 0;
  /** When the look began whose report is the latest. */
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** Peers with a channel in normal operation that were absent at the last look. */
  #absent: ReadonlySet<string> = new Set();
  /** Peers whose channels were usable before the connection to the node that stands now. */
  #expected: ReadonlySet<string> = new Set();
  /** The first report that is of this connection, and when peers are no longer awaited. */
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

  /** The revision of the next report whose look begins after this call. The call also asks for that look. */
  nextRevision(): number {
    this.look();
    return this.#begun + 1;
  }

  onReport(listener: (report: OwnChannelReport) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Looks at the channels when the present look, if any, is over. */
  look(): void {
    this.#isDirty = true;
    this.#looking ??= this.#lookWhileDirty().finally(() => {
      this.#looking = undefined;
    });
  }

  /**
   * Resolves when the peers that were there before the node came up are back, and one of its channels can be used at
   * least. At the latest when the time for that is over: a peer may be gone for good.
   */
  async settled(): Promise<void> {
    for (;;) {
      const leftMs = this.#settledAtMs - performance.now();
      if (leftMs <= 0 || this.#isClosed || !this.#isWaitingForPeers()) return;
      this.look();
      await sleep(Math.min(leftMs, SETTLE_LOOK_MS));
    }
  }

  /** Resolves when the report is new enough to search for routes, and at the latest after `refreshMs`. */
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

  /** Resolves when all looks that were asked for are over. */
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

  /** Looks after each event of a kind, until the connection ends. */
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
      // One that began before the change that made it dirty may not show that change.
      while (this.#present !== undefined) await this.#present;
      this.#isDirty = false;
      const tookMs = await this.#lookNow();
      if (tookMs === undefined) return;
      await sleep(Math.min(REST_FACTOR * tookMs, this.#timing.pulseMs), undefined, { ref: false });
    }
  }

  /** Looks once, or waits for the look that is in progress. @returns as `#lookOnce` */
  #lookNow(): Promise<number | undefined> {
    this.#present ??= this.#lookOnce().finally(() => {
      this.#present = undefined;
    });
    return this.#present;
  }

  /**
   * Looks once. @returns milliseconds that the node took; undefined when it is away. When it
   * comes back, another look follows.
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
