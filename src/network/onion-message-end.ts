/**
 * Sends and receives onion messages on a network where we have the node's secret key (BOLT 4, "Onion Messages"). It
 * builds the onion along a route and a blinded path, and decrypts and delivers the messages addressed to us, including
 * those that we send to ourselves.
 *
 * It does not forward the messages of other nodes.
 */
import { type Curve, curve } from '../bolt/crypto/curve.ts';
import {
  createOnionMessage,
  type OnionMessage,
  pathThrough,
  pathToNode,
  receiveOnionMessage,
} from '../bolt/onion/onion-message.ts';
import { WireError } from '../bolt/wire-error.ts';
import { FulguriteError } from '../model/errors.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../model/node-id.ts';
import { randomBytes } from '../model/random-bytes.ts';
import { formatShortChannelId } from '../model/short-channel-id.ts';
import type { IncomingOnionMessage, OutgoingOnionMessage } from './port.ts';

/** Receives a message for us. */
export type IncomingListener = (message: IncomingOnionMessage) => void;

/**
 * Hands a message to one of our peers. `askedBy` is the peer whose message caused this message.
 * @throws FulguriteError when the node is not our peer, or does not support messages.
 */
export type HandToPeer = (to: NodeId, message: OnionMessage, askedBy: NodeId | undefined) => Promise<void>;

/** Builds and reads the onions of messages with our node's key. */
export class OnionMessageEnd {
  readonly #secretKey: Uint8Array;
  readonly #nodeId: NodeId;
  readonly #hand: HandToPeer;
  readonly #listeners = new Set<IncomingListener>();

  constructor(secretKey: Uint8Array, hand: HandToPeer) {
    this.#secretKey = secretKey;
    this.#nodeId = nodeIdFromBytes(curve.publicKey(secretKey));
    this.#hand = hand;
  }

  listen(listener: IncomingListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
  }

  /**
   * Builds the onion and hands it to the first peer. @throws FulguriteError as `HandToPeer`; WireError when
   * the content is too long.
   */
  async send(outgoing: OutgoingOnionMessage): Promise<void> {
    const message = onionAlong(outgoing, this.#nodeId);
    const { route, askedBy } = outgoing;
    const [first] = route;
    return first === undefined ? this.#sendToSelf(message, askedBy) : this.#hand(first, message, askedBy);
  }

  /** Processes a message from a peer. A message that cannot be decrypted is silently ignored (BOLT 4). */
  receive(from: NodeId, message: OnionMessage): void {
    try {
      const received = receiveOnionMessage(message, this.#secretKey, nodeIdToBytes(this.#nodeId));
      if (received.kind === 'content') this.#deliver({ from, ...received });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }

  /**
   * Peels the layers meant for us. Delivers the message if it ends here, and otherwise sends the rest to the next node.
   */
  async #sendToSelf(message: OnionMessage, askedBy: NodeId | undefined): Promise<void> {
    const received = receiveOnionMessage(message, this.#secretKey, nodeIdToBytes(this.#nodeId));
    if (received.kind === 'content') {
      setImmediate(() => this.#deliver({ from: this.#nodeId, ...received }));
      return;
    }
    const { nextNode } = received;
    if (typeof nextNode === 'bigint') {
      throw new FulguriteError('unspecified', `unknown next scid ${formatShortChannelId(nextNode)}`);
    }
    return this.#hand(nodeIdFromBytes(nextNode), received.message, askedBy);
  }

  #deliver({ content, pathId, from }: IncomingOnionMessage): void {
    for (const listener of this.#listeners) listener({ content, pathId, from });
  }
}

/**
 * The message for the first node of a route. It travels along the route, and from the last node along `path` if there
 * is one.
 * @param self our own id, which is the target of an empty route.
 * @param on the curve to use: `publicKeysCurve` if nothing about the message is secret.
 * @throws WireError when the content is too long.
 */
export function onionAlong(
  { route, path, content }: OutgoingOnionMessage,
  self: NodeId,
  on: Curve = curve,
): OnionMessage {
  const target = nodeIdToBytes(route.at(-1) ?? self);
  const via = route.slice(0, -1).map(nodeIdToBytes);
  const whole =
    path === undefined
      ? pathToNode(via, target, freshKey(), on)
      : pathThrough(via, target, path, freshKey(), on);
  return createOnionMessage(whole, content, freshKey(), on);
}

/** A random secret key. The chance that 32 random bytes are not a valid key is about 1 in 2^128. */
function freshKey(): Uint8Array {
  return randomBytes(32);
}
