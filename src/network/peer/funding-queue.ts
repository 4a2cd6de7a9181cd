/**
 * Announced channels waiting to be verified on the chain. A bounded number is verified at a time, and peers take turns.
 * A few messages about such a channel are held until it is verified. While the chain source does not respond, all
 * channels wait.
 *
 * Failed announcements are remembered for some minutes, so that they are not looked up again, even if another peer
 * sends them. Each one counts against the peer that sent it, and peers that send too many are disconnected.
 */

import { toHex } from '../../bolt/bytes.ts';
import type { ChannelAnnouncement, NodeAnnouncement } from '../../bolt/peer/gossip-messages.ts';
import { ChainError, type ChainSource } from '../../chain/chain-source.ts';
import { checkFunding, type FundingVerdict } from '../../chain/funding-check.ts';
import { FairQueue } from './fair-queue.ts';
import {
  MAX_FORGED_CHANNELS,
  MAX_GONE_CHANNELS,
  MAX_HELD_MESSAGES,
  MAX_PENDING_CHANNELS_PER_PEER,
  MAX_UNFUNDED_REMEMBERED,
  UNFUNDED_REMEMBERED_MS,
} from './limits.ts';

/** The connection from which an announcement came. */
export interface FundingOrigin {
  refuse(reason: string): void;
}

/** A message about a channel that is still being verified. */
export interface HeldMessage<O> {
  readonly origin: O;
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** A channel waiting for verification, with its held messages. */
export interface PendingChannel<O> {
  readonly origin: O;
  readonly announcement: ChannelAnnouncement;
  readonly bytes: Uint8Array;
  readonly held: HeldMessage<O>[];
}

/** Dependencies of the queue. `funded` is called with each channel that exists on the chain. */
export interface FundingQueueOptions<O> {
  readonly source: ChainSource;
  /** Height of the chain. Undefined while unknown. */
  readonly height: () => number | undefined;
  readonly funded: (pending: PendingChannel<O>, txid: string, capacitySat: bigint) => void;
  /** Pause after the chain source did not respond, in milliseconds. */
  readonly retryMs: number;
  /** Returns the milliseconds of a monotonic clock. */
  readonly nowMs?: () => number;
}

/** The verdict on a channel that is not funded as announced. */
type Unfunded = Exclude<FundingVerdict, { kind: 'funded' }>;

/** Numbers of verdicts on a peer's channels, by kind. */
interface Score {
  funded: number;
  gone: number;
  forged: number;
}

/** Verifies announced channels on the chain, a bounded number at a time. */
export class FundingQueue<O extends FundingOrigin> {
  private readonly options: FundingQueueOptions<O>;
  private readonly queue = new FairQueue<O, PendingChannel<O>>(MAX_PENDING_CHANNELS_PER_PEER);
  private readonly pending = new Map<bigint, PendingChannel<O>>();
  /**
   * Pending channels by the node ids of their ends, so that announcements of these nodes wait too. The ids are plain
   * hex, not `NodeId`s, because a message with an unverified signature may contain invalid ids.
   */
  private readonly ends = new Map<string, PendingChannel<O>>();
  /** A weak map, because a channel may be verified after its peer has disconnected, and still counts. */
  private readonly scores = new WeakMap<O, Score>();
  /** Failed announcements, by short channel id and keys, oldest first. */
  private readonly unfunded = new Map<string, { readonly verdict: Unfunded; readonly atMs: number }>();
  private readonly nowMs: () => number;
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: FundingQueueOptions<O>) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Number of channels that are waiting or being verified. */
  get size(): number {
    return this.pending.size;
  }

  /**
   * Adds a channel with valid signatures, unless it is already pending, failed verification a short time ago, or its
   * peer already has too many channels in the queue.
   */
  push(origin: O, announcement: ChannelAnnouncement, bytes: Uint8Array): void {
    const { shortChannelId, nodeId1, nodeId2 } = announcement;
    if (this.closed || this.pending.has(shortChannelId)) return;
    const known = this.remembered(announcement);
    if (known !== undefined) {
      this.count(origin, known);
      return;
    }
    const pending = { origin, announcement, bytes, held: [] };
    if (!this.queue.push(origin, pending)) return;
    this.pending.set(shortChannelId, pending);
    for (const end of [nodeId1, nodeId2]) this.ends.set(toHex(end), pending);
    this.next();
  }

  isPending(shortChannelId: bigint): boolean {
    return this.pending.has(shortChannelId);
  }

  /** Holds an update of a channel that is being verified. Does nothing for any other channel. */
  holdUpdate(shortChannelId: bigint, message: HeldMessage<O>): void {
    hold(this.pending.get(shortChannelId), message);
  }

  /** Holds an announcement of a node whose channel is being verified. */
  holdNode({ nodeId }: NodeAnnouncement, message: HeldMessage<O>): void {
    hold(this.ends.get(toHex(nodeId)), message);
  }

  /** Forgets a disconnected peer and its queued channels. A channel that is being verified stays. */
  forget(origin: O): void {
    this.scores.delete(origin);
    for (const pending of this.queue.remove(origin)) this.remove(pending);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.queue.clear();
    this.pending.clear();
    this.ends.clear();
    this.unfunded.clear();
  }

  private next(): void {
    if (this.timer !== undefined || this.closed) return;
    while (this.running < this.options.source.concurrency) {
      const height = this.options.height();
      if (height === undefined) {
        if (this.queue.size > 0) this.pause();
        return;
      }
      const pending = this.queue.take();
      if (pending === undefined) return;
      this.running++;
      void this.check(pending, height).finally(() => {
        this.running--;
        this.next();
      });
    }
  }

  private async check(pending: PendingChannel<O>, height: number): Promise<void> {
    const { source, funded } = this.options;
    try {
      const verdict = await checkFunding(source, pending.announcement, height);
      if (this.closed) return;
      this.remove(pending);
      if (verdict.kind !== 'funded') this.remember(pending.announcement, verdict);
      this.count(pending.origin, verdict);
      if (verdict.kind === 'funded') funded(pending, verdict.txid, verdict.capacitySat);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (this.closed) return;
      if (!this.queue.push(pending.origin, pending)) this.remove(pending);
      this.pause();
    }
  }

  /**
   * Counts the verdict on a peer's channel, and disconnects a peer that announces too many channels without funding.
   */
  private count(origin: O, verdict: FundingVerdict): void {
    const score = this.scores.get(origin) ?? { funded: 0, gone: 0, forged: 0 };
    this.scores.set(origin, score);
    score[verdict.kind]++;
    if (verdict.kind === 'forged' && score.forged > MAX_FORGED_CHANNELS) {
      origin.refuse(`announced too many channels that are not on the chain: ${verdict.why}`);
    }
    if (verdict.kind === 'gone' && score.gone > score.funded + MAX_GONE_CHANNELS) {
      origin.refuse('announced too many channels whose outputs are spent or never existed');
    }
  }

  private remember(announcement: ChannelAnnouncement, verdict: Unfunded): void {
    this.unfunded.set(claimOf(announcement), { verdict, atMs: this.nowMs() });
    const [oldest] = this.unfunded.keys();
    if (this.unfunded.size > MAX_UNFUNDED_REMEMBERED) this.unfunded.delete(oldest!);
  }

  private remembered(announcement: ChannelAnnouncement): Unfunded | undefined {
    const claim = claimOf(announcement);
    const known = this.unfunded.get(claim);
    if (known === undefined || this.nowMs() - known.atMs < UNFUNDED_REMEMBERED_MS) return known?.verdict;
    this.unfunded.delete(claim);
    return undefined;
  }

  private remove(pending: PendingChannel<O>): void {
    const { shortChannelId, nodeId1, nodeId2 } = pending.announcement;
    this.pending.delete(shortChannelId);
    for (const end of [nodeId1, nodeId2].map(toHex)) {
      if (this.ends.get(end) === pending) this.ends.delete(end);
    }
  }

  private pause(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.next();
    }, this.options.retryMs);
  }
}

/** The claim that an announcement makes about the chain. */
function claimOf({ shortChannelId, bitcoinKey1, bitcoinKey2 }: ChannelAnnouncement): string {
  return `${shortChannelId} ${Buffer.concat([bitcoinKey1, bitcoinKey2]).toString('latin1')}`;
}

function hold<O>(pending: PendingChannel<O> | undefined, message: HeldMessage<O>): void {
  if (pending !== undefined && pending.held.length < MAX_HELD_MESSAGES) pending.held.push(message);
}
