/**
 * The network port on a simulation in the same thread, for tests and benchmarks. Its owner advances the
 * clock. Several ports may follow each other on one simulation, as when our side restarts.
 */
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { OnionMessageEnd } from '../onion-message-end.ts';
import { InlineOnions, type OnionBuilder } from '../onions/onion-builder.ts';
import type {
  HtlcKey,
  HtlcState,
  IncomingOnionMessage,
  NetworkIdentity,
  NetworkPort,
  OutcomeListener,
  OutgoingHtlc,
  OutgoingOnionMessage,
  OwnChannelRecord,
  OwnChannelReport,
  Peer,
  TakenHtlc,
} from '../port.ts';
import { offerOf } from './htlc.ts';
import { simulatedPeer } from './simulated-peer.ts';
import { CAPABILITIES, refusedAsBusy, type Simulation } from './simulation.ts';

/** What our side brings to the network. */
export interface InProcessOptions {
  /** Key of our node. Without it there are no onion messages. */
  readonly secretKey?: Uint8Array;
  /** Builds the onions. Default: in this thread. */
  readonly onions?: OnionBuilder;
}

/** The network port on a simulation in the same thread. */
export class InProcessPort implements NetworkPort {
  readonly kind = 'simulated';
  readonly identity: NetworkIdentity;
  readonly capabilities = CAPABILITIES;
  private readonly simulation: Simulation;
  private readonly onions: OnionBuilder;
  private readonly messages: OnionMessageEnd | undefined;
  private readonly channelListeners = new Set<(report: OwnChannelReport) => void>();
  private readonly blockListeners = new Set<(height: number) => void>();
  private readonly outcomeListeners = new Set<OutcomeListener>();
  private readonly taken = new Map<string, ((taken: TakenHtlc) => void)[]>();
  private readonly connected = new Map<NodeId, Peer>();
  private closed = false;

  /** Takes over from the port before it, which must be closed by then. */
  constructor(simulation: Simulation, { secretKey, onions = new InlineOnions() }: InProcessOptions = {}) {
    this.simulation = simulation;
    this.onions = onions;
    this.identity = simulation.identity;
    this.messages =
      secretKey && new OnionMessageEnd(secretKey, async (to, message) => this.hand(to, message));
    simulation.onOwnChannelsChanged = () => {
      for (const listener of this.channelListeners) listener(simulation.ownChannels());
    };
    simulation.onBlock = (height) => {
      for (const listener of this.blockListeners) listener(height);
    };
    simulation.onTaken = (attemptId, channelsRevision) => {
      const waiting = this.taken.get(attemptId) ?? [];
      this.taken.delete(attemptId);
      for (const resolve of waiting) resolve({ channelsRevision });
    };
    simulation.onAnswer = (attemptId, outcome) => {
      for (const listener of this.outcomeListeners) listener(attemptId, outcome);
    };
    simulation.onOnionMessage = (from, message) => this.messages?.receive(from, message);
    for (const { peerId } of simulation.ownChannels().channels) {
      this.connected.set(peerId, this.describePeer(peerId));
    }
  }

  blockHeight(): number {
    return this.simulation.height;
  }

  /** Undefined, because nobody could lie about this graph: the network was made from it. */
  graphCheck(): undefined {
    return undefined;
  }

  /** Undefined, because the node of this network is this process itself. */
  nodeBehind(): undefined {
    return undefined;
  }

  onBlock(listener: (height: number) => void): () => void {
    this.blockListeners.add(listener);
    return () => void this.blockListeners.delete(listener);
  }

  ownChannels(): OwnChannelReport {
    return this.simulation.ownChannels();
  }

  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    return this.simulation.ownChannelRecords();
  }

  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void {
    this.channelListeners.add(listener);
    return () => void this.channelListeners.delete(listener);
  }

  /**
   * Sends an HTLC. After `close`, promises of HTLCs that were not taken stay pending, as if the process that
   * waited had died.
   */
  async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    this.requireOpen();
    const onion = await this.onions.build(htlc);
    this.requireOpen();
    const taken = new Promise<TakenHtlc>((resolve) => {
      this.taken.set(htlc.attemptId, [...(this.taken.get(htlc.attemptId) ?? []), resolve]);
    });
    try {
      this.simulation.offerHtlc(offerOf(htlc, onion));
    } catch (error) {
      this.taken.delete(htlc.attemptId);
      for (const listener of this.outcomeListeners) listener(htlc.attemptId, refusedAsBusy(error));
      return { channelsRevision: this.simulation.ownChannels().revision };
    }
    return taken;
  }

  onOutcome(listener: OutcomeListener): () => void {
    this.outcomeListeners.add(listener);
    return () => void this.outcomeListeners.delete(listener);
  }

  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    this.requireOpen();
    const ids = keys.map(({ attemptId }) => attemptId);
    const states = this.simulation.lookUpHtlcs(ids);
    return new Map(ids.map((attemptId, i) => [attemptId, states[i]!]));
  }

  async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    this.requireOpen();
    if (this.messages === undefined) throw new FulguriteError('notSupported', 'this node has no key here');
    await this.messages.send(message);
  }

  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    return this.messages?.listen(listener) ?? (() => undefined);
  }

  async connect(nodeId: NodeId): Promise<Peer> {
    this.requireOpen();
    if (!this.simulation.connect(nodeId)) throw notConnected(nodeId);
    const peer = this.describePeer(nodeId);
    this.connected.set(nodeId, peer);
    return peer;
  }

  /** Always false: simulated connections do not end. */
  async disconnect(): Promise<boolean> {
    return false;
  }

  peers(): readonly Peer[] {
    return [...this.connected.keys()].map((nodeId) => this.describePeer(nodeId));
  }

  /** Always empty: simulated nodes need no address. */
  addresses(): readonly string[] {
    return [];
  }

  bindings(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {
    this.closed = true;
    this.taken.clear();
    this.channelListeners.clear();
    this.blockListeners.clear();
    this.outcomeListeners.clear();
    this.messages?.close();
  }

  private hand(to: NodeId, message: Parameters<Simulation['sendOnionMessage']>[1]): void {
    if (!this.simulation.isPeer(to)) throw notConnected(to);
    this.simulation.sendOnionMessage(to, message);
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
