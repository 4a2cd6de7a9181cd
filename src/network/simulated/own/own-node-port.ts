/**
 * The network port for one of our several nodes in a simulation. Our nodes share one port, which has all our channels
 * and attempts. The port of a node shows only the node's own channels and attempts.
 */
import type { NodeId } from '../../../model/node-id.ts';
import type {
  HtlcKey,
  HtlcState,
  NetworkIdentity,
  NetworkPort,
  NodeBehind,
  OutcomeListener,
  OutgoingHtlc,
  OutgoingOnionMessage,
  OwnChannelRecord,
  OwnChannelReport,
  Peer,
  TakenHtlc,
} from '../../port.ts';

/** The port of one node. */
export class OwnNodePort implements NetworkPort {
  readonly kind = 'simulated';
  readonly identity: NetworkIdentity;
  readonly capabilities: NetworkPort['capabilities'];
  readonly #shared: NetworkPort;
  readonly #mine = new Set<string>();

  /** @param shared the port for the whole simulation. It stays open when this port is closed. */
  constructor(shared: NetworkPort, nodeId: NodeId) {
    this.#shared = shared;
    this.identity = { ...shared.identity, nodeId };
    this.capabilities = shared.capabilities;
  }

  graphCheck(): ReturnType<NetworkPort['graphCheck']> {
    return this.#shared.graphCheck();
  }

  nodeBehind(): NodeBehind | undefined {
    return undefined;
  }

  blockHeight(): number {
    return this.#shared.blockHeight();
  }

  onBlock(listener: (height: number) => void): () => void {
    return this.#shared.onBlock(listener);
  }

  ownChannels(): OwnChannelReport {
    return this.#own(this.#shared.ownChannels());
  }

  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void {
    return this.#shared.onOwnChannels((report) => listener(this.#own(report)));
  }

  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    const records = await this.#shared.ownChannelRecords();
    return records.filter(({ ownNodeId }) => ownNodeId === this.identity.nodeId);
  }

  send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    this.#mine.add(htlc.attemptId);
    return this.#shared.send(htlc);
  }

  /** Calls back with the outcomes of HTLCs that were sent or queried through this port. */
  onOutcome(listener: OutcomeListener): () => void {
    return this.#shared.onOutcome((attemptId, outcome) => {
      if (!this.#mine.has(attemptId)) return;
      listener(attemptId, outcome);
      this.#mine.delete(attemptId);
    });
  }

  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    for (const { attemptId } of keys) this.#mine.add(attemptId);
    const states = await this.#shared.outcomes(keys);
    for (const [attemptId, { status }] of states) if (status !== 'pending') this.#mine.delete(attemptId);
    return states;
  }

  sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    return this.#shared.sendOnionMessage(message);
  }

  onOnionMessage(listener: Parameters<NetworkPort['onOnionMessage']>[0]): () => void {
    return this.#shared.onOnionMessage(listener);
  }

  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer> {
    return this.#shared.connect(nodeId, addresses);
  }

  disconnect(nodeId: NodeId): Promise<boolean> {
    return this.#shared.disconnect(nodeId);
  }

  peers(): readonly Peer[] {
    const own = new Set(this.ownChannels().channels.map(({ peerId }) => peerId));
    return this.#shared.peers().filter(({ nodeId }) => own.has(nodeId));
  }

  bindings(): readonly string[] {
    return [];
  }

  addresses(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {
    this.#mine.clear();
  }

  #own({ revision, channels }: OwnChannelReport): OwnChannelReport {
    const { nodeId } = this.identity;
    return { revision, channels: channels.filter(({ ownNodeId }) => ownNodeId === nodeId) };
  }
}
