/**
 * Adds gossip to the graph: a bounded queue, signatures verified in batches off the main thread, and valid messages
 * applied in order of arrival. One batch is in progress at a time, so an update finds the channel that was announced
 * before it.
 *
 * A signature proves only that someone has a key. So a new channel is accepted only if it exists on the chain, or,
 * without a chain source, if enough peers agree (agreement.ts).
 *
 * We stop reading from a peer while its messages do not fit the queue. A peer that sends an invalid signature is
 * disconnected, so that it cannot waste our processor time.
 */

import type { ChannelAnnouncement } from '../../bolt/peer/gossip-messages.ts';
import {
  CHANNEL_ANNOUNCEMENT_TYPE,
  CHANNEL_UPDATE_TYPE,
  type ChannelUpdate,
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  directionOf,
} from '../../bolt/peer/gossip-messages.ts';
import type { OwnGossipStore } from '../../gossip/own-gossip-store.ts';
import { Agreement, type Witness } from './agreement.ts';
import type { ChainWatch } from './chain-watch.ts';
import { FundingQueue, type PendingChannel } from './funding-queue.ts';
import type { GossipGraph } from './gossip-apply.ts';
import type { SignedGossip } from './gossip-check.ts';
import type { GossipChecker } from './gossip-pool.ts';
import {
  CHAIN_RETRY_MS,
  GOSSIP_BATCH,
  GOSSIP_BATCH_MS,
  MAX_GOSSIP_MESSAGE_BYTES,
  MAX_WAITING_GOSSIP,
} from './limits.ts';

/** The part of a message's origin that the intake uses. */
export interface GossipOrigin extends Witness {
  setPaused(paused: boolean): void;
  refuse(reason: string): void;
  /** Records that the peer sent something new. */
  markUseful(): void;
}

interface Queued {
  readonly origin: GossipOrigin;
  readonly bytes: Uint8Array;
  readonly type: number;
}

interface Checkable extends SignedGossip {
  readonly origin: GossipOrigin;
  /** Applies the message. False if it changed nothing, or has to wait. */
  readonly apply: () => boolean;
}

/** A message whose channel or node may be waiting for verification. */
interface Early extends Queued {
  /** Whether the graph now has the message's channel or node. */
  readonly isKnown: () => boolean;
  readonly hold: (funding: FundingQueue<GossipOrigin>) => void;
}

/** Dependencies of the intake: the graph, and verifiers for signatures and channels. */
export interface GossipIntakeOptions {
  readonly target: GossipGraph;
  readonly checker: GossipChecker;
  /** Verifies new channels on the chain. Without it, enough peers must agree on a channel. */
  readonly chain?: ChainWatch;
  /**
   * Stores the messages that changed the graph. The next batch waits until they are stored. The store is closed with
   * the intake.
   */
  readonly store?: OwnGossipStore;
  /** Called when the graph has changed: after a batch, or when the chain has confirmed a channel. */
  readonly changed: () => void;
  /** Called when verification itself failed. The batch is then lost. */
  readonly failed: (error: Error) => void;
  /** Minimum duration of a batch, in milliseconds. Tests shorten it. */
  readonly batchMs?: number;
  /** Pause after the chain source did not respond, in milliseconds. Tests shorten it. */
  readonly chainRetryMs?: number;
}

/** Receives gossip from all peers, verifies it, and applies it to the graph. */
export class GossipIntake {
  private readonly options: GossipIntakeOptions;
  private readonly agreement = new Agreement();
  private readonly funding: FundingQueue<GossipOrigin> | undefined;
  private queue: Queued[] = [];
  private readonly paused = new Set<GossipOrigin>();
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(options: GossipIntakeOptions) {
    this.options = options;
    const { chain } = options;
    this.funding =
      chain &&
      new FundingQueue({
        source: chain.source,
        height: () => chain.height,
        funded: (pending, txid, capacitySat) => this.onFunded(pending, txid, capacitySat),
        retryMs: options.chainRetryMs ?? CHAIN_RETRY_MS,
      });
  }

  /** Whether to request channels from a peer: either the chain verifies them, or the peer may vote. */
  hasSay(origin: GossipOrigin): boolean {
    return this.funding !== undefined || this.agreement.hasSay(origin);
  }

  /** Number of channels that are still to be verified on the chain. */
  get unchecked(): number {
    return this.funding?.size ?? 0;
  }

  /** Number of queued messages. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Queues a message of type 256, 257 or 258, unless it is too large. Pauses the peer if the queue is now full. */
  push(origin: GossipOrigin, type: number, bytes: Uint8Array): void {
    if (this.closed || bytes.length > MAX_GOSSIP_MESSAGE_BYTES) return;
    this.queue.push({ origin, type, bytes });
    if (this.queue.length >= MAX_WAITING_GOSSIP && !this.paused.has(origin)) {
      this.paused.add(origin);
      origin.setPaused(true);
    }
    this.running ??= this.drain();
  }

  /** Forgets a disconnected peer. */
  forget(origin: GossipOrigin): void {
    this.paused.delete(origin);
    this.agreement.forget(origin);
    this.funding?.forget(origin);
    this.queue = this.queue.filter((one) => one.origin !== origin);
  }

  /** Resolves once nothing is queued. */
  async settled(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.queue = [];
    this.funding?.close();
    await this.options.chain?.close();
    await this.running;
    await this.options.checker.close();
    await this.options.store?.close();
  }

  private async drain(): Promise<void> {
    // Messages that arrive in the same turn of the event loop share a batch.
    await undefined;
    while (this.queue.length > 0) {
      const started = performance.now();
      await this.checkBatch(this.queue.splice(0, GOSSIP_BATCH));
      if (this.queue.length < MAX_WAITING_GOSSIP / 2) this.resumeAll();
      const left = (this.options.batchMs ?? GOSSIP_BATCH_MS) - (performance.now() - started);
      if (left > 0 && this.queue.length > 0) await new Promise((resolve) => setTimeout(resolve, left));
    }
    this.running = undefined;
  }

  private async checkBatch(batch: readonly Queued[]): Promise<void> {
    const { checker, store, changed, failed } = this.options;
    const { checkable, early } = this.select(batch);
    try {
      const verdicts = checkable.length === 0 ? [] : await checker.check(checkable);
      const accepted: Uint8Array[] = [];
      checkable.forEach(({ apply, origin, bytes }, i) => {
        if (verdicts[i] !== 1) origin.refuse('a gossip message with an invalid signature');
        else if (apply()) {
          accepted.push(bytes);
          origin.markUseful();
        }
      });
      for (const message of early) this.keep(message);
      if (accepted.length === 0) return;
      changed();
      await store?.append(accepted);
    } catch (error) {
      if (!this.closed) failed(error as Error);
    }
  }

  /**
   * Holds a message until its channel is verified. If verification ended while the batch's signatures were checked, the
   * message is processed again right away, because nothing would release it later.
   */
  private keep({ origin, type, bytes, isKnown, hold }: Early): void {
    if (isKnown()) this.push(origin, type, bytes);
    else if (this.funding !== undefined) hold(this.funding);
  }

  /** Adds a channel that exists on the chain, and processes the messages held for it. */
  private onFunded(pending: PendingChannel<GossipOrigin>, txid: string, capacitySat: bigint): void {
    const { target, store, chain, changed } = this.options;
    const { announcement, bytes, origin, held } = pending;
    if (!target.addChannel(announcement, capacitySat * 1000n)) return;
    chain?.remember(announcement.shortChannelId, txid);
    origin.markUseful();
    changed();
    void store?.append([bytes], capacitySat);
    for (const message of held) this.push(message.origin, message.type, message.bytes);
  }

  /**
   * Adds a new channel with valid signatures. @returns false if nothing was added, or the channel must be verified
   * first
   */
  private takeChannel(origin: GossipOrigin, message: ChannelAnnouncement, bytes: Uint8Array): boolean {
    if (this.funding === undefined) return this.options.target.addChannel(message);
    this.funding.push(origin, message, bytes);
    return false;
  }

  /** The new messages of a batch, each with its change; and the messages that may have to wait. */
  private select(batch: readonly Queued[]): { checkable: Checkable[]; early: Early[] } {
    const { target } = this.options;
    const announced = new Map<bigint, readonly [Uint8Array, Uint8Array]>();
    const checkable: Checkable[] = [];
    const early: Early[] = [];
    for (const { origin, type, bytes } of batch) {
      if (type === CHANNEL_ANNOUNCEMENT_TYPE) {
        const message = decodeChannelAnnouncement(bytes);
        if (announced.has(message.shortChannelId) || !this.isWelcome(origin, message, bytes)) continue;
        announced.set(message.shortChannelId, [message.nodeId1, message.nodeId2]);
        const apply = (): boolean => this.takeChannel(origin, message, bytes);
        checkable.push({ origin, bytes, signer: undefined, apply });
      } else if (type === CHANNEL_UPDATE_TYPE) {
        const message = decodeChannelUpdate(bytes);
        if (!target.isNewUpdate(message)) continue;
        const { shortChannelId } = message;
        const signer = this.signerOf(message, announced);
        if (signer !== undefined) {
          checkable.push({ origin, bytes, signer, apply: () => target.setPolicy(message) });
        } else {
          const isKnown = (): boolean => this.signerOf(message, new Map()) !== undefined;
          const hold: Early['hold'] = (funding) =>
            funding.holdUpdate(shortChannelId, { origin, type, bytes });
          early.push({ origin, type, bytes, isKnown, hold });
        }
      } else {
        const message = decodeNodeAnnouncement(bytes);
        if (!target.isNewNode(message)) continue;
        if (this.funding === undefined || target.knowsNode(message)) {
          checkable.push({ origin, bytes, signer: undefined, apply: () => target.setNode(message, bytes) });
        } else {
          const hold: Early['hold'] = (funding) => funding.holdNode(message, { origin, type, bytes });
          early.push({ origin, type, bytes, isKnown: () => target.knowsNode(message), hold });
        }
      }
    }
    return { checkable, early };
  }

  /** Whether a channel is new, and worth verifying. */
  private isWelcome(origin: GossipOrigin, message: ChannelAnnouncement, bytes: Uint8Array): boolean {
    if (!this.options.target.isNewChannel(message)) return false;
    if (this.funding !== undefined) return !this.funding.isPending(message.shortChannelId);
    return this.agreement.vote(origin, bytes);
  }

  /** The node that must sign an update: one end of a known channel, or of a channel announced in the same batch. */
  private signerOf(
    update: ChannelUpdate,
    announced: ReadonlyMap<bigint, readonly [Uint8Array, Uint8Array]>,
  ): Uint8Array | undefined {
    const { shortChannelId } = update;
    const direction = directionOf(update);
    const known = this.options.target.signerOf(shortChannelId, direction);
    // With a chain source, a channel of this batch enters the graph only later, after the chain check.
    return known ?? (this.funding === undefined ? announced.get(shortChannelId)?.[direction] : undefined);
  }

  private resumeAll(): void {
    for (const origin of this.paused) origin.setPaused(false);
    this.paused.clear();
  }
}
