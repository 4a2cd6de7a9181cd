/**
 * Queues onion messages from all peers until they are read. Reading costs point multiplications and often a signed
 * answer, so there is a total limit. Peers take turns, so a peer that sends a lot delays only itself. Every second turn
 * is reserved for peers that we connected to, because any number of strangers can connect to us.
 */

import type { NodeId } from '../../model/node-id.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import { FairQueue } from './fair-queue.ts';
import {
  MAX_WAITING_PER_SENDER,
  ONION_RECEIVE_ALL_BURST,
  ONION_RECEIVE_ALL_PER_SECOND,
  ONION_RECEIVE_BURST,
  ONION_RECEIVE_PER_SECOND,
} from './limits.ts';

interface Arrived {
  readonly from: NodeId;
  readonly bytes: Uint8Array;
}

/** Queues onion messages from all peers and passes them on at a bounded rate. */
export class OnionInbox {
  private readonly read: (from: NodeId, bytes: Uint8Array) => void;
  private readonly perPeer = new Map<NodeId, TokenBucket>();
  private readonly pace = new TokenBucket(ONION_RECEIVE_ALL_BURST, ONION_RECEIVE_ALL_PER_SECOND);
  private readonly ours = new FairQueue<NodeId, Arrived>(MAX_WAITING_PER_SENDER);
  private readonly strangers = new FairQueue<NodeId, Arrived>(MAX_WAITING_PER_SENDER);
  private turn: 'ours' | 'strangers' = 'ours';
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /** @param read receives each message when its turn comes. */
  constructor(read: (from: NodeId, bytes: Uint8Array) => void) {
    this.read = read;
  }

  /** Adds a message. False if it is dropped because its sender has sent too many. */
  push(from: NodeId, isOutgoing: boolean, bytes: Uint8Array): boolean {
    if (this.closed) return false;
    let bucket = this.perPeer.get(from);
    if (bucket === undefined) {
      bucket = new TokenBucket(ONION_RECEIVE_BURST, ONION_RECEIVE_PER_SECOND);
      this.perPeer.set(from, bucket);
    }
    if (!bucket.take() || !(isOutgoing ? this.ours : this.strangers).push(from, { from, bytes }))
      return false;
    this.drain();
    return true;
  }

  /** Forgets a disconnected peer and its messages. */
  forget(from: NodeId): void {
    this.perPeer.delete(from);
    this.ours.remove(from);
    this.strangers.remove(from);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.ours.clear();
    this.strangers.clear();
  }

  private drain(): void {
    while (this.ours.size + this.strangers.size > 0 && this.pace.take()) {
      const { from, bytes } = this.next();
      this.read(from, bytes);
    }
    clearTimeout(this.timer);
    if (this.closed || this.ours.size + this.strangers.size === 0) return;
    this.timer = setTimeout(() => this.drain(), this.pace.waitMs());
  }

  private next(): Arrived {
    const isOurs = this.strangers.size === 0 || (this.ours.size > 0 && this.turn === 'ours');
    this.turn = isOurs ? 'strangers' : 'ours';
    return (isOurs ? this.ours : this.strangers).take() as Arrived;
  }
}
