/**
 * Holds onion messages to one peer and sends them as fast as peers tolerate. A peer drops what exceeds its
 * limit without a word, so messages arrive only because they wait here. The number that waits is bounded.
 *
 * Our own messages go first. Then come answers to what this peer itself sent us. Last come messages to this
 * peer that answer other peers. Those other peers take turns, so that none of them can block the answers to
 * another one.
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

/** Holds onion messages for one peer and sends them at a bounded pace. */
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
   * Sends a message when its turn comes. Resolves when it is handed to the connection.
   * @param askedBy the peer whose message this one answers; undefined when the message is our own.
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

  /** Ends the outbox. Messages that still wait are not sent. */
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
