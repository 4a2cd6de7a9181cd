/**
 * Gossip on its way into the graph: a bounded queue, signatures checked in batches off the main thread, genuine
 * messages applied in the order in which they came. One batch is under way at a time, so an update finds the
 * channel that was announced before it.
 *
 * A peer whose messages do not fit the queue is not read until they do; one that sends a wrong signature loses
 * its connection, so that nobody can buy our processor time with noise.
 */

import {
  CHANNEL_ANNOUNCEMENT_TYPE,
  CHANNEL_UPDATE_TYPE,
  type ChannelUpdate,
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  directionOf,
} from '../../bolt/gossip-messages.ts';
import type { OwnGossipStore } from '../../gossip/own-gossip-store.ts';
import type { GossipGraph } from './gossip-apply.ts';
import type { SignedGossip } from './gossip-check.ts';
import type { GossipChecker } from './gossip-pool.ts';
import { GOSSIP_BATCH, GOSSIP_BATCH_MS, MAX_GOSSIP_MESSAGE_BYTES, MAX_WAITING_GOSSIP } from './limits.ts';

/** Where a message came from: the connection, as far as the intake needs it. */
export interface GossipOrigin {
  setPaused(paused: boolean): void;
  refuse(reason: string): void;
  /** It has told something new. */
  markUseful(): void;
}

interface Queued {
  readonly origin: GossipOrigin;
  readonly bytes: Uint8Array;
  readonly type: number;
}

interface Checkable extends SignedGossip {
  readonly origin: GossipOrigin;
  /** False when it changed nothing. */
  readonly apply: () => boolean;
}

export interface GossipIntakeOptions {
  readonly target: GossipGraph;
  readonly checker: GossipChecker;
  /** Keeps messages that changed the graph; the next batch waits for it. Closed with the intake. */
  readonly store?: OwnGossipStore;
  /** Called after a batch that changed the graph. */
  readonly changed: () => void;
  /** Called when checking itself failed; the batch is lost. */
  readonly failed: (error: Error) => void;
  /** Least time that a batch takes; tests shorten it. */
  readonly batchMs?: number;
}

export class GossipIntake {
  private readonly options: GossipIntakeOptions;
  private queue: Queued[] = [];
  private readonly paused = new Set<GossipOrigin>();
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(options: GossipIntakeOptions) {
    this.options = options;
  }

  /** Messages waiting. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Takes a message of type 256, 257 or 258; one that is too large is passed over. */
  push(origin: GossipOrigin, type: number, bytes: Uint8Array): void {
    if (this.closed || bytes.length > MAX_GOSSIP_MESSAGE_BYTES) return;
    this.queue.push({ origin, type, bytes });
    if (this.queue.length >= MAX_WAITING_GOSSIP && !this.paused.has(origin)) {
      this.paused.add(origin);
      origin.setPaused(true);
    }
    this.running ??= this.drain();
  }

  /** Forgets a peer that is gone. */
  forget(origin: GossipOrigin): void {
    this.paused.delete(origin);
    this.queue = this.queue.filter((one) => one.origin !== origin);
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.queue = [];
    await this.running;
    await this.options.checker.close();
    await this.options.store?.close();
  }

  private async drain(): Promise<void> {
    // Messages that arrive in the same turn share a batch.
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
    const checkable = this.select(batch);
    if (checkable.length === 0) return;
    try {
      const verdicts = await checker.check(checkable);
      const accepted: Uint8Array[] = [];
      checkable.forEach(({ apply, origin, bytes }, i) => {
        if (verdicts[i] !== 1) origin.refuse('a gossip message with a wrong signature');
        else if (apply()) {
          accepted.push(bytes);
          origin.markUseful();
        }
      });
      if (accepted.length === 0) return;
      changed();
      await store?.append(accepted);
    } catch (error) {
      if (!this.closed) failed(error as Error);
    }
  }

  /** Messages of the batch that are news, each with what it changes. */
  private select(batch: readonly Queued[]): Checkable[] {
    const { target } = this.options;
    const announced = new Map<bigint, readonly [Uint8Array, Uint8Array]>();
    const signerOf = (update: ChannelUpdate): Uint8Array | undefined => {
      const direction = directionOf(update);
      return (
        target.signerOf(update.shortChannelId, direction) ?? announced.get(update.shortChannelId)?.[direction]
      );
    };
    const checkable: Checkable[] = [];
    for (const { origin, type, bytes } of batch) {
      if (type === CHANNEL_ANNOUNCEMENT_TYPE) {
        const message = decodeChannelAnnouncement(bytes);
        if (announced.has(message.shortChannelId) || !target.isNewChannel(message)) continue;
        announced.set(message.shortChannelId, [message.nodeId1, message.nodeId2]);
        checkable.push({ origin, bytes, signer: undefined, apply: () => target.addChannel(message) });
      } else if (type === CHANNEL_UPDATE_TYPE) {
        const message = decodeChannelUpdate(bytes);
        const signer = signerOf(message);
        if (signer === undefined || !target.isNewUpdate(message)) continue;
        checkable.push({ origin, bytes, signer, apply: () => target.setPolicy(message) });
      } else {
        const message = decodeNodeAnnouncement(bytes);
        if (!target.isNewNode(message)) continue;
        checkable.push({ origin, bytes, signer: undefined, apply: () => target.setNode(message) });
      }
    }
    return checkable;
  }

  private resumeAll(): void {
    for (const origin of this.paused) origin.setPaused(false);
    this.paused.clear();
  }
}
