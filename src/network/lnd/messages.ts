/**
 * Onion messages under LND's id (since LND 0.21), and under our own id if LND cannot carry them.
 *
 *     first peer has a channel with LND ──▶ SendOnionMessage;  the answer comes through SubscribeOnionMessages
 *     any other first peer              ──▶ a connection of our own, under our own key
 *
 * LND drops messages from peers without a channel, so only a message sent through a channel peer can be answered. LND
 * keeps its key and decrypts nothing for us, but it hands out the encrypted data of its own layer. This data is unique
 * per path, so it identifies the request for which the path was made (`IncomingOnionMessage.recipientData`).
 */
import type { MessageContent } from '../../bolt/onion/onion-message.ts';
import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import { FulguriteError } from '../../model/errors.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../model/node-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type IncomingListener, onionAlong } from '../onion-message-end.ts';
import type { IncomingOnionMessage, MessagePort, NetworkPort, OutgoingOnionMessage, Peer } from '../port.ts';
import type { OnionMessageUpdate } from './answers.ts';
import { LndError, STATUS } from './client/calls.ts';
import { keepStream } from './client/kept-stream.ts';
import { entriesByNumber } from './graph/map-keys.ts';
import { isNodeTrouble, type LndConnection, type LndLink } from './node-link.ts';

/** Types of the records in an onion message (BOLT 4, "Onion Messages"; 70 and 74 from bolts#1149). */
const RECORD = { invoice: 66n, invoiceError: 68n, staticInvoice: 70n, releaseHeldHtlc: 74n } as const;
/** Whether a peer is connected and accepts onion messages. */
const takesMessages = ({ features, connected }: Peer): boolean =>
  connected && hasFeature(features, FEATURE.option_onion_messages);

/**
 * Dependencies of `LndMessages`. `own` is the network of connections under our own key. The caller that opened the link
 * and `own` also closes them.
 */
export interface LndMessagesOptions {
  readonly link: LndLink;
  readonly own: NetworkPort;
  /** LND's channels and peers. */
  readonly network: Pick<NetworkPort, 'ownChannels' | 'peers'>;
  readonly log: Log;
}

/** Sends messages through LND, or over our own connections. */
export class LndMessages implements MessagePort {
  readonly kind = 'lnd';
  readonly identity: MessagePort['identity'];
  readonly capabilities: MessagePort['capabilities'];
  readonly #options: LndMessagesOptions;
  readonly #listeners = new Set<IncomingListener>();
  #isServed = false;
  #saidWhy: string | undefined;

  constructor(options: LndMessagesOptions) {
    const { own, link } = options;
    this.#options = options;
    this.identity = own.identity;
    this.capabilities = own.capabilities;
    link.onUp((connection) => void this.#follow(connection));
    own.onOnionMessage((message) => this.#tell(message));
  }

  /** Whether LND carries messages at the moment. */
  get isServed(): boolean {
    return this.#isServed && this.#options.link.connection !== undefined;
  }

  /** First LND's channel peers that accept messages, then the peers that we are connected to ourselves. */
  peers(): readonly Peer[] {
    const ofLnd = this.#channelPeers();
    const known = new Set(ofLnd.map(({ nodeId }) => nodeId));
    return [...ofLnd, ...this.#options.own.peers().filter(({ nodeId }) => !known.has(nodeId))];
  }

  /**
   * Connects under our own key, because LND drops the answers of peers without a channel. If no address is given or
   * announced, but LND has connected to the node, we use the address that LND used.
   */
  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer> {
    const { own, network } = this.#options;
    const reached = network
      .peers()
      .find((peer) => peer.nodeId === nodeId && peer.direction === 'out')?.address;
    const isUnannounced = addresses === undefined && own.addresses(nodeId).length === 0;
    return own.connect(nodeId, isUnannounced && reached !== undefined ? [reached] : addresses);
  }

  messageEnd(firstPeer: NodeId): NodeId {
    return this.#isByLnd(firstPeer) ? this.#options.link.facts.nodeId : this.identity.nodeId;
  }

  /** @throws FulguriteError notConnected, notSupported, busy, nodeAway; WireError when the content is too long */
  async sendOnionMessage(outgoing: OutgoingOnionMessage): Promise<void> {
    const { link, own } = this.#options;
    const [first] = outgoing.route;
    if (first === undefined || !this.#isByLnd(first)) return own.sendOnionMessage(outgoing);
    const { pathKey, packet } = onionAlong(outgoing, link.facts.nodeId);
    try {
      await link.call('SendOnionMessage', {
        ...{ peer: nodeIdToBytes(first), path_key: pathKey, onion: packet },
      });
    } catch (error) {
      if (!(error instanceof LndError)) throw error;
      throw new FulguriteError('notConnected', `LND did not send the message: ${error.message}`);
    }
  }

  onOnionMessage(listener: IncomingListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #isByLnd(firstPeer: NodeId): boolean {
    return this.#channelPeers().some(({ nodeId }) => nodeId === firstPeer);
  }

  #channelPeers(): Peer[] {
    if (!this.isServed) return [];
    const { network } = this.#options;
    const usable = network.ownChannels().channels.filter((channel) => channel.usable);
    const withChannel = new Set<string>(usable.map(({ peerId }) => peerId));
    return network.peers().filter((peer) => withChannel.has(peer.nodeId) && takesMessages(peer));
  }

  /** Determines whether LND carries messages for us, and subscribes to the messages that LND receives. */
  async #follow(connection: LndConnection): Promise<void> {
    this.#isServed = false;
    const why = await this.#whyNot().catch((error: Error) => error.message);
    if (!connection.isOpen) return;
    this.#say(why);
    if (why !== undefined) return;
    this.#isServed = true;
    const lost = ({ message }: Error): void => {
      this.#isServed = false;
      this.#say(message);
    };
    keepStream<OnionMessageUpdate>(this.#options.link, connection, 'SubscribeOnionMessages', {
      onMessage: (update) => this.#take(update),
      onEnd: lost,
      onGap: () => {
        this.#isServed = true;
        this.#say(undefined);
      },
      onRefused: lost,
    });
  }

  /** Why LND does not carry messages. Undefined when it does. */
  async #whyNot(): Promise<string | undefined> {
    const { link } = this.#options;
    if (!hasFeature(link.facts.features, FEATURE.option_onion_messages)) {
      return `LND ${link.facts.version} does not announce onion messages (0.21 and later do)`;
    }
    try {
      // This sends nothing. LND first checks the permission, and then refuses the request, because its key is empty.
      await link.call('SendOnionMessage', {});
    } catch (error) {
      if (!isNodeTrouble(error)) throw error;
      const isHeard = error instanceof LndError && error.status === STATUS.unknown;
      return isHeard ? undefined : error.message;
    }
    return undefined;
  }

  #say(why: string | undefined): void {
    const { log } = this.#options;
    if (why === this.#saidWhy) return;
    this.#saidWhy = why;
    if (why !== undefined) log.info(`invoices are requested over a connection of our own: ${why}`);
  }

  #take({ peer, encrypted_recipient_data, custom_records }: OnionMessageUpdate): void {
    const records = new Map(entriesByNumber(custom_records));
    const content: MessageContent = {};
    for (const [name, type] of Object.entries(RECORD)) {
      const value = records.get(type);
      if (value !== undefined) content[name as keyof typeof RECORD] = Uint8Array.from(value);
    }
    // Messages that LND forwards for others contain none of these records.
    if (Object.keys(content).length === 0) return;
    this.#tell({
      content,
      pathId: undefined,
      recipientData: Uint8Array.from(encrypted_recipient_data),
      from: parseNodeId(Buffer.from(peer).toString('hex')),
    });
  }

  #tell(message: IncomingOnionMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}
