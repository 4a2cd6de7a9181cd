/**
 * Onion messages in a simulated network (BOLT 4, "Onion Messages"). Like real nodes, every node peels its layer and
 * passes the rest to the next node if the two are neighbours. What cannot be decrypted or delivered is silently
 * dropped. The content for the recipient goes to a handler, where issuers can answer it.
 */
import { publicKeysCurve } from '../../bolt/crypto/curve.ts';
import { HASH_BYTES, sha256 } from '../../bolt/crypto/hashes.ts';
import {
  type MessageContent,
  type OnionMessage,
  receiveOnionMessage,
} from '../../bolt/onion/onion-message.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { NodeId } from '../../model/node-id.ts';
import { PairSet } from '../../model/pair-set.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { PURPOSE } from './draws.ts';
import type { World } from './world.ts';

/** Maximum number of messages in flight. Further messages are lost, as on a node that limits its peers. */
const MAX_IN_FLIGHT = 10_000;

/** A message that has reached its recipient. */
export interface ReceivedContent {
  readonly nodeId: NodeId;
  /** Secret key of the recipient, with which a handler can answer on behalf of the node. */
  readonly secretKey: Uint8Array;
  /** Secret key of any simulated node, by its index. The secret keys of simulated nodes are known to everyone. */
  readonly secretKeyOf: (node: number) => Uint8Array | undefined;
  readonly pathId: Uint8Array | undefined;
  readonly content: MessageContent;
  readonly nowMs: number;
  /** Chain height in the recipient's view. */
  readonly height: number;
  /** Sends a message to a neighbour of the recipient, after some time. */
  readonly send: (to: NodeId, message: OnionMessage, afterMs?: number) => void;
}

/** Receives the messages for all nodes except ours. */
export type MessageHandler = (received: ReceivedContent) => void;

/** Carries onion messages from node to node. */
export class MessageFlow {
  handler: MessageHandler = () => undefined;
  delivered = 0;
  dropped = 0;
  private inFlight = 0;
  private readonly world: World;
  private readonly toUs: (from: number, message: OnionMessage) => void;
  /** Pairs of neighbours. Created when the first message is sent. */
  private neighbours: PairSet | undefined;
  private readonly connectedToUs = new Set<number>();
  private readonly secretKeyOf = (node: number): Uint8Array | undefined => this.world.nodes.secretKey(node);

  constructor(world: World, toUs: (from: number, message: OnionMessage) => void) {
    this.world = world;
    this.toUs = toUs;
  }

  /** Connects us to this node, even without a channel. */
  connect(node: number): void {
    this.connectedToUs.add(node);
  }

  isConnectedToUs(node: number): boolean {
    return this.connectedToUs.has(node);
  }

  /** Sends from one neighbour to another. A message between other nodes is dropped. */
  send(from: number, to: number, message: OnionMessage, afterMs = 0): void {
    const key = messageKey(message);
    const { world } = this;
    const why = this.obstacle(from, to, key);
    if (why !== undefined) {
      this.drop(to, why);
      return;
    }
    this.inFlight++;
    const latencyMs = world.latencyMs(BigInt(from) * 0x1_0000_0000n + BigInt(to), key[0], key[1], 0);
    world.after(afterMs + latencyMs, key[0], () => {
      this.inFlight--;
      this.arrive(from, to, message);
    });
  }

  private obstacle(from: number, to: number, key: readonly [number, number]): string | undefined {
    const { nodes, draws, options } = this.world;
    if (to < 0) return 'no such node';
    if (!this.areNeighbours(from, to)) return 'not a neighbour';
    if (nodes.is(to, 'offline')) return 'the node is offline';
    if (nodes.is(from, 'offline')) return 'the sender is offline';
    if (this.inFlight >= MAX_IN_FLIGHT) return 'too many messages';
    const lost = draws.happens(options.faults?.lostMessages ?? 0, PURPOSE.messageLoss, key[0], key[1]);
    return lost ? 'lost on the way' : undefined;
  }

  private arrive(from: number, to: number, message: OnionMessage): void {
    const { nodes } = this.world;
    if (to === nodes.ownIndex) {
      this.delivered++;
      this.note(to, 'reaches us');
      this.toUs(from, message);
      return;
    }
    const secretKey = nodes.secretKey(to);
    if (secretKey === undefined || nodes.is(to, 'unresponsive')) {
      this.drop(to, 'the node does not respond');
      return;
    }
    try {
      this.process(to, secretKey, message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.drop(to, 'unreadable');
    }
  }

  private process(node: number, secretKey: Uint8Array, message: OnionMessage): void {
    const { nodes, nowMs } = this.world;
    const received = receiveOnionMessage(message, secretKey, nodes.idBytes(node), publicKeysCurve);
    if (received.kind === 'forward') {
      this.send(node, this.nextOf(node, received.nextNode), received.message);
      return;
    }
    this.delivered++;
    this.note(node, 'is read');
    this.handler({
      nodeId: nodes.id(node),
      secretKey,
      secretKeyOf: this.secretKeyOf,
      pathId: received.pathId,
      content: received.content,
      nowMs,
      height: this.world.heightAt(node),
      send: (to, message, afterMs) => this.send(node, nodes.indexOf(to), message, afterMs),
    });
  }

  private nextOf(node: number, next: Uint8Array | ShortChannelId): number {
    const { channels, nodes } = this.world;
    if (typeof next !== 'bigint') return nodes.indexOfBytes(next);
    const channel = channels.indexOf(next);
    return channel === -1 ? -1 : (channels.outgoing(channel, node)?.nextNode ?? -1);
  }

  private areNeighbours(a: number, b: number): boolean {
    const { channels, nodes } = this.world;
    if (a === nodes.ownIndex && this.connectedToUs.has(b)) return true;
    if (b === nodes.ownIndex && this.connectedToUs.has(a)) return true;
    if (this.neighbours === undefined) {
      this.neighbours = new PairSet(nodes.ownIndex + 1, channels.count);
      for (let channel = 0; channel < channels.count; channel++) {
        this.neighbours.add(channels.node1[channel]!, channels.node2[channel]!);
      }
    }
    // A path may start at its recipient, which then sends the message to itself.
    return a === b || this.neighbours.has(a, b);
  }

  private drop(to: number, why: string): void {
    this.dropped++;
    this.note(to, `is dropped: ${why}`);
  }

  private note(to: number, what: string): void {
    this.world.log.add(`${this.world.nowMs} message at ${to} ${what}`);
  }
}

/** Two numbers that differ between messages. A packet ends with its hmac, so the rest need not be hashed. */
function messageKey({ packet }: OnionMessage): readonly [number, number] {
  const digest = sha256(packet.subarray(-HASH_BYTES));
  const view = new DataView(digest.buffer, digest.byteOffset);
  return [view.getUint32(0), view.getUint32(4)];
}
