/**
 * The network of real peers: our own identity, connections to peers, onion messages in both directions, and gossip for
 * the graph. We are a leaf: messages for others are not forwarded. There are no channels, so there are no HTLCs.
 */

import { createServer, type Server, type Socket } from 'node:net';
import { equalBytes } from '../../bolt/bytes.ts';
import { curve } from '../../bolt/crypto/curve.ts';
import { CHAIN_HASHES } from '../../bolt/invoice/bolt12-offer.ts';
import {
  decodeOnionMessage,
  encodeOnionMessage,
  ONION_MESSAGE_TYPE,
  type OnionMessage,
} from '../../bolt/onion/onion-message.ts';
import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import { decodeNodeAddresses } from '../../bolt/peer/node-address.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { FulguriteError } from '../../model/errors.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../model/node-id.ts';
import { OnionMessageEnd } from '../onion-message-end.ts';
import type {
  GraphCheck,
  IncomingOnionMessage,
  NetworkCapabilities,
  NetworkIdentity,
  NetworkPort,
  OutgoingOnionMessage,
  Peer,
} from '../port.ts';
import { WithoutChannels } from '../without-channels.ts';
import { formatHostPort, type HostPort, type PeerLocation, parseHostPort } from './address.ts';
import { Backoff } from './backoff.ts';
import type { ChainWatch } from './chain-watch.ts';
import { type ConnectionEvents, PeerConnection } from './connection.ts';
import { type DialTarget, dialFirst } from './dial.ts';
import type { GossipSync } from './gossip-sync.ts';
import { InboundConnections } from './inbound-connections.ts';
import * as limits from './limits.ts';
import { OnionInbox } from './onion-inbox.ts';
import { OUR_FEATURES } from './our-features.ts';
import { PeerTable } from './peer-table.ts';

/** Where the network logs events. */
export interface PeerNetworkLog {
  debug(message: string): void;
  info(message: string): void;
  unusual(message: string): void;
}

/** Dependencies and settings of the peer network. */
export interface PeerNetworkOptions {
  readonly secretKey: Uint8Array;
  readonly chainHash: Uint8Array;
  /** The graph in which announced addresses are looked up. */
  readonly graph: ChannelGraph;
  /** Learns the graph from peers. Without it, gossip is ignored. */
  readonly gossip?: GossipSync;
  /** Information from the chain. Without it the height is unknown, because peers cannot be trusted to report it. */
  readonly chain?: ChainWatch;
  /**
   * Whether to connect to private or loopback addresses announced by strangers. Default: only on regtest, which usually
   * runs on one's own machines.
   */
  readonly allowPrivateAddresses?: boolean;
  readonly timing?: Partial<limits.PeerTiming>;
  readonly log?: PeerNetworkLog;
}

/** A peer that is reconnected whenever the connection is lost. */
interface Kept {
  readonly location: PeerLocation;
  readonly backoff: Backoff;
  timer: NodeJS.Timeout | undefined;
}

interface Dialed {
  readonly resolve: (peer: Peer) => void;
  readonly reject: (error: Error) => void;
}

/** Messages and connections, but no channels. */
const CAPABILITIES: NetworkCapabilities = {
  pays: false,
  repeatsSends: true,
  onionMessages: true,
  connects: true,
  disconnects: true,
};

/** The network port for connections to real peers. It carries onion messages and gossip, but no payments. */
export class PeerNetwork extends WithoutChannels implements NetworkPort {
  readonly kind = 'peer';
  readonly identity: NetworkIdentity;
  readonly capabilities = CAPABILITIES;
  private readonly messages: OnionMessageEnd;
  private readonly options: PeerNetworkOptions;
  private readonly timing: limits.PeerTiming;
  private readonly table: PeerTable;
  /** Every open connection, ready or not. */
  private readonly connections = new Set<PeerConnection>();
  private readonly inbound = new InboundConnections();
  private readonly connecting = new Map<NodeId, Promise<Peer>>();
  private readonly dialed = new Map<PeerConnection, Dialed>();
  private readonly trusted = new Set<NodeId>();
  private readonly kept = new Map<NodeId, Kept>();
  private readonly inbox = new OnionInbox((from, bytes) => this.readOnion(from, bytes));
  private readonly allowPrivateAddresses: boolean;
  private readonly servers: Server[] = [];
  private readonly abort = new AbortController();

  constructor(options: PeerNetworkOptions) {
    super();
    this.options = options;
    this.messages = new OnionMessageEnd(options.secretKey, (to, message, askedBy) =>
      this.hand(to, message, askedBy),
    );
    this.timing = { ...limits.DEFAULT_TIMING, ...options.timing };
    this.allowPrivateAddresses =
      options.allowPrivateAddresses ?? equalBytes(options.chainHash, CHAIN_HASHES.regtest);
    const nodeId = nodeIdFromBytes(curve.publicKey(options.secretKey));
    this.identity = { nodeId, features: OUR_FEATURES, chainHash: options.chainHash };
    this.table = new PeerTable(nodeId);
  }

  blockHeight(): number {
    return this.options.chain?.height ?? 0;
  }

  graphCheck(): GraphCheck {
    const { chain } = this.options;
    if (chain === undefined) return { source: 'unchecked' };
    return { source: chain.source.name, ...(chain.problem !== undefined && { problem: chain.problem }) };
  }

  /** Never calls back: there are no payments here, so nothing depends on the height. */
  onBlock(): () => void {
    return () => undefined;
  }

  /**
   * Sends a message at the rate that peers tolerate. Resolves once it is passed to the connection.
   * @throws FulguriteError notConnected; notSupported when the peer does not support onion messages; busy
   * @throws WireError when the content is too long
   */
  sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    return this.messages.send(message);
  }

  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    return this.messages.listen(listener);
  }

  private async hand(to: NodeId, message: OnionMessage, askedBy: NodeId | undefined): Promise<void> {
    const peer = this.table.get(to);
    if (peer === undefined)
      throw new FulguriteError('notConnected', `${to} is not connected`, { node_id: to });
    if (!hasFeature(peer.connection.features, FEATURE.option_onion_messages)) {
      throw new FulguriteError('notSupported', `${to} does not accept onion messages`, { node_id: to });
    }
    await peer.outbox.push(encodeOnionMessage(message), askedBy);
  }

  /**
   * Connects to a node: at the given addresses first, then at the announced addresses. Announced addresses must be
   * public unless private addresses are allowed. Returns immediately if the peer is already connected.
   * @throws FulguriteError noAddress, connectFailed, disconnected, busy, shuttingDown; invalidParams for an invalid
   *   address or node id
   */
  async connect(nodeId: NodeId, addresses: readonly string[] = []): Promise<Peer> {
    const connected = this.table.get(nodeId);
    if (connected !== undefined) return describe(connected.connection);
    const running = this.connecting.get(nodeId);
    if (running !== undefined) return running;
    const named = addresses.map((text) => ({ ...parseHostPort(text), publicOnly: false }));
    const publicOnly = !this.allowPrivateAddresses;
    const announced = this.announcedAddresses(nodeId).map((address) => ({ ...address, publicOnly }));
    const attempt = this.dial(nodeId, [...named, ...announced].filter(isReachable)).finally(() =>
      this.connecting.delete(nodeId),
    );
    this.connecting.set(nodeId, attempt);
    return attempt;
  }

  /** Trusts this peer's channel announcements from its next connection on, even without a chain source. */
  trust(nodeId: NodeId): void {
    this.trusted.add(nodeId);
  }

  /**
   * Connects to a peer, and tries again whenever connecting fails or the connection is lost, until `disconnect`. The
   * operator has chosen this peer, so it is trusted.
   */
  keepConnected(location: PeerLocation): void {
    this.trust(location.nodeId);
    const { firstRetryMs, lastRetryMs } = this.timing;
    const kept = { location, backoff: new Backoff(firstRetryMs, lastRetryMs), timer: undefined };
    this.kept.set(location.nodeId, kept);
    this.tryKept(kept);
  }

  async disconnect(nodeId: NodeId): Promise<boolean> {
    const kept = this.kept.get(nodeId);
    clearTimeout(kept?.timer);
    this.kept.delete(nodeId);
    const peer = this.table.get(nodeId);
    peer?.connection.close('disconnected by request');
    return peer !== undefined || kept !== undefined;
  }

  /** Connected peers first, then the peers that we try to reconnect to. */
  peers(): readonly Peer[] {
    const ready = this.table.all().map(({ connection }) => describe(connection));
    const lost = [...this.kept.keys()].filter((nodeId) => this.table.get(nodeId) === undefined);
    return [...ready, ...lost.map((nodeId) => ({ nodeId, features: new Uint8Array(0), connected: false }))];
  }

  addresses(nodeId: NodeId): readonly string[] {
    return this.announcedAddresses(nodeId).map(formatHostPort);
  }

  /** Accepts connections. @returns the address it listens on. @throws FulguriteError when it cannot listen there. */
  async listen({ host, port }: HostPort): Promise<HostPort> {
    const server = createServer((socket) => this.accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        reject(new FulguriteError('unspecified', `cannot listen on ${host}:${port}: ${error.message}`));
      });
      server.listen({ host, port }, resolve);
    });
    this.servers.push(server);
    const address = server.address() as { address: string; port: number };
    return { host: address.address, port: address.port };
  }

  /** The addresses on which we listen, as `host:port`. */
  bindings(): string[] {
    return this.servers.map((server) => {
      const { address, port } = server.address() as { address: string; port: number };
      return formatHostPort({ host: address, port });
    });
  }

  async close(): Promise<void> {
    this.abort.abort();
    for (const { timer } of this.kept.values()) clearTimeout(timer);
    this.kept.clear();
    this.inbox.close();
    this.messages.close();
    for (const connection of [...this.connections]) connection.close('this node is stopping');
    await Promise.all(
      this.servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
    );
    await this.options.gossip?.close();
  }

  /**
   * The addresses announced by a node. Invalid addresses are left out, since a node may announce any bytes as a host
   * name.
   */
  private announcedAddresses(nodeId: NodeId): HostPort[] {
    const { graph } = this.options;
    const announced = graph.announcements.get(graph.nodeIndex(nodeId));
    if (announced === undefined) return [];
    return decodeNodeAddresses(announced.addresses)
      .map(({ address, port }) => ({ host: address, port }))
      .filter(isAddress);
  }

  private async dial(nodeId: NodeId, targets: readonly DialTarget[]): Promise<Peer> {
    if (this.abort.signal.aborted) throw new FulguriteError('shuttingDown', 'the network is closed');
    if (nodeId === this.identity.nodeId) throw new FulguriteError('invalidParams', 'this is our own node id');
    if (!curve.isPoint(nodeIdToBytes(nodeId))) {
      throw new FulguriteError('invalidParams', `${nodeId} is not a point on the curve`);
    }
    const outgoing = [...this.connections].filter(({ isOutgoing }) => isOutgoing).length;
    if (outgoing >= limits.MAX_OUTGOING) {
      throw new FulguriteError('busy', `${outgoing} connections to peers are open`);
    }
    const socket = await dialFirst(nodeId, targets, this.timing.dialMs, this.abort.signal);
    return new Promise((resolve, reject) => {
      const connection = this.begin(socket, nodeId);
      this.dialed.set(connection, { resolve, reject });
      connection.start();
    });
  }

  private accept(socket: Socket): void {
    const connection = this.begin(socket, undefined);
    this.inbound.enter('silent', connection);
    connection.start();
  }

  private begin(socket: Socket, nodeId: NodeId | undefined): PeerConnection {
    const { secretKey, chainHash } = this.options;
    const options = { secretKey, chainHash, features: OUR_FEATURES, timing: this.timing };
    const connection = new PeerConnection(socket, nodeId, options, this.events);
    this.connections.add(connection);
    return connection;
  }

  private readonly events: ConnectionEvents = {
    greeted: (connection) => this.inbound.enter('spoken', connection),
    ready: (connection) => this.onReady(connection),
    message: (connection, type, bytes) => this.onMessage(connection, type, bytes),
    complaint: (connection, isError, text) => {
      const what = isError ? 'error' : 'warning';
      this.options.log?.info(`${connection.nodeId}: ${what}: ${JSON.stringify(text)}`);
    },
    closed: (connection, reason) => this.onClosed(connection, reason),
  };

  private onReady(connection: PeerConnection): void {
    const { nodeId } = connection;
    if (nodeId === this.identity.nodeId || !this.table.add(connection)) {
      connection.close('only one connection per node is kept');
      return;
    }
    if (!connection.isOutgoing) this.inbound.enter('peers', connection);
    connection.isTrusted = this.trusted.has(nodeId);
    this.options.log?.info(
      `${nodeId}: connected ${connection.isOutgoing ? 'to' : 'from'} ${connection.address}`,
    );
    const dialed = this.dialed.get(connection);
    this.dialed.delete(connection);
    dialed?.resolve(describe(connection));
    this.options.gossip?.peerReady(connection);
  }

  private onMessage(connection: PeerConnection, type: number, bytes: Uint8Array): void {
    if (type === ONION_MESSAGE_TYPE) this.onOnion(connection, bytes);
    else if (this.options.gossip?.message(connection, type, bytes) === true) return;
    else if (type % 2 === 0 && !isChannelMessage(type) && !isGossip(type)) {
      // BOLT 1: an unknown message of even type must not be ignored.
      connection.refuse(`message type ${type} is even and unknown to us`);
    }
  }

  /** Processes an onion message. A malformed or excess message is dropped without closing the connection. */
  private onOnion({ nodeId, isOutgoing }: PeerConnection, bytes: Uint8Array): void {
    if (this.inbox.push(nodeId, isOutgoing, bytes)) return;
    this.options.log?.debug(`${nodeId}: onion message dropped, too many`);
  }

  private readOnion(nodeId: NodeId, bytes: Uint8Array): void {
    try {
      const message = decodeOnionMessage(bytes);
      this.table.get(nodeId)?.connection.markUseful();
      this.messages.receive(nodeId, message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.options.log?.debug(`${nodeId}: onion message dropped: ${error.message}`);
    }
  }

  private onClosed(connection: PeerConnection, reason: string): void {
    this.connections.delete(connection);
    this.inbound.forget(connection);
    const dialed = this.dialed.get(connection);
    this.dialed.delete(connection);
    const message = `disconnected during connection: ${reason}`;
    dialed?.reject(new FulguriteError('disconnected', message, { address: connection.address }));
    const peer = this.table.remove(connection);
    if (peer === undefined) return;
    this.inbox.forget(connection.nodeId);
    this.options.log?.info(`${connection.nodeId}: disconnected: ${reason}`);
    this.options.gossip?.peerGone(connection);
    const kept = this.kept.get(connection.nodeId);
    if (kept === undefined) return;
    if (performance.now() - peer.readyAt >= this.timing.stableAfterMs) kept.backoff.reset();
    this.scheduleKept(kept);
  }

  private tryKept(kept: Kept): void {
    const { nodeId, address } = kept.location;
    this.connect(nodeId, address === undefined ? [] : [formatHostPort(address)]).catch((error: Error) => {
      this.options.log?.unusual(`${nodeId}: ${error.message}`);
      if (this.table.get(nodeId) === undefined) this.scheduleKept(kept);
    });
  }

  private scheduleKept(kept: Kept): void {
    const isKept = this.kept.get(kept.location.nodeId) === kept;
    if (!isKept || this.abort.signal.aborted) return;
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => this.tryKept(kept), kept.backoff.nextMs());
  }
}

function describe(connection: PeerConnection): Peer {
  return {
    nodeId: connection.nodeId,
    features: connection.features,
    connected: true,
    direction: connection.isOutgoing ? 'out' : 'in',
    address: connection.address,
  };
}

function isAddress(address: HostPort): boolean {
  try {
    parseHostPort(formatHostPort(address));
    return true;
  } catch {
    return false;
  }
}

/** Whether we can dial the address. Tor addresses would need a proxy. */
function isReachable({ host }: HostPort): boolean {
  return !host.endsWith('.onion');
}

/** Whether a message is gossip (BOLT 7). Some peers send it unsolicited, and without `gossip` it is ignored. */
function isGossip(type: number): boolean {
  return type >= 256 && type <= 265;
}

/** Whether a message is about channels (BOLT 2), which we do not have. */
function isChannelMessage(type: number): boolean {
  return (type >= 32 && type < 256) || type === 2;
}
