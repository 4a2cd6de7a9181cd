/**
 * The common part of the networks that use a node in another process. Each adapter provides its own parts for channels,
 * blocks, HTLCs and messages.
 */
import { CHAIN_HASHES } from '../bolt/invoice/bolt12-offer.ts';
import type { NodeId } from '../model/node-id.ts';
import type { BlockWatch } from './block-watch.ts';
import type { ChannelWatch } from './channel-watch.ts';
import type {
  IncomingOnionMessage,
  NetworkIdentity,
  NetworkPort,
  OutcomeListener,
  OutgoingHtlc,
  OutgoingOnionMessage,
  OwnChannelReport,
  Peer,
  TakenHtlc,
} from './port.ts';

/** Carries onion messages, under our own key or through the node. */
export type NodeMessagePort = Pick<NetworkPort, 'sendOnionMessage' | 'onOnionMessage' | 'close'>;

interface NodeParts {
  readonly channels: Pick<
    ChannelWatch<never>,
    'report' | 'peers' | 'onReport' | 'look' | 'settled' | 'refreshed'
  >;
  readonly blocks: Pick<BlockWatch<never>, 'height' | 'onBlock'>;
  readonly htlcs: Pick<NetworkPort, 'send' | 'onOutcome'>;
  readonly messages: NodeMessagePort;
}

/** The common part of the ports of attached nodes. */
export abstract class NodeNetwork {
  readonly identity: NetworkIdentity;
  readonly #parts: NodeParts;

  constructor(
    { nodeId, features, chain }: { nodeId: NodeId; features: Uint8Array; chain: keyof typeof CHAIN_HASHES },
    parts: NodeParts,
  ) {
    this.identity = { nodeId, features, chainHash: CHAIN_HASHES[chain] };
    this.#parts = parts;
    // A block may open, close or splice a channel.
    parts.blocks.onBlock(() => parts.channels.look());
  }

  blockHeight(): number {
    return this.#parts.blocks.height;
  }

  /** Waits for peers that reconnect after a restart of the node. */
  settled(): Promise<void> {
    return this.#parts.channels.settled();
  }

  /** Lists the channels, unless they were listed a moment ago. */
  refreshed(): Promise<void> {
    return this.#parts.channels.refreshed();
  }

  /** Undefined, because our node has verified the channels in its graph. */
  graphCheck(): undefined {
    return undefined;
  }

  onBlock(listener: (height: number) => void): () => void {
    return this.#parts.blocks.onBlock(listener);
  }

  ownChannels(): OwnChannelReport {
    return this.#parts.channels.report;
  }

  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void {
    return this.#parts.channels.onReport(listener);
  }

  send(htlc: OutgoingHtlc, mayLeave?: () => boolean): Promise<TakenHtlc> {
    return this.#parts.htlcs.send(htlc, mayLeave);
  }

  onOutcome(listener: OutcomeListener): () => void {
    return this.#parts.htlcs.onOutcome(listener);
  }

  sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    return this.#parts.messages.sendOnionMessage(message);
  }

  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    return this.#parts.messages.onOnionMessage(listener);
  }

  peers(): readonly Peer[] {
    return this.#parts.channels.peers;
  }

  /** Always empty, because the node itself knows the addresses. */
  addresses(): readonly string[] {
    return [];
  }
}
