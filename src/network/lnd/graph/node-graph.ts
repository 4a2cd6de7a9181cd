/**
 * The graph as LND knows it: the whole graph at the start (`DescribeGraph`), and each change when it happens
 * (`SubscribeChannelGraph`).
 *
 * The stream has no sequence numbers and replays nothing. So the whole graph is read again once the stream is open, and
 * changes are buffered until it has been read. This is repeated after each new connection, after each gap in the
 * stream, when a node raises its inbound fee, and once a day.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelGraph } from '../../../model/channel-graph.ts';
import { FulguriteError } from '../../../model/errors.ts';
import { MSAT_PER_SAT, msat } from '../../../model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../../model/node-id.ts';
import type { InboundFee } from '../../../model/policy.ts';
import { type Direction, type ShortChannelId, shortChannelIdParts } from '../../../model/short-channel-id.ts';
import type { Log } from '../../../rpc/log.ts';
import type { ChannelEdge, GraphTopologyUpdate, RoutingPolicy } from '../answers.ts';
import { LndError } from '../client/calls.ts';
import { keepStream } from '../client/kept-stream.ts';
import { isNodeTrouble, type LndConnection, type LndLink } from '../node-link.ts';
import type { LndTiming } from '../timing.ts';
import { encodeNodeAddresses } from './address-bytes.ts';
import { type DescribedNode, describedParts } from './described-graph.ts';
import { bytesOfBits } from './feature-bytes.ts';
import { discountIn, greatest, NO_INBOUND_FEE, positiveInboundFee, withInbound } from './inbound-fees.ts';

/** Number of parts read per turn of the event loop. */
const SLICE = 500;
/**
 * Maximum number of buffered changes while the whole graph is read. Further changes are lost until the graph is read
 * again.
 */
const MAX_KEPT = 100_000;
/** Short channel ids whose block height is at least this are aliases. */
const FIRST_ALIAS_BLOCK = 16_000_000;
const MAX_U16 = 0xffff;
const MAX_U32 = 0xffff_ffff;
const ALIAS_BYTES = 32;

/** Dependencies of the graph. */
export interface LndGraphOptions {
  readonly link: LndLink;
  readonly timing: LndTiming;
  readonly log: Log;
}

/** Keeps a graph in sync with LND's graph. */
export class LndGraph {
  readonly graph = new ChannelGraph();
  /** Called once for all changes within `publishMs`, and after the whole graph was read again. */
  onChange: () => void = () => undefined;
  /** Called for each channel whose policy changed. */
  onPolicy: (shortChannelId: ShortChannelId) => void = () => undefined;
  readonly #options: LndGraphOptions;
  readonly #closing = new AbortController();
  /** Changes received while the whole graph is being read; otherwise undefined. */
  #kept: GraphTopologyUpdate[] | undefined;
  #inbound = new InboundBook();
  #publishing: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  private constructor(options: LndGraphOptions) {
    this.#options = options;
  }

  /** Reads the whole graph. @throws FulguriteError nodeAway, notSupported, graphSource */
  static async open(options: LndGraphOptions): Promise<LndGraph> {
    const source = new LndGraph(options);
    try {
      await source.#readAll();
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof LndError)) throw error;
      throw new FulguriteError('graphSource', `LND's graph cannot be read: ${error.message}`);
    }
    return source;
  }

  /** Follows the changes, until `close`. */
  follow(): void {
    let isFirst = true;
    this.#unsubscribe = this.#options.link.onUp((connection) => {
      this.#subscribe(connection);
      // LND does not report the changes between the first reading and this subscription, so the graph is read again.
      if (!isFirst || this.graph.version > 0) void this.#readAgain(connection);
      isFirst = false;
    });
    void this.#readDaily();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#publishing);
    this.#unsubscribe?.();
  }

  // ---------------------------------------------------------------- reading

  async #readAll(): Promise<void> {
    this.#kept = [];
    try {
      const { link, timing } = this.#options;
      const bytes = await link.call<Uint8Array>('DescribeGraph', {}, timing.graphMs);
      const { graph, inbound } = await this.#built(bytes);
      this.graph.adopt(graph);
      this.#inbound = inbound;
    } finally {
      const kept = this.#kept ?? [];
      this.#kept = undefined;
      for (const update of kept) this.#apply(update);
    }
  }

  async #built(bytes: Uint8Array): Promise<{ graph: ChannelGraph; inbound: InboundBook }> {
    const graph = new ChannelGraph();
    const inbound = new InboundBook();
    const nodes: DescribedNode[] = [];
    const edges: ChannelEdge[] = [];
    let count = 0;
    for (const part of describedParts(bytes)) {
      if (++count % SLICE === 0) await turn();
      if (part.kind === 'node') nodes.push(part.node);
      else edges.push(part.edge);
    }
    for (const edge of edges) inbound.noteEdge(edge);
    for (const edge of edges) {
      if (++count % SLICE === 0) await turn();
      addEdge(graph, edge, inbound);
    }
    for (const node of nodes) {
      if (++count % SLICE === 0) await turn();
      announce(graph, node);
    }
    return { graph, inbound };
  }

  async #readAgain(connection: LndConnection): Promise<void> {
    try {
      await this.#readAll();
      this.onChange();
    } catch (error) {
      if (!isNodeTrouble(error) && !(error instanceof RangeError)) throw error;
      if (connection.isOpen && !this.#closing.signal.aborted) {
        this.#options.log.unusual(`cannot update the graph: ${error.message}`);
      }
    }
  }

  async #readDaily(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await sleep(this.#options.timing.graphAgainMs, undefined, { signal, ref: false }).catch(
        () => undefined,
      );
      if (signal.aborted) return;
      const { connection } = this.#options.link;
      if (connection !== undefined && this.#kept === undefined) await this.#readAgain(connection);
    }
  }

  // ---------------------------------------------------------------- changes

  #subscribe(connection: LndConnection): void {
    const { link, log } = this.#options;
    keepStream<GraphTopologyUpdate>(link, connection, 'SubscribeChannelGraph', {
      onMessage: (update) => {
        if (this.#kept === undefined) this.#apply(update);
        else if (this.#kept.length < MAX_KEPT) this.#kept.push(update);
      },
      onEnd: ({ message }) => log.info(`graph updates ended: ${message}`),
      onGap: () => void this.#readAgain(connection),
      onRefused: ({ message }) => log.unusual(`no graph updates: ${message}`),
    });
  }

  #apply({ channel_updates, closed_chans, node_updates }: GraphTopologyUpdate): void {
    for (const update of channel_updates) {
      const { advertising_node: from, connecting_node: to, routing_policy: policy } = update;
      const direction: Direction = from < to ? 0 : 1;
      const [node1_pub, node2_pub] = direction === 0 ? [from, to] : [to, from];
      const edge: ChannelEdge = {
        channel_id: update.chan_id,
        ...{ node1_pub, node2_pub, capacity: update.capacity },
        node1_policy: direction === 0 ? policy : null,
        node2_policy: direction === 1 ? policy : null,
      };
      if (this.#inbound.noteEdge(edge)) this.#markUp(from);
      addEdge(this.graph, edge, this.#inbound);
      this.onPolicy(BigInt(update.chan_id) as ShortChannelId);
    }
    for (const { chan_id } of closed_chans) {
      const channel = this.graph.channelIndex(BigInt(chan_id));
      if (channel >= 0) this.graph.removeChannel(channel);
    }
    const nowS = Math.floor(Date.now() / 1000);
    for (const { features, ...node } of node_updates) {
      announce(this.graph, { ...node, last_update: nowS, featureBits: Object.keys(features).map(Number) });
    }
    this.#publishing ??= setTimeout(() => {
      this.#publishing = undefined;
      this.onChange();
    }, this.#options.timing.publishMs);
  }

  /** Applies a node's increased inbound fee to all directions that leave the node, by reading the graph again. */
  #markUp(node: string): void {
    const { connection } = this.#options.link;
    this.#options.log.info(`${node} charges inbound fees: reloading the graph`);
    if (connection !== undefined) void this.#readAgain(connection);
  }
}

/** The largest positive inbound fee of each node that charges inbound fees. */
class InboundBook {
  readonly #of = new Map<string, InboundFee>();

  of(node: string): InboundFee {
    return this.#of.get(node) ?? NO_INBOUND_FEE;
  }

  /** Records the fees of an edge. True when a node's largest fee has increased. */
  noteEdge({ node1_pub, node2_pub, node1_policy, node2_policy }: ChannelEdge): boolean {
    const first = node1_policy !== null && this.#note(node1_pub, positiveInboundFee(node1_policy));
    const second = node2_policy !== null && this.#note(node2_pub, positiveInboundFee(node2_policy));
    return first || second;
  }

  #note(node: string, fee: InboundFee): boolean {
    const before = this.of(node);
    const now = greatest(before, fee);
    if (now.baseMsat === before.baseMsat && now.ppm === before.ppm) return false;
    this.#of.set(node, now);
    return true;
  }
}

/** Yields to other tasks of this thread. */
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Adds a channel with its policies, or sets the policies of an existing channel. Skips invalid edges. */
function addEdge(graph: ChannelGraph, edge: ChannelEdge, inbound: InboundBook): void {
  const shortChannelId = BigInt(edge.channel_id);
  if (shortChannelIdParts(shortChannelId).block >= FIRST_ALIAS_BLOCK) return;
  const [node1, node2] = [parseNodeId(edge.node1_pub), parseNodeId(edge.node2_pub)];
  if (node1 === undefined || node2 === undefined || node1 >= node2) return;
  const policies = [edge.node1_policy, edge.node2_policy] as const;
  let channel = graph.channelIndex(shortChannelId);
  if (channel < 0) {
    const [first, second] = [node1, node2].map((id: NodeId) => graph.internNode(nodeIdToBytes(id)));
    channel = graph.addChannel(shortChannelId, first!, second!, capacityOf(edge));
  }
  for (const direction of [0, 1] as const) {
    const policy = policies[direction];
    const fee = inbound.of(direction === 0 ? node1 : node2);
    if (policy !== null) setPolicy(graph, channel, direction, policy, fee);
  }
}

/**
 * The capacity in msat. LND reports 0 if it does not check funding outputs; the larger htlc_maximum of the two
 * directions is then used.
 */
function capacityOf({ capacity, node1_policy, node2_policy }: ChannelEdge): bigint {
  const told = BigInt(capacity) * MSAT_PER_SAT;
  if (told > 0n) return told;
  const maxima = [node1_policy, node2_policy].map((policy) => BigInt(policy?.max_htlc_msat ?? 0));
  return maxima[0]! > maxima[1]! ? maxima[0]! : maxima[1]!;
}

function setPolicy(
  graph: ChannelGraph,
  channel: number,
  direction: Direction,
  policy: RoutingPolicy,
  inbound: InboundFee,
): void {
  const maximum = BigInt(policy.max_htlc_msat);
  const fees = withInbound(Number(policy.fee_base_msat), Number(policy.fee_rate_milli_msat), inbound);
  if (fees.feeBaseMsat > MAX_U32 || fees.feeProportionalMillionths > MAX_U32) return;
  graph.setPolicy(channel, direction, {
    enabled: !policy.disabled,
    htlcMinimumMsat: msat(BigInt(policy.min_htlc)),
    // A very old update has no maximum.
    htlcMaximumMsat: msat(maximum === 0n ? graph.capacityMsat[channel]! : maximum),
    ...fees,
    cltvExpiryDelta: Math.min(policy.time_lock_delta, MAX_U16),
    timestamp: policy.last_update,
  });
  graph.setInboundDiscount(channel, direction, discountIn(policy));
}

function announce(graph: ChannelGraph, node: DescribedNode): void {
  const nodeId = parseNodeId(node.identity_key);
  const index = nodeId === undefined ? -1 : graph.nodeIndex(nodeId);
  // A node that never announced itself has no timestamp, and is skipped.
  if (index < 0 || node.last_update === 0) return;
  graph.setAnnouncement(index, {
    timestamp: node.last_update,
    alias: Uint8Array.from(Buffer.from(node.alias, 'utf8')).slice(0, ALIAS_BYTES),
    color: Uint8Array.from(Buffer.from(node.color.replace('#', ''), 'hex')),
    features: bytesOfBits(node.featureBits),
    addresses: encodeNodeAddresses(node.node_addresses.map(({ addr }) => addr)),
  });
}
