/**
 * The ready connections, one per node id. A second connection with the same id replaces the first, because the peer
 * would not have made it if it still considered the first connection alive. There is one exception: if both sides
 * connected at the same moment, both keep the connection that was started by the node with the smaller id.
 */

import type { NodeId } from '../../model/node-id.ts';
import type { PeerConnection } from './connection.ts';
import { OnionOutbox } from './onion-outbox.ts';

/** Milliseconds within which two connections count as started at the same moment. */
const SAME_MOMENT_MS = 2_000;

/** A peer whose `init` exchange is complete. */
export interface ReadyPeer {
  readonly connection: PeerConnection;
  readonly outbox: OnionOutbox;
  readonly readyAt: number;
}

/** Holds the ready connections, and decides which of two connections to the same peer stays. */
export class PeerTable {
  private readonly ownId: NodeId;
  private readonly peers = new Map<NodeId, ReadyPeer>();

  constructor(ownId: NodeId) {
    this.ownId = ownId;
  }

  get(nodeId: NodeId): ReadyPeer | undefined {
    return this.peers.get(nodeId);
  }

  all(): ReadyPeer[] {
    return [...this.peers.values()];
  }

  get size(): number {
    return this.peers.size;
  }

  /**
   * Adds a ready connection, and closes the connection that it replaces. False if the new connection must be closed
   * instead.
   */
  add(connection: PeerConnection): boolean {
    const { nodeId } = connection;
    const old = this.peers.get(nodeId);
    const now = performance.now();
    if (old !== undefined) {
      const crossed = old.connection.isOutgoing !== connection.isOutgoing;
      if (crossed && now - old.readyAt < SAME_MOMENT_MS && this.isPreferred(old.connection)) return false;
      this.peers.delete(nodeId);
      old.outbox.close();
      old.connection.close('replaced by a newer connection');
    }
    const outbox = new OnionOutbox(nodeId, (message) => connection.send(message));
    this.peers.set(nodeId, { connection, outbox, readyAt: now });
    return true;
  }

  /** Forgets a closed connection. Undefined when another connection has replaced it. */
  remove(connection: PeerConnection): ReadyPeer | undefined {
    const peer = this.all().find((one) => one.connection === connection);
    if (peer === undefined) return undefined;
    this.peers.delete(connection.nodeId);
    peer.outbox.close();
    return peer;
  }

  private isPreferred({ isOutgoing, nodeId }: PeerConnection): boolean {
    return isOutgoing === this.ownId < nodeId;
  }
}
