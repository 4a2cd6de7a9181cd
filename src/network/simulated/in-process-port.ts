/**
 * The network port on a simulation in the same thread, for tests and benchmarks. Its owner moves the clock;
 * several ports may follow each other on one simulation, as our side restarts.
 */
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type {
  HtlcLookup,
  HtlcOffer,
  HtlcOutcome,
  NetworkIdentity,
  NetworkPort,
  OnionMessage,
  OwnChannel,
  OwnChannelRecord,
  Peer,
} from '../port.ts';
import { simulatedPeer } from './simulated-peer.ts';
import type { Simulation } from './simulation.ts';

export class InProcessPort implements NetworkPort {
  readonly identity: NetworkIdentity;
  private readonly simulation: Simulation;
  private readonly channelListeners = new Set<() => void>();
  private readonly messageListeners = new Set<(from: NodeId, message: OnionMessage) => void>();
  private readonly unsubscribe = new Set<() => void>();
  private readonly connected = new Map<NodeId, Peer>();
  private closed = false;

  /** Takes over from the port before it, which must be closed. */
  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.identity = simulation.identity;
    simulation.onOwnChannelsChanged = () => {
      for (const listener of this.channelListeners) listener();
    };
    simulation.onOnionMessage = (from, message) => {
      for (const listener of this.messageListeners) listener(from, message);
    };
    for (const { peerId } of simulation.ownChannels()) this.connected.set(peerId, this.describePeer(peerId));
  }

  blockHeight(): number {
    return this.simulation.height;
  }

  ownChannels(): readonly OwnChannel[] {
    return this.simulation.ownChannels();
  }

  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    return this.simulation.ownChannelRecords();
  }

  onOwnChannelsChanged(listener: () => void): () => void {
    this.channelListeners.add(listener);
    return () => void this.channelListeners.delete(listener);
  }

  /** After `close` promises of HTLCs in flight stay pending: the process that waited is thought to be gone. */
  async sendHtlc(offer: HtlcOffer): Promise<HtlcOutcome> {
    this.requireOpen();
    this.simulation.offerHtlc(offer);
    const known = this.simulation.lookUpHtlc(offer.attemptId);
    if (known.status !== 'pending' && known.status !== 'unknown') return known;
    return new Promise((resolve) => {
      const forget = this.simulation.outcomes.whenEnded(offer.attemptId, (outcome) => {
        this.unsubscribe.delete(forget);
        resolve(outcome);
      });
      this.unsubscribe.add(forget);
    });
  }

  async lookUpHtlc(attemptId: string): Promise<HtlcLookup> {
    this.requireOpen();
    return this.simulation.lookUpHtlc(attemptId);
  }

  async sendOnionMessage(to: NodeId, message: OnionMessage): Promise<void> {
    this.requireOpen();
    if (!this.simulation.isPeer(to)) throw notConnected(to);
    this.simulation.sendOnionMessage(to, message);
  }

  onOnionMessage(listener: (from: NodeId, message: OnionMessage) => void): () => void {
    this.messageListeners.add(listener);
    return () => void this.messageListeners.delete(listener);
  }

  async connect(nodeId: NodeId): Promise<Peer> {
    this.requireOpen();
    if (!this.simulation.connect(nodeId)) throw notConnected(nodeId);
    const peer = this.describePeer(nodeId);
    this.connected.set(nodeId, peer);
    return peer;
  }

  peers(): readonly Peer[] {
    return [...this.connected.keys()].map((nodeId) => this.describePeer(nodeId));
  }

  /** Simulated nodes need no address. */
  addresses(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const forget of this.unsubscribe) forget();
    this.unsubscribe.clear();
    this.channelListeners.clear();
    this.messageListeners.clear();
  }

  private describePeer(nodeId: NodeId): Peer {
    return simulatedPeer(nodeId, this.simulation.isOnline(nodeId));
  }

  private requireOpen(): void {
    if (this.closed) throw new FulguriteError('shuttingDown', 'the network is closed');
  }
}

function notConnected(nodeId: NodeId): FulguriteError {
  return new FulguriteError('unspecified', `cannot connect to ${nodeId}`, { node_id: nodeId });
}
