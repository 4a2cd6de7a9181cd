/**
 * Announced channels that wait for their check against the chain. A bounded number is checked at a time, and
 * peers take turns. Messages about such a channel are held back with it, a few at most. While the chain
 * source does not answer, all wait.
 *
 * What the chain does not support is remembered for some minutes, so that the same announcement is not looked up again,
 * regardless of its sender. It counts against its sender each time. Anyone who sends too many is disconnected.
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

/** A message about a channel that is still being checked. */
export interface HeldMessage<O> {
  readonly origin: O;
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** A channel that waits for its check, with the messages that wait for the channel. */
export interface PendingChannel<O> {
  readonly origin: O;
  readonly announcement: ChannelAnnouncement;
  readonly bytes: Uint8Array;
  readonly held: HeldMessage<O>[];
}

/** Where channels are checked, and what happens to those that exist. */
export interface FundingQueueOptions<O> {
  readonly source: ChainSource;
  /** Height of the chain. Undefined while it is not known. */
  readonly height: () => number | undefined;
  readonly funded: (pending: PendingChannel<O>, txid: string, capacitySat: bigint) => void;
  /** Pause after the chain source did not answer, in milliseconds. */
  readonly retryMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs?: () => number;
}

/** What the chain does not support. */
type Unfunded = Exclude<FundingVerdict, { kind: 'funded' }>;

/** How many of a peer's channels were checked, by result. */
interface Score {
  funded: number;
  gone: number;
  forged: number;
}

/** Checks announced channels against the chain, a bounded number at a time. */
export class FundingQueue<O extends FundingOrigin> {
  private readonly options: FundingQueueOptions<O>;
  private readonly queue = new FairQueue<O, PendingChannel<O>>(MAX_PENDING_CHANNELS_PER_PEER);
  private readonly pending = new Map<bigint, PendingChannel<O>>();
  /**
   * Pending channels by the keys at their ends, so that announcements of these nodes wait too. Keys are hex,
   * because a message whose signature was not checked yet may name a key that is no valid node id.
   */
  private readonly ends = new Map<string, PendingChannel<O>>();
  private readonly scores = new Map<O, Score>();
  /** By short channel id and keys. The oldest comes first. */
  private readonly unfunded = new Map<string, { readonly verdict: Unfunded; readonly atMs: number }>();
  private readonly nowMs: () => number;
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: FundingQueueOptions<O>) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Number of channels that wait or are being checked. */
  get size(): number {
    return this.pending.size;
  }

  /** Takes a channel whose signatures are good, unless too many channels of its peer are here already. */
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

  /** Holds back an update of a channel that is being checked. Does nothing for any other channel. */
  holdUpdate(shortChannelId: bigint, message: HeldMessage<O>): void {
    hold(this.pending.get(shortChannelId), message);
  }

  /** Holds back an announcement of a node whose channel is being checked. */
  holdNode({ nodeId }: NodeAnnouncement, message: HeldMessage<O>): void {
    hold(this.ends.get(toHex(nodeId)), message);
  }

  /** Forgets a peer that is gone, and the channels that it announced. */
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

  /** Counts what the chain says about a channel of a peer, and refuses a peer that sends too much of nothing. */
  private count(origin: O, verdict: FundingVerdict): void {
    const score = this.scores.get(origin) ?? { funded: 0, gone: 0, forged: 0 };
    this.scores.set(origin, score);
    score[verdict.kind]++;
    if (verdict.kind === 'forged' && score.forged > MAX_FORGED_CHANNELS) {
      origin.refuse(`channels that the chain does not have: ${verdict.why}`);
    }
    if (verdict.kind === 'gone' && score.gone > score.funded + MAX_GONE_CHANNELS) {
      origin.refuse('channels whose outputs are spent or never were');
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

/** What an announcement claims about the chain. */
function claimOf({ shortChannelId, bitcoinKey1, bitcoinKey2 }: ChannelAnnouncement): string {
  return `${shortChannelId} ${Buffer.concat([bitcoinKey1, bitcoinKey2]).toString('latin1')}`;
}

function hold<O>(pending: PendingChannel<O> | undefined, message: HeldMessage<O>): void {
  if (pending !== undefined && pending.held.length < MAX_HELD_MESSAGES) pending.held.push(message);
}
