/**
 * Our side of onion messages: finds a route to a node, sends along blinded paths, and delivers the messages that
 * arrive. A reply is recognised only by the secret of the path that it took.
 *
 * This node does not forward messages for others.
 */
import { toHex } from '../bolt/bytes.ts';
import type { BlindedPath } from '../bolt/onion/blinded-path.ts';
import { createBlindedPath } from '../bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../bolt/onion/encrypted-data.ts';
import type { MessageContent } from '../bolt/onion/onion-message.ts';
import { FEATURE, hasFeature } from '../bolt/peer/features.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../model/node-id.ts';
import { randomBytes } from '../model/random-bytes.ts';
import type { MessagePort, Peer } from '../network/port.ts';
import type { MessageRoutes } from './message-routes.ts';
import { OfferRefused } from './refusal.ts';
import { WayFailed } from './way-failure.ts';

/** Maximum number of replies awaited at once, enough for the maximum numbers of fetches and releases. */
const MAX_AWAITED = 30_000;
const SECRET_BYTES = 32;
const NONE: ReadonlySet<number> = new Set();

/** A route to a node: ids from the first peer to the node. Empty if the node is our own. */
export type MessageRoute = readonly NodeId[];

/** Which nodes a message should avoid. */
export interface MessageRouteOptions {
  /** Nodes to avoid if possible, by index. */
  readonly avoid?: ReadonlySet<number>;
}

/** A message that answers none of our requests. */
export interface UnsolicitedMessage {
  readonly content: MessageContent;
  readonly pathId: Uint8Array | undefined;
  /** The peer that delivered the message, or our own id if we sent the message ourselves. Undefined if unknown. */
  readonly from: NodeId | undefined;
}

/** Receives a message that answers none of our requests. */
export type Unsolicited = (message: UnsolicitedMessage) => void;

/** Called when an onion message is received (`in`), was sent (`out`), or could not be sent (`refused`). */
export type MessageListener = (what: 'in' | 'out' | 'refused') => void;

/** What the messenger needs from the node. */
export interface MessengerOptions {
  readonly port: MessagePort;
  readonly routes: MessageRoutes;
  /** The secret key of the port's node, if known. With it, reply paths take less time to make. */
  readonly secretKey?: Uint8Array | undefined;
  /** Returns whether the node with this index in the graph accepts onion messages. */
  readonly takesMessages: (node: number) => boolean;
  readonly onMessage?: MessageListener | undefined;
}

/** An awaited reply, and the encrypted data (hex) of the last hop of its path. */
interface AwaitedReply {
  readonly deliver: (content: MessageContent) => void;
  recipientData: string | undefined;
}

/** Sends onion messages and matches the replies to them. */
export class OnionMessenger {
  readonly nodeId: NodeId;
  /** Called with requests, and any other message that is not an awaited reply. */
  onUnsolicited: Unsolicited = () => undefined;
  readonly #port: MessagePort;
  readonly #routes: MessageRoutes;
  readonly #secretKey: Uint8Array | undefined;
  readonly #takesMessages: (node: number) => boolean;
  /** Awaited replies by secret (hex). */
  readonly #awaited = new Map<string, AwaitedReply>();
  /** The secret (hex) of each awaited reply, by the encrypted data (hex) of the last hop of its path. */
  readonly #secretOf = new Map<string, string>();
  readonly #unsubscribe: () => void;
  readonly #onMessage: MessageListener;
  /** The peers that the port last reported, and those of them that accept onion messages. */
  #lastPeers: { readonly peers: readonly Peer[]; readonly ids: readonly NodeId[] } | undefined;

  constructor({ port, routes, secretKey, takesMessages, onMessage = () => undefined }: MessengerOptions) {
    this.#onMessage = onMessage;
    this.#secretKey = secretKey;
    this.#port = port;
    this.#routes = routes;
    this.#takesMessages = takesMessages;
    this.nodeId = port.identity.nodeId;
    this.#unsubscribe = port.onOnionMessage(({ content, pathId, recipientData, from }) => {
      onMessage('in');
      this.#deliver(content, pathId ?? this.#pathIdIn(recipientData), from);
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#awaited.clear();
    this.#secretOf.clear();
  }

  /** @throws OfferRefused if the network behind this node carries no onion messages */
  requireMessages(): void {
    const { kind, capabilities } = this.#port;
    if (capabilities.onionMessages) return;
    throw new OfferRefused({ kind: 'noMessages', network: kind });
  }

  /** Id of the first node of a path. @throws WayFailed if the path names an unknown channel */
  introduction({ firstNode }: BlindedPath): NodeId {
    if (firstNode instanceof Uint8Array) return nodeIdFromBytes(firstNode);
    const id = this.#routes.resolve(firstNode);
    if (id !== undefined) return id;
    throw new WayFailed({ kind: 'unknownFirstNode', of: firstNode });
  }

  /**
   * A route over the graph. First tries to avoid all nodes in `avoid`. Then permits our own peers among them, since
   * there may be only one peer. Then permits all nodes. If there is no route, uses a peer that is known to be connected
   * to the target. `undefined` if there is none.
   */
  findRoute(target: NodeId, { avoid = NONE }: MessageRouteOptions = {}): MessageRoute | undefined {
    if (target === this.nodeId) return [];
    const peers = this.#messagePeers();
    const takesMessages = this.#takesMessages;
    const isFresh = (id: NodeId): boolean => id === target || !avoid.has(this.#routes.indexOf(id));
    const fresh = avoid.size === 0 ? peers : peers.filter(isFresh);
    const around =
      this.#routes.find(fresh, target, { takesMessages, avoid }) ??
      this.#routes.find(peers, target, { takesMessages, avoid });
    const any =
      around ?? (avoid.size === 0 ? undefined : this.#routes.find(peers, target, { takesMessages }));
    if (any !== undefined) return any;
    const before = this.#port.peerBefore?.(target);
    return before !== undefined && peers.includes(before) ? [before, target] : undefined;
  }

  /** Ids of our connected peers that accept onion messages. The same list as before if the port's list is the same. */
  #messagePeers(): readonly NodeId[] {
    const peers = this.#port.peers();
    if (this.#lastPeers?.peers !== peers) {
      const ids = peers
        .filter(({ connected, features }) => connected && hasFeature(features, FEATURE.option_onion_messages))
        .map(({ nodeId }) => nodeId);
      this.#lastPeers = { peers, ids };
    }
    return this.#lastPeers.ids;
  }

  /**
   * Connects to the node itself, and returns the route to it.
   * @throws FulguriteError if that fails; WayFailed if the node accepts no onion messages
   */
  async connect(target: NodeId): Promise<MessageRoute> {
    const peer = await this.#port.connect(target);
    if (!hasFeature(peer.features, FEATURE.option_onion_messages)) {
      throw new WayFailed({ kind: 'takesNoMessages', node: target });
    }
    return [target];
  }

  /**
   * The reply path for a message sent over this route. If `path` is undefined, the last node of the route answers, and
   * the reply path starts at the node before it, or at the last node itself if the node before is not public. If `path`
   * is given, a node beyond the route answers, so the reply path starts at the route's last node. The reply path leads
   * back over the route, because many nodes accept messages only from peers with which they have a channel, so an
   * answer could not reach us directly. Call `awaitReply` with the secret first.
   */
  replyPath(route: MessageRoute, path: BlindedPath | undefined, secret: Uint8Array): BlindedPath {
    const [first] = route;
    const end = (first !== undefined ? this.#port.messageEnd?.(first) : undefined) ?? this.nodeId;
    const back = [...route].reverse();
    const before = back[1] ?? end;
    const isBeforeLast = path === undefined && back.length > 0 && this.#routes.isPublic(before);
    const from = isBeforeLast ? back.slice(1) : back;
    const ids = [...from, end].map(nodeIdToBytes);
    const nodes = ids.map((nodeId, i) => {
      const nextNodeId = ids[i + 1];
      if (nextNodeId !== undefined) return { nodeId, data: encodeEncryptedData({ nextNodeId }) };
      const secretKey = end === this.nodeId ? this.#secretKey : undefined;
      const isOurs = secretKey !== undefined;
      return { nodeId, data: encodeEncryptedData({ pathId: secret }), secretKey, isOurs };
    });
    const replyPath = createBlindedPath(nodes, freshKey());
    const key = toHex(secret);
    const awaited = this.#awaited.get(key);
    if (awaited !== undefined) {
      awaited.recipientData = toHex(replyPath.hops.at(-1)!.encryptedRecipientData);
      this.#secretOf.set(awaited.recipientData, key);
    }
    return replyPath;
  }

  /** Index of a public node in the graph, or -1. */
  indexOf(nodeId: NodeId): number {
    return this.#routes.indexOf(nodeId);
  }

  /**
   * Calls back for each message that arrives over a path with this secret, until the returned function is called.
   * @throws OfferRefused when too many replies are awaited
   */
  awaitReply(secret: Uint8Array, deliver: (content: MessageContent) => void): () => void {
    if (this.#awaited.size >= MAX_AWAITED) throw new OfferRefused({ kind: 'tooManyReplies' });
    const key = toHex(secret);
    const awaited: AwaitedReply = { deliver, recipientData: undefined };
    this.#awaited.set(key, awaited);
    return () => {
      this.#awaited.delete(key);
      if (awaited.recipientData !== undefined) this.#secretOf.delete(awaited.recipientData);
    };
  }

  /**
   * Sends a message over the route to its last node, and from there along `path` if there is one.
   * @param askedBy the peer whose message is answered, if any
   * @throws FulguriteError when our peer is gone; WireError when the content is too long
   */
  send(
    route: MessageRoute,
    path: BlindedPath | undefined,
    content: MessageContent,
    askedBy?: NodeId,
  ): Promise<void> {
    const sent = this.#port.sendOnionMessage({ route, path, content, askedBy });
    sent.then(
      () => this.#onMessage('out'),
      () => this.#onMessage('refused'),
    );
    return sent;
  }

  /** The secret of our reply path whose last hop has this encrypted data. */
  #pathIdIn(recipientData: Uint8Array | undefined): Uint8Array | undefined {
    const secret = recipientData && this.#secretOf.get(toHex(recipientData));
    return secret === undefined ? undefined : Uint8Array.from(Buffer.from(secret, 'hex'));
  }

  #deliver(content: MessageContent, pathId: Uint8Array | undefined, from: NodeId | undefined): void {
    const awaiting = pathId?.length === SECRET_BYTES ? this.#awaited.get(toHex(pathId)) : undefined;
    if (awaiting !== undefined) awaiting.deliver(content);
    else this.onUnsolicited({ content, pathId, from });
  }
}

/** New random bytes, such as the secret of one of our paths. */
export function freshSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** A random secret key. 32 random bytes are an invalid key with a probability of less than 2^-127. */
const freshKey = freshSecret;
