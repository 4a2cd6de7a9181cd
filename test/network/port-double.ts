/** A network that does what a test tells it: own channels that change, and calls that are remembered. */

import type { NodeId } from '../../src/model/node-id.ts';
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
} from '../../src/network/port.ts';

export class PortDouble implements NetworkPort {
  readonly identity: NetworkIdentity;
  height = 100;
  /** What `sendHtlc` resolves with, in order; with none left it stays pending. */
  readonly outcomes: HtlcOutcome[] = [];
  readonly sent: HtlcOffer[] = [];
  readonly messages: { to: NodeId; message: OnionMessage }[] = [];
  readonly #known = new Map<NodeId, { peer: Peer; addresses: readonly string[] }>();
  readonly #lookups = new Map<string, HtlcLookup>();
  readonly #channelListeners = new Set<() => void>();
  readonly #messageListeners = new Set<(from: NodeId, message: OnionMessage) => void>();
  #channels: readonly OwnChannel[] = [];

  constructor(nodeId: NodeId) {
    this.identity = { nodeId, features: new Uint8Array(), chainHash: new Uint8Array(32) };
  }

  /** Replaces our channels and tells whoever listens. */
  setChannels(channels: readonly OwnChannel[]): void {
    this.#channels = channels;
    for (const listener of this.#channelListeners) listener();
  }

  /** A message arrives. */
  deliver(from: NodeId, message: OnionMessage): void {
    for (const listener of this.#messageListeners) listener(from, message);
  }

  blockHeight(): number {
    return this.height;
  }
  ownChannels(): readonly OwnChannel[] {
    return this.#channels;
  }
  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    return [];
  }
  onOwnChannelsChanged(listener: () => void): () => void {
    this.#channelListeners.add(listener);
    return () => void this.#channelListeners.delete(listener);
  }
  async sendHtlc(offer: HtlcOffer): Promise<HtlcOutcome> {
    this.sent.push(offer);
    const outcome = this.outcomes.shift();
    this.#lookups.set(offer.attemptId, outcome ?? { status: 'pending' });
    return outcome ?? new Promise(() => {});
  }
  async lookUpHtlc(attemptId: string): Promise<HtlcLookup> {
    return this.#lookups.get(attemptId) ?? { status: 'unknown' };
  }
  async sendOnionMessage(to: NodeId, message: OnionMessage): Promise<void> {
    this.messages.push({ to, message });
  }
  onOnionMessage(listener: (from: NodeId, message: OnionMessage) => void): () => void {
    this.#messageListeners.add(listener);
    return () => void this.#messageListeners.delete(listener);
  }
  async connect(nodeId: NodeId, addresses: readonly string[] = []): Promise<Peer> {
    const peer = { nodeId, features: new Uint8Array(), connected: true };
    this.#known.set(nodeId, { peer, addresses });
    return peer;
  }
  peers(): readonly Peer[] {
    return [...this.#known.values()].map(({ peer }) => peer);
  }
  addresses(nodeId: NodeId): readonly string[] {
    return this.#known.get(nodeId)?.addresses ?? [];
  }
  async close(): Promise<void> {
    this.#channelListeners.clear();
    this.#messageListeners.clear();
  }
}
