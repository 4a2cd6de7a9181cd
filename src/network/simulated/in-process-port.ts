/**
 * The network port on a simulation in the same thread, for tests and benchmarks. The owner of the simulation advances
 * the clock. A simulation may outlive its port, and another port may then use it, as if our side had restarted.
 */
import type { OnionMessage } from '../../bolt/onion/onion-message.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { InlineOnions, type OnionBuilder } from '../onions/onion-builder.ts';
import type {
  HtlcKey,
  HtlcState,
  NetworkIdentity,
  NetworkPort,
  OutgoingHtlc,
  OutgoingOnionMessage,
  OwnChannelReport,
  Peer,
  SentHtlc,
  TakenHtlc,
} from '../port.ts';
import { offerOf } from './htlc.ts';
import { type ShownChannel, shownChannel } from './own/channel-row.ts';
import { simulatedPeer } from './simulated-peer.ts';
import { SimulatedPort } from './simulated-port.ts';
import { refusedAsBusy, type Simulation } from './simulation.ts';

/** Options of the port. */
export interface InProcessOptions {
  /** Key of our node. Without it there are no onion messages. */
  readonly secretKey?: Uint8Array;
  /** Builds the onions. Default: in this thread. */
  readonly onions?: OnionBuilder;
}

/** The network port on a simulation in the same thread. */
export class InProcessPort extends SimulatedPort implements NetworkPort {
  readonly identity: NetworkIdentity;
  private readonly simulation: Simulation;
  private readonly onions: OnionBuilder;
  private readonly taken = new Map<string, ((taken: TakenHtlc) => void)[]>();
  private readonly connected = new Map<NodeId, Peer>();
  private closed = false;

  /** Takes over from the previous port, which must be closed. */
  constructor(simulation: Simulation, { secretKey, onions = new InlineOnions() }: InProcessOptions = {}) {
    super(secretKey);
    this.simulation = simulation;
    this.onions = onions;
    this.identity = simulation.identity;
    simulation.onOwnChannelsChanged = () => {
      this.tellChannels(simulation.ownChannels());
    };
    simulation.onBlock = (height) => {
      this.tellBlock(height);
    };
    simulation.onTaken = (attemptId, channelsRevision) => {
      const waiting = this.taken.get(attemptId) ?? [];
      this.taken.delete(attemptId);
      for (const resolve of waiting) resolve({ channelsRevision });
    };
    simulation.onAnswer = (attemptId, outcome) => this.tellOutcome(attemptId, outcome);
    simulation.onOnionMessage = (from, message) => this.messages?.receive(from, message);
    for (const { peerId } of simulation.ownChannels().channels) {
      this.connected.set(peerId, this.describePeer(peerId));
    }
  }

  blockHeight(): number {
    return this.simulation.height;
  }

  ownChannels(): OwnChannelReport {
    return this.simulation.ownChannels();
  }

  async ownChannelRecords(): Promise<readonly ShownChannel[]> {
    const { nodeId } = this.identity;
    return this.simulation.ownChannelRecords().map((channel) => shownChannel(nodeId, channel));
  }

  /**
   * Sends an HTLC. After `close`, promises of HTLCs that were not accepted stay pending, as if the waiting process had
   * died.
   */
  async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    this.requireOpen();
    const onion = htlc.onion ?? (await this.onions.build(htlc));
    this.requireOpen();
    const taken = new Promise<TakenHtlc>((resolve) => {
      this.taken.set(htlc.attemptId, [...(this.taken.get(htlc.attemptId) ?? []), resolve]);
    });
    try {
      this.simulation.offerHtlc(offerOf(htlc, onion));
    } catch (error) {
      this.taken.delete(htlc.attemptId);
      this.tellOutcome(htlc.attemptId, refusedAsBusy(error));
      return { channelsRevision: this.simulation.ownChannels().revision };
    }
    return taken;
  }

  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    this.requireOpen();
    const ids = keys.map(({ attemptId }) => attemptId);
    const states = this.simulation.lookUpHtlcs(ids);
    return new Map(ids.map((attemptId, i) => [attemptId, states[i]!]));
  }

  async sentHtlcs(): Promise<readonly SentHtlc[]> {
    this.requireOpen();
    return this.simulation.sentHtlcs();
  }

  override async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    this.requireOpen();
    await super.sendOnionMessage(message);
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

  async close(): Promise<void> {
    this.closed = true;
    this.taken.clear();
    this.forgetListeners();
  }

  protected hand(to: NodeId, message: OnionMessage): void {
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
