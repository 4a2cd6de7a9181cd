/**
 * No network: routes and layers on a graph, without payments or messages. Used with `--network none`, and in place of a
 * simulated network if the graph has real nodes, whose private keys are unknown.
 */
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type {
  IncomingOnionMessage,
  NetworkCapabilities,
  NetworkIdentity,
  NetworkKind,
  NetworkPort,
  OutgoingOnionMessage,
  Peer,
} from '../port.ts';
import { WithoutChannels } from '../without-channels.ts';

const CAPABILITIES: NetworkCapabilities = {
  pays: false,
  repeatsSends: true,
  onionMessages: false,
  connects: false,
  disconnects: false,
};

/** Our identity and chain. Both are needed even without a network. */
export interface NoneNetworkOptions {
  readonly nodeId: NodeId;
  readonly chainHash: Uint8Array;
}

/** A network without peers and channels. It refuses all HTLCs and messages. */
export class NoneNetwork extends WithoutChannels implements NetworkPort {
  readonly kind: NetworkKind = 'none';
  readonly identity: NetworkIdentity;
  readonly capabilities = CAPABILITIES;

  constructor({ nodeId, chainHash }: NoneNetworkOptions) {
    super();
    this.identity = { nodeId, features: new Uint8Array(0), chainHash };
  }

  /** Always 0, because the height is unknown. */
  blockHeight(): number {
    return 0;
  }

  /** The graph comes from the operator and is trusted. */
  graphCheck(): undefined {
    return undefined;
  }

  /** Never calls back, because blocks are not tracked. */
  onBlock(): () => void {
    return () => undefined;
  }

  async sendOnionMessage(_message: OutgoingOnionMessage): Promise<void> {
    throw nobodyThere();
  }

  onOnionMessage(_listener: (message: IncomingOnionMessage) => void): () => void {
    return () => undefined;
  }

  async connect(_nodeId: NodeId): Promise<Peer> {
    throw nobodyThere();
  }

  async disconnect(): Promise<boolean> {
    return false;
  }

  peers(): readonly Peer[] {
    return [];
  }

  bindings(): readonly string[] {
    return [];
  }

  addresses(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {}
}

function nobodyThere(): FulguriteError {
  return new FulguriteError('notSupported', 'this node runs without a network: only routes are available');
}
