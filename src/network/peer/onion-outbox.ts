/**
 * Queues onion messages to one peer and sends them as fast as peers tolerate. A peer silently drops what exceeds its
 * limit, so messages must wait here. Their number is bounded.
 *
 * Our own messages go first, then answers to messages from this peer, then answers to messages from other peers. These
 * other peers take turns, so that none of them can block the answers to the others.
 */

import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import { FairQueue } from './fair-queue.ts';
import {
  MAX_WAITING_ONION_MESSAGES,
  MAX_WAITING_PER_SENDER,
  ONION_SEND_BURST,
  ONION_SEND_PER_SECOND,
} from './limits.ts';

interface QueuedMessage {
  readonly message: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Queues onion messages for one peer and sends them at a bounded rate. */
export class OnionOutbox {
  private readonly peer: NodeId;
  private readonly send: (message: Uint8Array) => void;
  private readonly bucket = new TokenBucket(ONION_SEND_BURST, ONION_SEND_PER_SECOND);
  private readonly own = new FairQueue<NodeId | undefined, QueuedMessage>(MAX_WAITING_ONION_MESSAGES);
  private readonly answers = new FairQueue<NodeId, QueuedMessage>(MAX_WAITING_ONION_MESSAGES);
  private readonly forOthers = new FairQueue<NodeId, QueuedMessage>(MAX_WAITING_PER_SENDER);
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(peer: NodeId, send: (message: Uint8Array) => void) {
    this.peer = peer;
    this.send = send;
  }

  /**
   * Sends a message when its turn comes. Resolves once it is passed to the connection.
   * @param askedBy the peer whose message this message answers; undefined for our own messages.
   * @throws FulguriteError busy, notConnected
   */
  push(message: Uint8Array, askedBy?: NodeId): Promise<void> {
    if (this.closed) return Promise.reject(disconnected());
    return new Promise((resolve, reject) => {
      if (!this.enqueue({ message, resolve, reject }, askedBy)) {
        reject(new FulguriteError('busy', 'too many onion messages are queued for this peer'));
      } else this.drain();
    });
  }

  /** Closes the outbox. Queued messages are not sent. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const queue of [this.own, this.answers, this.forOthers]) {
      for (const { reject } of queue.clear()) reject(disconnected());
    }
  }

  private enqueue(waiting: QueuedMessage, askedBy: NodeId | undefined): boolean {
    if (askedBy === undefined) return this.own.push(undefined, waiting);
    return (askedBy === this.peer ? this.answers : this.forOthers).push(askedBy, waiting);
  }

  private get waitingCount(): number {
    return this.own.size + this.answers.size + this.forOthers.size;
  }

  private drain(): void {
    while (this.waitingCount > 0 && this.bucket.take()) {
      const { message, resolve } = (this.own.take() ?? this.answers.take() ?? this.forOthers.take())!;
      this.send(message);
      resolve();
    }
    clearTimeout(this.timer);
    if (this.waitingCount > 0) this.timer = setTimeout(() => this.drain(), this.bucket.waitMs());
  }
}

function disconnected(): FulguriteError {
  return new FulguriteError('notConnected', 'the peer is not connected');
}
