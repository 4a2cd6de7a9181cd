/** Opens the network selected by the options of `start`. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { currencyOf } from '../../bolt/invoice/bolt11-amount.ts';
import { CHAIN_HASHES } from '../../bolt/invoice/bolt12-offer.ts';
import { Bitcoind } from '../../chain/bitcoind.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import { Esplora } from '../../chain/esplora.ts';
import { graphHash } from '../../fleet/graph-hash.ts';
import { OwnGossipStore } from '../../gossip/own-gossip-store.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { realClock } from '../../model/clock.ts';
import { FulguriteError } from '../../model/errors.ts';
import { msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ListedForward, SettledForward } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import {
  clnForwards,
  clnInvoice,
  type JournalIdentity,
  NodeMessages,
  openClnNetwork,
  openMessages,
  withPeersOf,
} from '../../network/cln/index.ts';
import {
  LND_LIMITS,
  LndMessages,
  LndReceiver,
  lndForwardList,
  lndForwards,
  lndInvoice,
  openLndNetwork,
} from '../../network/lnd/index.ts';
import { NoneNetwork } from '../../network/none/index.ts';
import { formatHostPort, openPeerNetwork } from '../../network/peer/index.ts';
import type {
  IncomingOnionMessage,
  MessagePort,
  NetworkPort,
  OutgoingOnionMessage,
} from '../../network/port.ts';
import type { InvoiceReceiver } from '../../network/receiver.ts';
import { LatePort, type MakeInvoice, type OwnNodes, SeveralNetwork } from '../../network/several/index.ts';
import {
  type InvoiceWishes,
  NONCE_BYTES,
  networkMapOf,
  OwnNodePort,
  openSimulatedNetwork,
  type SharedLink,
  SimulatedReceiver,
  type WorkerPort,
  withAddedNodes,
} from '../../network/simulated/index.ts';
import type { Log } from '../../rpc/log.ts';
import { simulatedIssuersModule } from '../../simulated-issuers/index.ts';
import { UsageError } from '../client/client-arguments.ts';
import { DataDirectoryError, SIMULATED_FILE } from '../files/data-directory.ts';
import type { ChainSourceOptions } from '../options/chain-source-options.ts';
import type { NetworkName, StartOptions } from '../options/start-options.ts';
import type { ClaimNode } from './claim-nodes.ts';
import { followSettings, type NamedPort, openOwnNodes, type SharedRows } from './own-nodes-file.ts';
import type { LateNode, NamedNode, NodeBeside, OneNode } from './reach-node.ts';

/** Fields of an invoice that a simulated node issues for a transfer, besides amount and description. */
const TRANSFER_INVOICE = {
  currency: 'bc',
  expirySeconds: 3600,
  minFinalCltvExpiryDelta: 18,
  hints: 8,
  hasMetadata: false,
} as const;
const nonce = (): Uint8Array => new Uint8Array(randomBytes(NONCE_BYTES));

/** What a network needs from the daemon that opens it. */
export interface NetworkDependencies {
  /** Identifies our journal to other daemons at the attached nodes. */
  readonly journal: JournalIdentity;
  /** The attached node, if any. The network closes the link to it. */
  readonly beside: NodeBeside | undefined;
  readonly graph: ChannelGraph;
  /** Whether the graph can change while the daemon runs. */
  readonly isLive: boolean;
  readonly ownNodeId: NodeId;
  readonly secretKey: Uint8Array;
  readonly log: Log;
  /** Stream to which our plugin in the attached node writes the onion messages that the node receives. */
  readonly input: Readable;
  /**
   * Where daemons that share a purse store the settings of the purse's nodes. Undefined if settings are stored only in
   * the data directory.
   */
  readonly sharedSettings: SharedRows | undefined;
  /** Marks a node that joins later as part of the purse. */
  readonly claim: ClaimNode;
  /** Publishes the current graph to route searches. */
  readonly publish: () => void;
  /** Called when the network has failed for good. */
  readonly onDied: (error: Error) => void;
}

/** A network, and the networks that carry our onion messages, which are usually the same network. */
export interface OpenedNetwork {
  readonly network: NetworkPort;
  /** Carries onion messages under the key that signs our own offers. */
  readonly messages: NetworkPort;
  /** Carries requests for the invoices that we fetch. */
  readonly fetches: MessagePort;
  /** Our nodes, if there are several. */
  readonly ownNodes?: OwnNodes;
  /** Issues an invoice of our own node. Undefined if the node issues none. */
  readonly makeInvoice?: (amountMsat: bigint, description: string) => Promise<string>;
  /** The payments of others that our node has forwarded since `sinceS`, a UNIX time in seconds. */
  readonly forwards?: (sinceS: number) => Promise<readonly SettledForward[]>;
  /** Lists up to `limit` of our node's forwards, from the index `start` on. */
  readonly listForwards?: (start: number, limit: number) => Promise<readonly ListedForward[]>;
  /** Issues invoices of our own node and tracks whether they are paid. */
  readonly receiver?: InvoiceReceiver;
  /** Like `receiver`, but for the simulated network, whose nodes pay on demand. */
  readonly simulatedReceiver?: SimulatedReceiver;
  /** Makes a node of a simulated network issue an invoice. */
  readonly issueInvoice?: (nodeId: NodeId, wishes: InvoiceWishes) => Promise<string>;
}

/**
 * Opens the network selected by the options.
 * @throws FulguriteError when the node, the listening address or the gossip file cannot be used; DataDirectoryError when
 *   another file of the data directory cannot be used; UsageError when the graph of a shared simulated network differs
 *   from ours
 */
export async function openNetwork(
  options: StartOptions,
  dependencies: NetworkDependencies,
): Promise<OpenedNetwork> {
  if (options.network === 'cln') return openBesideCln(options, dependencies);
  if (options.network === 'lnd') return openBesideLnd(dependencies);
  if (options.network === 'several') return openBesideSeveral(options, dependencies);
  return openOwn(options.network, options, dependencies);
}

/** Opens a network on which we have our own identity. */
async function openOwn(
  name: Exclude<NetworkName, 'cln' | 'lnd' | 'several'>,
  options: StartOptions,
  dependencies: NetworkDependencies,
): Promise<OpenedNetwork> {
  switch (name) {
    case 'simulated':
      return openSimulated(options, dependencies);
    case 'peer':
      return forAll(await openWire(options, dependencies));
    case 'none':
      return forAll(openNone(options, dependencies));
  }
}

const forAll = (network: NetworkPort): OpenedNetwork => ({ network, messages: network, fetches: network });

/**
 * The network of a connected Core Lightning node, with message connections under our own key. With `nodeMessages`,
 * which our plugin in the node sets, invoices are fetched through the node itself.
 */
async function openBesideCln(
  { nodeMessages }: StartOptions,
  { beside, graph, secretKey, log, input, journal }: NetworkDependencies,
): Promise<OpenedNetwork> {
  if (beside?.kind !== 'cln') throw new TypeError('no node is reachable');
  const { link } = beside;
  const messages = openMessages({ facts: link.facts, secretKey, graph, log });
  const isDying = (shortChannelId: ShortChannelId) => graph.dyingChannels.has(shortChannelId);
  const makeInvoice = (amountMsat: bigint, description: string): Promise<string> =>
    clnInvoice(link, amountMsat, description);
  const forwards = (sinceS: number): Promise<readonly SettledForward[]> => clnForwards(link, sinceS);
  if (!nodeMessages) {
    const network = await openClnNetwork({ link, messages, log, isDying, journal });
    const fetches = withPeersOf(link.facts, network, messages);
    return { network, messages, fetches, makeInvoice, forwards };
  }
  const ofNode = new NodeMessages({ link, input, log });
  const carrier = {
    sendOnionMessage: (message: OutgoingOnionMessage) => ofNode.sendOnionMessage(message),
    onOnionMessage: (listener: (message: IncomingOnionMessage) => void) => ofNode.onOnionMessage(listener),
    async close() {
      await Promise.all([ofNode.close(), messages.close()]);
    },
  };
  const network = await openClnNetwork({ link, messages: carrier, log, isDying, journal });
  return { network, messages, fetches: network, makeInvoice, forwards };
}

/**
 * The network of a connected LND node. LND requests invoices if it supports onion messages; otherwise we use
 * connections under our own key. Our own offers always use our own key.
 */
async function openBesideLnd({ beside, graph, secretKey, log }: NetworkDependencies): Promise<OpenedNetwork> {
  if (beside?.kind !== 'lnd') throw new TypeError('no node is reachable');
  const { link } = beside;
  const chainHash = CHAIN_HASHES[link.facts.chain];
  const messages = openPeerNetwork({ secretKey, chainHash, graph, graphChanged: () => undefined, log });
  const network = await openLndNetwork(link, messages, log);
  const fetches = new LndMessages({ link, own: messages, network, log });
  const makeInvoice = (amountMsat: bigint, description: string): Promise<string> =>
    lndInvoice(link, amountMsat, description);
  const forwards = (sinceS: number): Promise<readonly SettledForward[]> => lndForwards(link, sinceS);
  const listForwards = (start: number, limit: number): Promise<readonly ListedForward[]> =>
    lndForwardList(link, start, limit);
  const receiver = new LndReceiver(link, log);
  return { network, messages, fetches, makeInvoice, forwards, listForwards, receiver };
}

/**
 * The networks of all connected nodes combined. Onion messages use connections under our own key.
 * @throws DataDirectoryError when the file of their settings cannot be used
 */
async function openBesideSeveral(
  { dataDirectory }: StartOptions,
  { beside, graph, secretKey, ownNodeId, sharedSettings, claim, journal, log }: NetworkDependencies,
): Promise<OpenedNetwork> {
  if (beside?.kind !== 'several') throw new TypeError('no nodes are reachable');
  const chainHash = CHAIN_HASHES[beside.link.facts.chain];
  const messages = openPeerNetwork({ secretKey, chainHash, graph, graphChanged: () => undefined, log });
  const isDying = (shortChannelId: ShortChannelId) => graph.dyingChannels.has(shortChannelId);
  const carrier = {
    sendOnionMessage: (message: OutgoingOnionMessage) => messages.sendOnionMessage(message),
    onOnionMessage: (listener: (message: IncomingOnionMessage) => void) => messages.onOnionMessage(listener),
    close: async () => undefined,
  };
  const openPort = (node: NamedNode): Promise<NetworkPort> =>
    node.kind === 'cln'
      ? openClnNetwork({
          ...{ link: node.link, messages: carrier, log, isDying, journal },
          node: `node ${node.name}`,
        })
      : openLndNetwork(node.link, carrier, log);
  const ports: NamedPort[] = [];
  try {
    for (const node of beside.nodes) {
      ports.push(
        node.kind === 'late'
          ? latePort(node, { chainHash, openPort, claim, log })
          : { name: node.name, port: await openPort(node), makeInvoice: invoicesOf(node) },
      );
    }
    const ownNodes = await openOwnNodes(dataDirectory, ports, sharedSettings);
    const endFollowing = followSettings(ownNodes, sharedSettings);
    const identity = { ...messages.identity, nodeId: ownNodeId };
    const network = new SeveralNetwork({
      identity,
      nodes: ownNodes,
      messages,
      async close() {
        endFollowing();
        await messages.close();
      },
    });
    return { network, messages, fetches: messages, ownNodes };
  } catch (error) {
    await Promise.all([messages, ...ports.map(({ port }) => port)].map((port) => port.close()));
    throw error;
  }
}

/** The function that issues invoices of the node. */
const invoicesOf =
  (node: OneNode): MakeInvoice =>
  (amountMsat, description) =>
    node.kind === 'cln'
      ? clnInvoice(node.link, amountMsat, description)
      : lndInvoice(node.link, amountMsat, description);

/** The port of a node that is not responding yet. Connecting to the node continues in the background. */
function latePort(
  late: LateNode,
  {
    chainHash,
    openPort,
    claim,
    log,
  }: {
    readonly chainHash: Uint8Array;
    readonly openPort: (node: NamedNode) => Promise<NetworkPort>;
    readonly claim: ClaimNode;
    readonly log: Log;
  },
): NamedPort {
  const { name, nodeId, of, reach, arrival } = late;
  let node: OneNode | undefined;
  const port = new LatePort({
    kind: of,
    identity: { nodeId, features: new Uint8Array(0), chainHash },
    limits: of === 'lnd' ? LND_LIMITS : undefined,
    open: async () => {
      const reached = await reach();
      try {
        const { nodeId: found } = reached.link.facts;
        if (found !== nodeId)
          throw new FulguriteError('nodeAway', `a different node responds in its place: ${found}`);
        await claim(reached);
        const opened = await openPort(reached);
        node = reached;
        arrival.resolve(reached);
        return opened;
      } catch (error) {
        await reached.link.close();
        throw error;
      }
    },
    log,
  });
  const makeInvoice: MakeInvoice = async (amountMsat, description) => {
    if (node !== undefined) return invoicesOf(node)(amountMsat, description);
    throw new FulguriteError('nodeAway', `node ${name} has not responded since the daemon started`, {
      node_id: nodeId,
    });
  };
  return { name, port, makeInvoice };
}

/**
 * The simulated network. It needs the keys of all nodes, which are unknown for real nodes. So with a graph of real
 * nodes, the daemon runs without a network.
 */
async function openSimulated(
  options: StartOptions,
  dependencies: NetworkDependencies,
): Promise<OpenedNetwork> {
  const { graph, isLive, ownNodeId, secretKey, sharedSettings, log, onDied, beside } = dependencies;
  if (beside?.kind === 'simulated') return openShared(beside.network, options, dependencies);
  try {
    const { map, added } = withAddedNodes(networkMapOf(graph, !isLive), options.nodes.length);
    const network = await openSimulatedNetwork({
      map,
      simulation: {
        ownNodeId,
        ownSecretKey: secretKey,
        seed: options.seed,
        ...(added.length > 0 && { ownNodes: added }),
      },
      secretKey,
      journalPath: join(options.dataDirectory, SIMULATED_FILE),
      recover: options.recover,
      messageHandlerModule: simulatedIssuersModule(),
      onDied,
    });
    const { issueInvoice, makeInvoiceOf } = invoicesOn(network);
    if (added.length === 0) {
      const receiver = new SimulatedReceiver(network, secretKey, currencyOf(options.chain), realClock);
      return {
        ...forAll(network),
        ...{ issueInvoice, makeInvoice: makeInvoiceOf(ownNodeId), receiver, simulatedReceiver: receiver },
        // Simulated nodes never pay through our node.
        listForwards: async () => [],
      };
    }
    const ports = added.map((nodeId, at) => ({
      name: options.nodes[at]!.name,
      port: new OwnNodePort(network, nodeId),
      makeInvoice: makeInvoiceOf(nodeId),
    }));
    const nodes = await openOwnNodes(options.dataDirectory, ports, sharedSettings, () => network.close());
    const endFollowing = followSettings(nodes, sharedSettings);
    const several = new SeveralNetwork({
      ...{ identity: network.identity, nodes, messages: network },
      async close() {
        endFollowing();
        await network.close();
      },
    });
    return { network: several, messages: network, fetches: network, issueInvoice, ownNodes: several.nodes };
  } catch (error) {
    if (isDamage(error)) throw new DataDirectoryError(error.message);
    if (!(error instanceof FulguriteError && error.name === 'graphSource')) throw error;
    log.unusual(`routes only, payments are not possible: ${error.message}`);
    return forAll(openNone(options, dependencies));
  }
}

/** The functions with which the nodes of a simulated network issue invoices. */
function invoicesOn(network: WorkerPort) {
  const issueInvoice = (nodeId: NodeId, wishes: InvoiceWishes): Promise<string> =>
    network.control('issueInvoice', nodeId, wishes);
  const makeInvoiceOf =
    (nodeId: NodeId) =>
    (amountMsat: bigint, description: string): Promise<string> =>
      issueInvoice(nodeId, {
        ...TRANSFER_INVOICE,
        amountMsat: msat(amountMsat),
        description,
        nonce: nonce(),
      });
  return { issueInvoice, makeInvoiceOf };
}

/** The simulated network of another process. @throws UsageError when its graph differs from ours */
function openShared(
  link: SharedLink,
  { graph: source, seed, sharedNetwork }: StartOptions,
  { graph, log, onDied }: NetworkDependencies,
): OpenedNetwork {
  if (graphHash(graph) !== link.graph) {
    throw new UsageError(
      `--graph ${source} --seed ${seed} is not the graph of the simulated network at ${formatHostPort(sharedNetwork!)}: ` +
        'daemons, solvers and the network need the same --graph and --seed',
    );
  }
  const onAway = (why: string | undefined): void =>
    log.unusual(why ?? 'reconnected to the simulated network; resending the HTLCs that have no outcome');
  const network = link.open({ onDied, onAway });
  const { issueInvoice, makeInvoiceOf } = invoicesOn(network);
  return { ...forAll(network), issueInvoice, makeInvoice: makeInvoiceOf(link.nodeId) };
}

/** Whether the error reports a damaged file of the simulated network: its journal, or the database of its issuers. */
function isDamage(error: unknown): error is Error {
  const { problem, data } = error as { problem?: unknown; data?: { problem?: unknown } };
  return error instanceof Error && (problem === 'corrupt' || data?.problem === 'corrupt');
}

function openNone({ chain }: StartOptions, { ownNodeId }: NetworkDependencies): NetworkPort {
  return new NoneNetwork({ nodeId: ownNodeId, chainHash: CHAIN_HASHES[chain] });
}

/**
 * The peer network. By itself, it connects only to the peers that the options name. It accepts connections only if the
 * options name a listening address. Unless the user selected a graph, gossip from peers is stored in a file, which the
 * next start reads.
 */
async function openWire(
  options: StartOptions,
  { graph, log, publish, secretKey }: NetworkDependencies,
): Promise<NetworkPort> {
  const store = options.graph === 'none' ? await openGossipStore(options, graph, log) : undefined;
  const network = openPeerNetwork({
    secretKey,
    chainHash: CHAIN_HASHES[options.chain],
    graph,
    graphChanged: publish,
    ...(store !== undefined && { gossipStore: store }),
    ...(options.chainSource !== undefined && { chainSource: openChainSource(options.chainSource) }),
    ...(options.allowPrivateAddresses !== undefined && {
      allowPrivateAddresses: options.allowPrivateAddresses,
    }),
    log,
  });
  if (graph.channelCount > 0) publish();
  try {
    if (options.listen !== undefined) await network.listen(options.listen);
  } catch (error) {
    await network.close();
    throw error;
  }
  for (const peer of options.connect) network.keepConnected(peer);
  return network;
}

/**
 * Opens the gossip file. If the file cannot be opened, logs this and returns undefined; the graph is then learned from
 * peers again.
 * @throws FulguriteError graphSource when the version of the file is not supported
 */
async function openGossipStore(
  { dataDirectory, chain }: StartOptions,
  graph: ChannelGraph,
  log: Log,
): Promise<OwnGossipStore | undefined> {
  const path = join(dataDirectory, `gossip_store.${chain}`);
  try {
    const store = await OwnGossipStore.open(path, graph, log);
    log.info(`${path}: ${graph.channelCount} channels`);
    return store;
  } catch (error) {
    if (error instanceof FulguriteError) throw error;
    log.unusual(`cannot store gossip: ${(error as Error).message}`);
    return undefined;
  }
}

function openChainSource(options: ChainSourceOptions): ChainSource {
  return options.kind === 'esplora' ? new Esplora(options.url) : new Bitcoind(options);
}
