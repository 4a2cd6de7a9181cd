/**
 * A channel graph as records that create and change it. Copies that apply the same records in the same order are equal
 * column by column. Their indexes of nodes and channels are equal too, which matters because indexes decide between
 * routes of equal cost.
 *
 * A record refers to a node by its index. Nodes get their indexes in the order of the records, so all copies agree.
 * Records are absolute. A record about a removed channel, or one that adds a known channel, has no effect in any copy.
 * A channel with wrong ends or capacity is closed and announced again.
 */
import { asList, fromList, membersOf } from '../as-list.ts';
import type { ChannelGraph, ChannelPolicy } from '../channel-graph.ts';
import { NODE_ID_BYTES } from '../node-id.ts';
import type { Direction } from '../short-channel-id.ts';

/** The members of a policy, in the order used in a record. */
const POLICY_MEMBERS = membersOf<ChannelPolicy>()(
  'enabled',
  'htlcMinimumMsat',
  'htlcMaximumMsat',
  'feeBaseMsat',
  'feeProportionalMillionths',
  'cltvExpiryDelta',
  'timestamp',
  'messageFlags',
  'channelFlags',
);
type PolicyValues = readonly ChannelPolicy[keyof ChannelPolicy][];

/** One change of the graph. `node` numbers are node indexes; amounts are in msat. */
export type GraphRecord =
  /** Ids of the nodes that get the next indexes, 33 bytes each. */
  | readonly [kind: 'nodes', ids: Uint8Array]
  | readonly [
      kind: 'channel',
      shortChannelId: bigint,
      node1: number,
      node2: number,
      capacityMsat: bigint,
      features: Uint8Array | null,
    ]
  | readonly [
      kind: 'policy',
      shortChannelId: bigint,
      direction: Direction,
      /** In the order of `POLICY_MEMBERS`. */
      ...policy: PolicyValues,
    ]
  | readonly [kind: 'closed', shortChannelId: bigint]
  | readonly [kind: 'dying', shortChannelId: bigint]
  /** A node's announcement (`AnnouncedNode`). */
  | readonly [
      kind: 'said',
      node: number,
      timestamp: number,
      alias: Uint8Array,
      color: Uint8Array,
      features: Uint8Array,
      addresses: Uint8Array,
    ]
  /** Marks that the first graph is complete. Before this record, a copy has only a part of it. */
  | readonly [kind: 'whole'];

const KINDS: ReadonlySet<string> = new Set([
  'nodes',
  'channel',
  'policy',
  'closed',
  'dying',
  'said',
  'whole',
] satisfies GraphRecord[0][]);

/** Whether a record of a log is about the graph. */
export function isGraphRecord(record: readonly [kind: string, ...unknown[]]): record is GraphRecord {
  return KINDS.has(record[0]);
}

/** Applies a record. @throws RangeError if it does not fit the graph; TypeError for a member of the wrong type */
export function applyGraphRecord(graph: ChannelGraph, record: GraphRecord): void {
  switch (record[0]) {
    case 'nodes':
      for (let at = 0; at + NODE_ID_BYTES <= record[1].length; at += NODE_ID_BYTES) {
        graph.internNode(record[1], at);
      }
      return;
    case 'channel':
      addChannel(graph, record);
      return;
    case 'policy':
      setPolicy(graph, record);
      return;
    case 'closed':
    case 'dying': {
      const channel = graph.channelIndex(record[1]);
      if (channel < 0) return;
      if (record[0] === 'closed') graph.removeChannel(channel);
      else graph.setDying(channel);
      return;
    }
    case 'said': {
      const [, node, timestamp, alias, color, features, addresses] = record;
      if (!(node < graph.nodeCount && graph.nodeDegree[node]! > 0)) return;
      const own = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
      const announcement = { alias: own(alias), color: own(color), features: own(features) };
      graph.setAnnouncement(node, { timestamp, ...announcement, addresses: own(addresses) });
    }
  }
}

function addChannel(
  graph: ChannelGraph,
  [, scid, node1, node2, capacityMsat, features]: ChannelRecord,
): void {
  if (graph.channelIndex(scid) >= 0) return;
  graph.addChannel(
    scid,
    node1,
    node2,
    capacityMsat,
    features === null ? undefined : Uint8Array.from(features),
  );
}

function setPolicy(graph: ChannelGraph, [, scid, direction, ...policy]: PolicyRecord): void {
  const channel = graph.channelIndex(scid);
  if (channel >= 0) graph.setPolicy(channel, direction, fromList(POLICY_MEMBERS, policy));
}

type ChannelRecord = Extract<GraphRecord, readonly ['channel', ...unknown[]]>;
type PolicyRecord = Extract<GraphRecord, readonly ['policy', ...unknown[]]>;

/** The policy of a direction as a record. Undefined if the direction has no policy. */
export function policyRecord(graph: ChannelGraph, directionIndex: number): PolicyRecord | undefined {
  const policy = graph.policy(directionIndex);
  if (policy === undefined) return undefined;
  const scid = graph.shortChannelIds[directionIndex >> 1]!;
  const direction = (directionIndex & 1) as Direction;
  return ['policy', scid, direction, ...(asList(POLICY_MEMBERS, policy) as PolicyValues)];
}

/** Records that rebuild the graph from an empty one, with all indexes unchanged. O(nodes + channels). */
export function* recordsOf(graph: ChannelGraph): Generator<GraphRecord, void> {
  const { nodeCount, channelCount } = graph;
  yield ['nodes', graph.nodeIds.slice(0, nodeCount * NODE_ID_BYTES)];
  for (let channel = 0; channel < channelCount; channel++) {
    const [node1, node2] = [graph.node1[channel]!, graph.node2[channel]!];
    yield channelRecord(graph, channel, node1, node2);
    yield* policiesOf(graph, channel);
  }
  for (const scid of graph.dyingChannels) yield ['dying', scid];
  for (const [node, said] of graph.announcements) {
    yield ['said', node, said.timestamp, said.alias, said.color, said.features, said.addresses];
  }
}

/** The record of a channel. `node1` and `node2` are the indexes of its ends in the copy that gets the record. */
export function channelRecord(
  graph: ChannelGraph,
  channel: number,
  node1: number,
  node2: number,
): GraphRecord {
  const [scid, capacityMsat] = [graph.shortChannelIds[channel]!, graph.capacityMsat[channel]!];
  return ['channel', scid, node1, node2, capacityMsat, graph.channelFeatures.get(channel) ?? null];
}

/** The records of a channel's policies. */
export function* policiesOf(graph: ChannelGraph, channel: number): Generator<GraphRecord, void> {
  for (const direction of [0, 1]) {
    const record = policyRecord(graph, 2 * channel + direction);
    if (record !== undefined) yield record;
  }
}
