/**
 * The public channel graph as columns: one typed array per attribute. Each column is indexed by node, by channel, or by
 * direction index, which is 2 * channel + direction. Direction 0 leaves node1, the lexicographically smaller id (BOLT
 * 7).
 *
 * Columns may be longer than needed; entries beyond `nodeCount` and `channelCount` are meaningless. Columns are
 * replaced when they grow, so read them from the graph after each change and do not keep them. A node keeps its index
 * until the graph takes over the content of another graph (`adopt`). A node of degree 0 does not belong to the graph.
 * Channel indexes stay dense: when a channel is removed, the last one moves into its place.
 *
 * Memory: 24 bytes per channel, 33 per direction, 37 per node, and the two hash tables. 500,000 channels and 170,000
 * nodes take about 60 MB, or up to twice that if columns had to grow, because they grow by doubling.
 */

import { ScidTable } from './graph/scid-table.ts';
import type { Msat } from './msat.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdFromBytes, nodeIdToBytes } from './node-id.ts';
import { compareNodeIds, NodeTable } from './node-table.ts';
import type { InboundFee, WirePolicy } from './policy.ts';
import type { Direction, ShortChannelId } from './short-channel-id.ts';

/** This bit of `policyFlags` means that the direction has a policy. */
export const POLICY_KNOWN = 1;

/** This bit of `policyFlags` means that the direction is not disabled. */
export const POLICY_ENABLED = 2;

/** Maximum number of channels. Adding more throws. */
export const MAX_CHANNELS = 2 ** 24;

/** `channel_flags` of a channel_update (BOLT 7): bit 0 is the direction, bit 1 means disabled. */
const CHANNEL_FLAG_DISABLED = 2;
/** `message_flags` (BOLT 7): bit 0 must_be_one, which means that htlc_maximum_msat is present. */
const MESSAGE_FLAG_HTLC_MAXIMUM = 1;

/** A policy as gossiped, with the other fields of its update (BOLT 7, `channel_update`). */
export interface ChannelPolicy extends WirePolicy {
  /** UNIX time of the update in seconds. */
  readonly timestamp: number;
  readonly messageFlags: number;
  readonly channelFlags: number;
}

/** A policy to set. Absent flags are derived from the direction and `enabled`. An absent timestamp is 0. */
export type PolicyToSet = WirePolicy & Partial<Omit<ChannelPolicy, keyof WirePolicy>>;

/** A node's own description (BOLT 7 node_announcement). */
export interface AnnouncedNode {
  readonly timestamp: number;
  /** 32 bytes, usually UTF-8 padded with zeros. The node chooses it, so it proves nothing. */
  readonly alias: Uint8Array;
  /** Red, green, blue. */
  readonly color: Uint8Array;
  /** Feature bits, big-endian. */
  readonly features: Uint8Array;
  /** Address descriptors in wire form. `parseNodeAddresses` reads them. */
  readonly addresses: Uint8Array;
}

/** One attribute of all nodes, channels or directions. */
export type Column = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

interface ColumnType<T extends Column> {
  readonly BYTES_PER_ELEMENT: number;
  new (content: number | SharedArrayBuffer): T;
}

function grown<T extends Column>(column: T, length: number): T {
  const next = new (column.constructor as new (length: number) => T)(length);
  next.set(column as never);
  return next;
}

/**
 * The public channel graph. Its columns may be read at any time, but once the graph is built, only its methods may
 * change them.
 */
export class ChannelGraph {
  channelCount = 0;
  /** Increases when channels are added or removed. */
  topologyVersion = 0;
  /** Increases with every change of a channel, a policy or an announcement. */
  version = 0;

  /** Number of channels of each node. */
  nodeDegree: Uint32Array;

  shortChannelIds: BigUint64Array;
  capacityMsat: BigUint64Array;
  node1: Uint32Array;
  node2: Uint32Array;

  policyFlags: Uint8Array;
  htlcMinimumMsat: BigUint64Array;
  htlcMaximumMsat: BigUint64Array;
  feeBaseMsat: Uint32Array;
  feeProportionalMillionths: Uint32Array;
  cltvExpiryDelta: Uint16Array;
  policyTimestamp: Uint32Array;
  messageFlags: Uint8Array;
  channelFlags: Uint8Array;

  private nodes: NodeTable;
  private scids: ScidTable;
  private announcementOf = new Map<number, AnnouncedNode>();
  private featuresOf = new Map<number, Uint8Array>();
  private readonly dying = new Map<ShortChannelId, number | undefined>();
  /** Discounts by a key: twice the short channel id, plus the direction. */
  private readonly discounts = new Map<bigint, InboundFee>();
  private adjacencyVersion = -1;
  private adjacencyStart = new Uint32Array(1);
  private adjacency = new Uint32Array(0);

  /**
   * Creates an empty graph. The expected sizes only avoid reallocation.
   * @param isShared whether to put the columns in shared memory, so that other threads can read them without a copy. A
   *   column that grows beyond the expected size leaves it.
   */
  constructor(expectedNodes = 1024, expectedChannels = 4096, isShared = false) {
    const column = <T extends Column>(type: ColumnType<T>, length: number): T =>
      isShared ? new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT)) : new type(length);
    this.nodes = new NodeTable(expectedNodes, column(Uint8Array, expectedNodes * NODE_ID_BYTES));
    this.nodeDegree = new Uint32Array(expectedNodes);
    this.shortChannelIds = column(BigUint64Array, expectedChannels);
    this.scids = new ScidTable(this.shortChannelIds);
    this.capacityMsat = column(BigUint64Array, expectedChannels);
    this.node1 = column(Uint32Array, expectedChannels);
    this.node2 = column(Uint32Array, expectedChannels);
    this.policyFlags = column(Uint8Array, expectedChannels * 2);
    this.htlcMinimumMsat = column(BigUint64Array, expectedChannels * 2);
    this.htlcMaximumMsat = column(BigUint64Array, expectedChannels * 2);
    this.feeBaseMsat = column(Uint32Array, expectedChannels * 2);
    this.feeProportionalMillionths = column(Uint32Array, expectedChannels * 2);
    this.cltvExpiryDelta = column(Uint16Array, expectedChannels * 2);
    this.policyTimestamp = column(Uint32Array, expectedChannels * 2);
    this.messageFlags = new Uint8Array(expectedChannels * 2);
    this.channelFlags = new Uint8Array(expectedChannels * 2);
  }

  /** Number of node indexes in use, including nodes of degree 0. */
  get nodeCount(): number {
    return this.nodes.count;
  }

  /** Node ids, 33 bytes per index. */
  get nodeIds(): Uint8Array {
    return this.nodes.ids;
  }

  /** Node announcements by node index. */
  get announcements(): ReadonlyMap<number, AnnouncedNode> {
    return this.announcementOf;
  }

  /** Feature bits of channel announcements by channel index. Channels without feature bits are absent. */
  get channelFeatures(): ReadonlyMap<number, Uint8Array> {
    return this.featuresOf;
  }

  /** Index of a node. -1 if unknown. Nodes of degree 0 are found too. */
  nodeIndex(id: NodeId): number {
    return this.nodes.find(nodeIdToBytes(id), 0);
  }

  /** As `nodeIndex`, for the 33 bytes at `offset`. */
  nodeIndexOfBytes(bytes: Uint8Array, offset = 0): number {
    return this.nodes.find(bytes, offset);
  }

  /** Index of the node whose 33-byte id is at `offset`. Adds the node if it is unknown. */
  internNode(bytes: Uint8Array, offset = 0): number {
    const index = this.nodes.intern(bytes, offset);
    if (index >= this.nodeDegree.length) this.nodeDegree = grown(this.nodeDegree, index * 2 + 1);
    return index;
  }

  /** Id of a node. @throws RangeError when there is no such node. */
  nodeId(index: number): NodeId {
    if (!(index >= 0 && index < this.nodeCount)) throw new RangeError(`no node ${index}`);
    return nodeIdFromBytes(this.nodeIds.subarray(index * NODE_ID_BYTES, (index + 1) * NODE_ID_BYTES));
  }

  /** Index of a channel. -1 if unknown. */
  channelIndex(scid: bigint): number {
    return this.scids.find(scid);
  }

  /**
   * Adds a channel without policies and returns its index.
   * @throws RangeError when the id is known or not a u64, when an end is unknown, when `node1` is not the
   *   lexicographically smaller end, when the capacity is not a u64, or when there are too many channels.
   */
  addChannel(
    scid: bigint,
    node1: number,
    node2: number,
    capacityMsat: bigint,
    features?: Uint8Array,
  ): number {
    const ids = this.nodeIds;
    if (!(node1 >= 0 && node1 < this.nodeCount && node2 >= 0 && node2 < this.nodeCount)) {
      throw new RangeError(`channel ${scid} between unknown nodes ${node1}, ${node2}`);
    }
    if (compareNodeIds(ids, node1 * NODE_ID_BYTES, ids, node2 * NODE_ID_BYTES) >= 0) {
      throw new RangeError(`channel ${scid}: the ends are not in ascending order`);
    }
    if (BigInt.asUintN(64, scid) !== scid) throw new RangeError(`not a short channel id: ${scid}`);
    if (BigInt.asUintN(64, capacityMsat) !== capacityMsat) {
      throw new RangeError(`invalid capacity in msat: ${capacityMsat}`);
    }
    if (this.scids.find(scid) !== -1) throw new RangeError(`channel ${scid} already exists`);
    if (this.channelCount >= MAX_CHANNELS) throw new RangeError(`more than ${MAX_CHANNELS} channels`);
    const channel = this.channelCount++;
    if (channel >= this.node1.length) this.growChannels();
    this.shortChannelIds[channel] = scid;
    this.capacityMsat[channel] = capacityMsat;
    this.node1[channel] = node1;
    this.node2[channel] = node2;
    this.clearDirection(channel * 2);
    this.clearDirection(channel * 2 + 1);
    if (features !== undefined && features.length > 0) this.featuresOf.set(channel, features);
    this.nodeDegree[node1]!++;
    this.nodeDegree[node2]!++;
    this.scids.set(channel);
    this.topologyVersion++;
    this.version++;
    return channel;
  }

  /** Channels whose funding is spent by a close or a splice. They stay in the graph for some more blocks. */
  get dyingChannels(): Pick<ReadonlySet<ShortChannelId>, 'has' | 'size'> & Iterable<ShortChannelId> {
    const { dying } = this;
    return { has: (scid) => dying.has(scid), size: dying.size, [Symbol.iterator]: () => dying.keys() };
  }

  /**
   * Height of the block in which the funding of a dying channel was spent. Undefined if the graph source does not
   * report it.
   */
  spentHeight(shortChannelId: ShortChannelId): number | undefined {
    return this.dying.get(shortChannelId);
  }

  /** Records that a channel's funding is spent. @throws RangeError when there is no such channel. */
  setDying(channel: number, spentHeight?: number): void {
    this.checkChannel(channel);
    const scid = this.shortChannelIds[channel]! as ShortChannelId;
    this.dying.set(scid, spentHeight ?? this.dying.get(scid));
    this.version++;
  }

  /** Sets one direction's policy. @throws RangeError when there is no such channel. */
  setPolicy(channel: number, direction: Direction, policy: PolicyToSet): void {
    this.checkChannel(channel);
    const directionIndex = channel * 2 + direction;
    this.policyFlags[directionIndex] = POLICY_KNOWN | (policy.enabled ? POLICY_ENABLED : 0);
    this.htlcMinimumMsat[directionIndex] = policy.htlcMinimumMsat;
    this.htlcMaximumMsat[directionIndex] = policy.htlcMaximumMsat;
    this.feeBaseMsat[directionIndex] = policy.feeBaseMsat;
    this.feeProportionalMillionths[directionIndex] = policy.feeProportionalMillionths;
    this.cltvExpiryDelta[directionIndex] = policy.cltvExpiryDelta;
    this.policyTimestamp[directionIndex] = policy.timestamp ?? 0;
    this.messageFlags[directionIndex] = policy.messageFlags ?? MESSAGE_FLAG_HTLC_MAXIMUM;
    this.channelFlags[directionIndex] =
      policy.channelFlags ?? direction | (policy.enabled ? 0 : CHANNEL_FLAG_DISABLED);
    this.version++;
  }

  /**
   * The inbound fee published with the policy of a direction, if its base or its rate is a discount. The direction's
   * start node applies it to amounts that arrive over the same channel.
   */
  inboundDiscount(scid: bigint, direction: Direction): InboundFee | undefined {
    return this.discounts.get(2n * scid + BigInt(direction));
  }

  /** Whether any node grants a discount. */
  get hasInboundDiscounts(): boolean {
    return this.discounts.size > 0;
  }

  /** Sets a discount, or removes it if `fee` is undefined. @throws RangeError when there is no such channel. */
  setInboundDiscount(channel: number, direction: Direction, fee: InboundFee | undefined): void {
    this.checkChannel(channel);
    const key = 2n * this.shortChannelIds[channel]! + BigInt(direction);
    if (fee === undefined) this.discounts.delete(key);
    else this.discounts.set(key, fee);
  }

  /** Sets a node's announcement. @throws RangeError when there is no such node. */
  setAnnouncement(node: number, announcement: AnnouncedNode): void {
    if (!(node >= 0 && node < this.nodeCount)) throw new RangeError(`no node ${node}`);
    this.announcementOf.set(node, announcement);
    this.version++;
  }

  /**
   * Removes a channel. The last channel moves into its index. A node that loses its last channel also loses its
   * announcement, because BOLT 7 requires forgetting such nodes.
   * @throws RangeError when there is no such channel.
   */
  removeChannel(channel: number): void {
    this.checkChannel(channel);
    this.scids.delete(this.shortChannelIds[channel]!);
    this.dying.delete(this.shortChannelIds[channel]! as ShortChannelId);
    for (const direction of [0, 1] as const) this.setInboundDiscount(channel, direction, undefined);
    for (const node of [this.node1[channel]!, this.node2[channel]!]) {
      this.nodeDegree[node]!--;
      if (this.nodeDegree[node] === 0) this.announcementOf.delete(node);
    }
    const last = --this.channelCount;
    this.featuresOf.delete(channel);
    if (channel !== last) this.moveChannel(last, channel);
    this.topologyVersion++;
    this.version++;
  }

  /**
   * Takes over the content of a different graph, which must not be used afterwards. With this, a graph source can start
   * over while other code holds this object. Indexes change, and both version numbers increase.
   */
  adopt(other: ChannelGraph): void {
    const version = Math.max(this.version, other.version) + 1;
    const topologyVersion = Math.max(this.topologyVersion, other.topologyVersion) + 1;
    Object.assign(this, other, { version, topologyVersion, adjacencyVersion: -1 });
  }

  /** Indexes of the channels of a node. Valid until channels are added or removed. */
  channelsOf(node: number): Uint32Array {
    if (!(node >= 0 && node < this.nodeCount)) return this.adjacency.subarray(0, 0);
    if (this.adjacencyVersion !== this.topologyVersion || this.adjacencyStart.length <= node + 1) {
      this.buildAdjacency();
    }
    return this.adjacency.subarray(this.adjacencyStart[node]!, this.adjacencyStart[node + 1]!);
  }

  /** The policy of a direction, given its index (2 * channel + direction). `undefined` if unknown. */
  policy(directionIndex: number): ChannelPolicy | undefined {
    if (!(directionIndex >= 0 && directionIndex < this.channelCount * 2)) return undefined;
    const flags = this.policyFlags[directionIndex]!;
    if ((flags & POLICY_KNOWN) === 0) return undefined;
    return {
      enabled: (flags & POLICY_ENABLED) !== 0,
      htlcMinimumMsat: this.htlcMinimumMsat[directionIndex]! as Msat,
      htlcMaximumMsat: this.htlcMaximumMsat[directionIndex]! as Msat,
      feeBaseMsat: this.feeBaseMsat[directionIndex]!,
      feeProportionalMillionths: this.feeProportionalMillionths[directionIndex]!,
      cltvExpiryDelta: this.cltvExpiryDelta[directionIndex]!,
      timestamp: this.policyTimestamp[directionIndex]!,
      messageFlags: this.messageFlags[directionIndex]!,
      channelFlags: this.channelFlags[directionIndex]!,
    };
  }

  private checkChannel(channel: number): void {
    if (!(channel >= 0 && channel < this.channelCount)) throw new RangeError(`no channel ${channel}`);
  }

  private clearDirection(directionIndex: number): void {
    this.policyFlags[directionIndex] = 0;
    this.htlcMinimumMsat[directionIndex] = 0n;
    this.htlcMaximumMsat[directionIndex] = 0n;
    this.feeBaseMsat[directionIndex] = 0;
    this.feeProportionalMillionths[directionIndex] = 0;
    this.cltvExpiryDelta[directionIndex] = 0;
    this.policyTimestamp[directionIndex] = 0;
    this.messageFlags[directionIndex] = 0;
    this.channelFlags[directionIndex] = 0;
  }

  private moveChannel(from: number, to: number): void {
    for (const column of [this.shortChannelIds, this.capacityMsat, this.node1, this.node2]) {
      column.copyWithin(to, from, from + 1);
    }
    for (const column of this.directionColumns()) column.copyWithin(to * 2, from * 2, from * 2 + 2);
    this.scids.set(to);
    const features = this.featuresOf.get(from);
    if (features === undefined) return;
    this.featuresOf.delete(from);
    this.featuresOf.set(to, features);
  }

  private directionColumns(): Column[] {
    return [
      this.policyFlags,
      this.htlcMinimumMsat,
      this.htlcMaximumMsat,
      this.feeBaseMsat,
      this.feeProportionalMillionths,
      this.cltvExpiryDelta,
      this.policyTimestamp,
      this.messageFlags,
      this.channelFlags,
    ];
  }

  private growChannels(): void {
    const channels = Math.max(16, this.node1.length * 2);
    const directionCount = channels * 2;
    this.shortChannelIds = grown(this.shortChannelIds, channels);
    this.scids.readFrom(this.shortChannelIds);
    this.capacityMsat = grown(this.capacityMsat, channels);
    this.node1 = grown(this.node1, channels);
    this.node2 = grown(this.node2, channels);
    this.policyFlags = grown(this.policyFlags, directionCount);
    this.htlcMinimumMsat = grown(this.htlcMinimumMsat, directionCount);
    this.htlcMaximumMsat = grown(this.htlcMaximumMsat, directionCount);
    this.feeBaseMsat = grown(this.feeBaseMsat, directionCount);
    this.feeProportionalMillionths = grown(this.feeProportionalMillionths, directionCount);
    this.cltvExpiryDelta = grown(this.cltvExpiryDelta, directionCount);
    this.policyTimestamp = grown(this.policyTimestamp, directionCount);
    this.messageFlags = grown(this.messageFlags, directionCount);
    this.channelFlags = grown(this.channelFlags, directionCount);
  }

  /** Lists the channels of each node (counting sort), in one pass over the nodes and one over the channels. */
  private buildAdjacency(): void {
    const { nodeCount, channelCount, node1, node2 } = this;
    const start = new Uint32Array(nodeCount + 1);
    for (let node = 0; node < nodeCount; node++) start[node + 1] = start[node]! + this.nodeDegree[node]!;
    const adjacency = new Uint32Array(channelCount * 2);
    const next = start.slice(0, nodeCount);
    for (let channel = 0; channel < channelCount; channel++) {
      adjacency[next[node1[channel]!]!++] = channel;
      adjacency[next[node2[channel]!]!++] = channel;
    }
    this.adjacencyStart = start;
    this.adjacency = adjacency;
    this.adjacencyVersion = this.topologyVersion;
  }
}
