/**
 * Keeps the report of our channels up to date. It lists the channels when the node reports a change of a channel
 * (`SubscribeChannelEvents`; since LND 0.21 also after every balance change) or of a peer, after each of our HTLCs, and
 * at each pulse. LND's own payments and forwards are noticed before the next search at the latest (`refreshed`).
 *
 * The revision of a report is the number of its listing. Listings run one at a time, and are numbered when they start.
 * So a report with a higher revision than the number of listings started so far is newer than the present moment. While
 * the node is unreachable, the last report remains.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from '../../bolt/bytes.ts';
import { parseNodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import type { OwnChannelRecord, OwnChannelReport, Peer } from '../port.ts';
import type { Channel, PeerRow } from './answers.ts';
import { keepStream } from './client/kept-stream.ts';
import { ChannelPoliciesBook } from './graph/channel-policies.ts';
import { featureBytes } from './graph/feature-bytes.ts';
import { isNodeTrouble, type LndConnection, type LndLink, nodeAway } from './node-link.ts';
import { ownChannelsOf, shownChannelsOf } from './own-channels.ts';
import type { LndTiming } from './timing.ts';

/**
 * The pause before the next listing, as a multiple of the last one's duration. A node with many channels has other work
 * to do.
 */
const REST_FACTOR = 4;
/** Milliseconds between two listings while a payment waits for peers. */
const SETTLE_LOOK_MS = 200;

const EVENTS = ['SubscribeChannelEvents', 'SubscribePeerEvents'] as const;

/** What the watch needs. */
export interface LndChannelWatchOptions {
  readonly link: LndLink;
  readonly timing: LndTiming;
  readonly log: Log;
}

/** Our channels and peers, as last listed by the node. */
export class LndChannelWatch {
  readonly #link: LndLink;
  readonly #timing: LndTiming;
  readonly #log: Log;
  readonly #policies: ChannelPoliciesBook;
  readonly #listeners = new Set<(report: OwnChannelReport) => void>();
  readonly #unsubscribe: (() => void)[];
  #report: OwnChannelReport = { revision: 0, channels: [] };
  #pending: ReadonlySet<string> = new Set();
  /**
   * Failed HTLCs, by channel and hash, with the number of listings started before. A later listing must show the money
   * again.
   */
  readonly #returning = new Map<string, number>();
  #peers: readonly Peer[] = [];
  #begun = 0;
  #isDirty = false;
  #looking: Promise<void> | undefined;
  /** The listing in progress, which resolves with its duration in milliseconds. */
  #present: Promise<number | undefined> | undefined;
  #tookMs = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** Peers whose channels were usable before the current connection to the node. */
  #expected: ReadonlySet<string> = new Set();
  #firstRevision = 0;
  #settledAtMs = 0;

  constructor({ link, timing, log }: LndChannelWatchOptions) {
    this.#link = link;
    this.#timing = timing;
    this.#log = log;
    this.#policies = new ChannelPoliciesBook(link);
    this.#unsubscribe = [
      link.onUp((connection) => this.#follow(connection)),
      link.onPulse(() => this.look()),
    ];
  }

  /** The latest report. */
  get report(): OwnChannelReport {
    return this.#report;
  }

  /** Hashes (hex) of the HTLCs offered by us, in the latest report. */
  get pendingHashes(): ReadonlySet<string> {
    return this.#pending;
  }

  get peers(): readonly Peer[] {
    return this.#peers;
  }

  /** The revision of the next report that starts after this call. The call also requests that report. */
  nextRevision(): number {
    this.look();
    return this.#begun + 1;
  }

  /**
   * Records that one of our HTLCs has failed. LND reports that before its money is back on the channel, so the next
   * search waits for it for a bounded time.
   */
  returning(shortChannelId: ShortChannelId, hash: string): void {
    const key = htlcKeyOf(shortChannelId, hash);
    this.#returning.set(key, this.#begun);
    setTimeout(() => this.#returning.delete(key), this.#timing.returnMs).unref();
    this.look();
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

  /** Called when the node's graph reports another policy for a channel. */
  policyChanged(shortChannelId: ShortChannelId): void {
    if (this.#policies.outdated(shortChannelId)) this.look();
  }

  /** Resolves once the previously connected peers are back, or the time for that is over. */
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
    for (let isFirst = true; !this.#isClosed && this.#link.problem === undefined; isFirst = false) {
      if (this.#isFresh() && this.#returning.size === 0) return;
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

  /** Resolves after a listing that started after this call. @throws FulguriteError nodeAway when there was none */
  async lookedAgain(): Promise<void> {
    while (this.#present !== undefined) await this.#present;
    if ((await this.#lookNow()) === undefined) throw nodeAway('LND does not list its channels');
  }

  /** Resolves once all requested listings are over. */
  async looked(): Promise<void> {
    await this.#looking;
  }

  /** The channels for lists. @throws FulguriteError nodeAway; LndError */
  async shown(): Promise<OwnChannelRecord[]> {
    const { channels } = await this.#link.call<{ channels: Channel[] }>('ListChannels', {});
    return shownChannelsOf(channels, (one) => this.#policies.of(one));
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #isFresh(): boolean {
    const mostMs = Math.max(this.#timing.coalesceMs, REST_FACTOR * this.#tookMs);
    return performance.now() - this.#reportedAtMs <= Math.min(mostMs, this.#timing.pulseMs);
  }

  #isWaitingForPeers(): boolean {
    if (this.#report.revision < this.#firstRevision) return true;
    const usable = this.#report.channels.filter((channel) => channel.usable);
    const there = new Set<string>(usable.map(({ peerId }) => peerId));
    if ([...this.#expected].some((peer) => !there.has(peer))) return true;
    return usable.length === 0 && this.#report.channels.length > 0;
  }

  #follow(connection: LndConnection): void {
    const usable = this.#report.channels.filter((channel) => channel.usable);
    this.#expected = new Set(usable.map(({ peerId }) => peerId));
    this.#firstRevision = this.nextRevision();
    this.#settledAtMs = performance.now() + this.#timing.peersMs;
    const look = (): void => this.look();
    for (const method of EVENTS) {
      keepStream(this.#link, connection, method, {
        onMessage: look,
        onEnd: ({ message }) => this.#log.debug(`${method} ended: ${message}`),
        onGap: look,
        onRefused: ({ message }) => this.#log.unusual(`no events of ${method}: ${message}`),
      });
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

  #lookNow(): Promise<number | undefined> {
    this.#present ??= this.#lookOnce().finally(() => {
      this.#present = undefined;
    });
    return this.#present;
  }

  /** Lists the channels once. @returns the duration in milliseconds; undefined when the node is unreachable. */
  async #lookOnce(): Promise<number | undefined> {
    const revision = ++this.#begun;
    const startMs = performance.now();
    try {
      const [{ channels }, { peers }] = await Promise.all([
        this.#link.call<{ channels: Channel[] }>('ListChannels', {}),
        this.#link.call<{ peers: PeerRow[] }>('ListPeers', {}),
      ]);
      await this.#policies.learn(channels.map(({ chan_id }) => BigInt(chan_id) as ShortChannelId));
      this.#peers = peersOf(peers);
      this.#tell(revision, channels);
      this.#reportedAtMs = startMs;
      this.#tookMs = performance.now() - startMs;
      return this.#tookMs;
    } catch (error) {
      if (!isNodeTrouble(error)) throw error;
      this.#log.debug(`cannot list the channels: ${error.message}`);
      return undefined;
    }
  }

  /** Forgets failed HTLCs that this listing, started after they failed, shows on no channel. */
  #forgetReturned(revision: number, rows: readonly Channel[]): void {
    const there = new Set(
      rows.flatMap(({ chan_id, pending_htlcs }) =>
        pending_htlcs.map(({ hash_lock }) => htlcKeyOf(BigInt(chan_id), toHex(hash_lock))),
      ),
    );
    for (const [key, begun] of this.#returning) {
      if (revision > begun && !there.has(key)) this.#returning.delete(key);
    }
  }

  #tell(revision: number, rows: readonly Channel[]): void {
    const offered = rows.flatMap((row) => row.pending_htlcs.filter(({ incoming }) => !incoming));
    this.#pending = new Set(offered.map(({ hash_lock }) => toHex(hash_lock)));
    if (this.#returning.size > 0) this.#forgetReturned(revision, rows);
    const channels: readonly OwnChannel[] = ownChannelsOf(rows, (one) => this.#policies.of(one));
    this.#report = { revision, channels };
    for (const listener of this.#listeners) listener(this.#report);
  }
}

function peersOf(rows: readonly PeerRow[]): Peer[] {
  return rows.flatMap(({ pub_key, address, inbound, features }) => {
    const nodeId = parseNodeId(pub_key);
    if (nodeId === undefined) return [];
    const direction = inbound ? 'in' : 'out';
    return [{ nodeId, features: featureBytes(features), connected: true, address, direction }];
  });
}

const htlcKeyOf = (shortChannelId: bigint, hash: string): string => `${shortChannelId}/${hash}`;
