/**
 * The channel graph from the node's `listnodes` and `listchannels`. It is used if the node's gossip_store cannot be
 * read, because the file belongs to another user or is on another machine. On the main network the lists are tens of
 * megabytes, so they are read only once an hour. Routes do not depend on them for our own channels, which are listed
 * much more often.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelGraph } from '../../model/channel-graph.ts';
import { FulguriteError } from '../../model/errors.ts';
import { msat, U64_MAX } from '../../model/msat.ts';
import { nodeIdToBytes, parseNodeId } from '../../model/node-id.ts';
import { directionFrom } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type Members, NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';

const HOUR_MS = 3_600_000;
/** Timeout for one list in milliseconds. On a large network, a node needs some time to write it. */
const LIST_MS = 300_000;

/** A graph kept up to date from the node's lists. */
export class NodeGraph {
  readonly graph = new ChannelGraph();
  readonly #link: NodeLink;
  readonly #log: Log;
  readonly #closing = new AbortController();
  onChange: () => void = () => undefined;

  private constructor(link: NodeLink, log: Log) {
    this.#link = link;
    this.#log = log;
  }

  /** Reads the lists once. @throws NodeError; FulguriteError nodeAway */
  static async open(link: NodeLink, log: Log): Promise<NodeGraph> {
    const source = new NodeGraph(link, log);
    source.graph.adopt(await readGraph(link));
    return source;
  }

  /** Reads the lists again once an hour, until `close`. */
  async follow(everyMs = HOUR_MS): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.graph.adopt(await readGraph(this.#link));
        this.onChange();
      } catch (error) {
        if (!(error instanceof NodeError || error instanceof FulguriteError)) throw error;
        this.#log.unusual(`cannot update the graph, using the previous one: ${error.message}`);
      }
    }
  }

  close(): void {
    this.#closing.abort();
  }
}

async function readGraph(link: NodeLink): Promise<ChannelGraph> {
  const graph = new ChannelGraph();
  const channels = await link.call('listchannels', {}, { timeoutMs: LIST_MS });
  for (const row of channels.objects('channels')) addDirection(graph, row);
  const nodes = await link.call('listnodes', {}, { timeoutMs: LIST_MS });
  for (const row of nodes.objects('nodes')) announce(graph, row);
  return graph;
}

/** Adds one direction from its row. Skips rows that lack a required member. */
function addDirection(graph: ChannelGraph, row: Members): void {
  const source = parseNodeId(row.text('source') ?? '');
  const destination = parseNodeId(row.text('destination') ?? '');
  const shortChannelId = row.shortChannelId('short_channel_id');
  const capacityMsat = row.amount('amount_msat');
  if (source === undefined || destination === undefined || source === destination) return;
  if (shortChannelId === undefined || capacityMsat === undefined || !row.flag('public')) return;
  const direction = directionFrom(source, destination);
  let channel = graph.channelIndex(shortChannelId);
  if (channel < 0) {
    const [low, high] = direction === 0 ? [source, destination] : [destination, source];
    const ends = [low, high].map((id) => graph.internNode(nodeIdToBytes(id)));
    channel = graph.addChannel(shortChannelId, ends[0]!, ends[1]!, capacityMsat);
  }
  graph.setPolicy(channel, direction, {
    enabled: row.flag('active'),
    htlcMinimumMsat: row.amount('htlc_minimum_msat') ?? msat(0n),
    htlcMaximumMsat: row.amount('htlc_maximum_msat') ?? msat(U64_MAX),
    feeBaseMsat: row.number('base_fee_millisatoshi') ?? 0,
    feeProportionalMillionths: row.number('fee_per_millionth') ?? 0,
    cltvExpiryDelta: row.number('delay') ?? 0,
    timestamp: row.number('last_update') ?? 0,
  });
}

/** Adds a node's announcement, without addresses, because the attached node makes all connections. */
function announce(graph: ChannelGraph, row: Members): void {
  const nodeId = parseNodeId(row.text('nodeid') ?? '');
  const node = nodeId === undefined ? -1 : graph.nodeIndex(nodeId);
  const timestamp = row.number('last_timestamp');
  if (node < 0 || timestamp === undefined) return;
  graph.setAnnouncement(node, {
    timestamp,
    alias: Uint8Array.from(Buffer.from(row.text('alias') ?? '', 'utf8')).slice(0, ALIAS_BYTES),
    color: row.bytes('color'),
    features: row.bytes('features'),
    addresses: new Uint8Array(0),
  });
}

const ALIAS_BYTES = 32;
