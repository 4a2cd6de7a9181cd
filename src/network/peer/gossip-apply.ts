/**
 * What gossip means for the graph (BOLT 7, "Rebroadcasting" and "Pruning the Network View"): which messages are
 * news, and how a genuine one changes the graph.
 *
 * A channel's capacity stands in its funding output. Where no chain was asked it is unknown, and routes need a
 * number: we assume the largest htlc_maximum_msat that either end promises now, up to a bound, since promising
 * costs nothing.
 */

import { equalBytes } from '../../bolt/bytes.ts';
import {
  type ChannelAnnouncement,
  type ChannelUpdate,
  directionOf,
  isDisabled,
  type NodeAnnouncement,
} from '../../bolt/gossip-messages.ts';
import { parseNodeAnnouncement } from '../../gossip/stored-announcement.ts';
import { type ChannelGraph, POLICY_KNOWN } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import { compareNodeIds } from '../../model/node-table.ts';
import {
  GOSSIP_DELAY_S,
  MAX_ASSUMED_CAPACITY_MSAT,
  MAX_FUTURE_S,
  MAX_GOSSIP_CHANNELS,
  STALE_AFTER_S,
} from './limits.ts';

/** All bitcoin there can be: no honest limit is above it. */
const MAX_MSAT = 21_000_000n * 100_000_000n * 1000n;

/** Applies gossip whose signatures were checked to the graph. */
export class GossipGraph {
  readonly graph: ChannelGraph;
  private readonly chainHash: Uint8Array;
  private readonly nowSeconds: () => number;
  /** Told of channels that are gone. */
  onRemoved: (shortChannelIds: readonly bigint[]) => void = () => undefined;
  /** Channels whose capacity is known. */
  private readonly checked = new Set<bigint>();
  /** Channels without any update at the last pruning. */
  private silent = new Set<bigint>();
  /** Timestamp of the newest update; 0 when there is none. */
  private newest = 0;

  constructor(graph: ChannelGraph, chainHash: Uint8Array, nowSeconds: () => number) {
    this.graph = graph;
    this.chainHash = chainHash;
    this.nowSeconds = nowSeconds;
    const latest = nowSeconds() + MAX_FUTURE_S;
    for (let slot = 0; slot < graph.channelCount * 2; slot++) {
      // What was said in the future, by a clock that was wrong, must not keep out what is said now.
      if (graph.policyTimestamp[slot]! > latest) graph.policyTimestamp[slot] = 0;
      this.newest = Math.max(this.newest, graph.policyTimestamp[slot]!);
    }
    for (let channel = 0; channel < graph.channelCount; channel++) {
      if (graph.capacityMsat[channel] !== 0n) this.checked.add(graph.shortChannelIds[channel]!);
      else this.assumeCapacity(channel);
    }
  }

  /** Seconds since 1970 from which on peers may know what we do not: a while before the last we heard. */
  get unheardSince(): number {
    const now = this.nowSeconds();
    return this.newest === 0 ? now : Math.min(now, this.newest) - GOSSIP_DELAY_S;
  }

  isNewChannel({ chainHash, shortChannelId, nodeId1, nodeId2 }: ChannelAnnouncement): boolean {
    return (
      equalBytes(chainHash, this.chainHash) &&
      compareNodeIds(nodeId1, 0, nodeId2, 0) < 0 &&
      this.graph.channelIndex(shortChannelId) === -1 &&
      this.graph.channelCount < MAX_GOSSIP_CHANNELS
    );
  }

  /** Judged without the signature: newer than what is known, not from the future, and possible. */
  isNewUpdate(update: ChannelUpdate): boolean {
    const { timestamp, chainHash, shortChannelId, htlcMinimumMsat, htlcMaximumMsat } = update;
    if (!equalBytes(chainHash, this.chainHash) || !this.isTimely(timestamp)) return false;
    if (htlcMaximumMsat < htlcMinimumMsat || htlcMaximumMsat > MAX_MSAT) return false;
    const channel = this.graph.channelIndex(shortChannelId);
    if (channel === -1) return true;
    const slot = channel * 2 + directionOf(update);
    const isKnown = (this.graph.policyFlags[slot]! & POLICY_KNOWN) !== 0;
    return !isKnown || timestamp > this.graph.policyTimestamp[slot]!;
  }

  isNewNode({ nodeId, timestamp }: NodeAnnouncement): boolean {
    const known = this.graph.announcements.get(this.graph.nodeIndexOfBytes(nodeId));
    return (
      timestamp <= this.nowSeconds() + MAX_FUTURE_S && (known === undefined || timestamp > known.timestamp)
    );
  }

  knowsChannel(shortChannelId: bigint): boolean {
    return this.graph.channelIndex(shortChannelId) !== -1;
  }

  /** Whether the channel is known, what both ends ask for, and what they say about themselves. */
  isComplete(shortChannelId: bigint): boolean {
    const { announcements, node1, node2, policyFlags } = this.graph;
    const channel = this.graph.channelIndex(shortChannelId);
    if (channel === -1 || policyFlags[channel * 2] === 0 || policyFlags[channel * 2 + 1] === 0) return false;
    return announcements.has(node1[channel]!) && announcements.has(node2[channel]!);
  }

  /** The node that signs updates of a known channel in this direction. */
  signerOf(shortChannelId: bigint, direction: number): Uint8Array | undefined {
    const { graph } = this;
    const channel = graph.channelIndex(shortChannelId);
    if (channel === -1) return undefined;
    const node = direction === 0 ? graph.node1[channel]! : graph.node2[channel]!;
    return graph.nodeIds.slice(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  }

  /**
   * False when it is no news (any more), as with the next two.
   * @param capacityMsat as the chain has it; undefined where nobody asked.
   */
  addChannel(announcement: ChannelAnnouncement, capacityMsat?: bigint): boolean {
    if (!this.isNewChannel(announcement)) return false;
    const { graph } = this;
    const node1 = graph.internNode(announcement.nodeId1);
    const node2 = graph.internNode(announcement.nodeId2);
    const { shortChannelId, features } = announcement;
    graph.addChannel(shortChannelId, node1, node2, capacityMsat ?? 0n, features.slice());
    if (capacityMsat !== undefined) this.checked.add(shortChannelId);
    return true;
  }

  setPolicy(update: ChannelUpdate): boolean {
    const { graph } = this;
    const channel = graph.channelIndex(update.shortChannelId);
    if (channel === -1 || !this.isNewUpdate(update)) return false;
    graph.setPolicy(channel, directionOf(update), {
      enabled: !isDisabled(update),
      htlcMinimumMsat: msat(update.htlcMinimumMsat),
      htlcMaximumMsat: msat(update.htlcMaximumMsat),
      feeBaseMsat: update.feeBaseMsat,
      feeProportionalMillionths: update.feeProportionalMillionths,
      cltvExpiryDelta: update.cltvExpiryDelta,
      timestamp: update.timestamp,
      messageFlags: update.messageFlags,
      channelFlags: update.channelFlags,
    });
    if (!this.checked.has(update.shortChannelId)) this.assumeCapacity(channel);
    this.newest = Math.max(this.newest, update.timestamp);
    return true;
  }

  /** Only nodes with a channel are kept: everything else could be announced without end. */
  setNode(announcement: NodeAnnouncement, bytes: Uint8Array): boolean {
    const { graph } = this;
    const node = graph.nodeIndexOfBytes(announcement.nodeId);
    if (node === -1 || graph.nodeDegree[node] === 0 || !this.isNewNode(announcement)) return false;
    const stored = parseNodeAnnouncement(new Uint8Array(bytes));
    if (stored !== undefined) graph.setAnnouncement(node, stored);
    return stored !== undefined;
  }

  knowsNode(nodeId: Uint8Array): boolean {
    const node = this.graph.nodeIndexOfBytes(nodeId);
    return node !== -1 && this.graph.nodeDegree[node]! > 0;
  }

  /** Ids of all channels, as of now. */
  channelIds(): bigint[] {
    return [...this.graph.shortChannelIds.subarray(0, this.graph.channelCount)];
  }

  /** Forgets channels; those that are not known are passed over. */
  removeChannels(shortChannelIds: readonly bigint[]): void {
    const known = shortChannelIds.filter((id) => this.knowsChannel(id));
    for (const id of known) {
      this.graph.removeChannel(this.graph.channelIndex(id));
      this.checked.delete(id);
    }
    if (known.length > 0) this.onRemoved(known);
  }

  /** Forgets channels that were taken without asking the chain: whoever knows them tells them again. */
  removeUnchecked(): void {
    this.removeChannels(this.channelIds().filter((id) => !this.checked.has(id)));
  }

  /**
   * Removes channels of which an end has said nothing for two weeks: both must be there for the channel to work,
   * and they repeat themselves before that. Also those that had no update at the last pruning and have none now.
   * @returns how many.
   */
  prune(): number {
    const { graph } = this;
    const oldest = this.nowSeconds() - STALE_AFTER_S;
    const silent = new Set<bigint>();
    const gone: bigint[] = [];
    for (let channel = 0; channel < graph.channelCount; channel++) {
      const said = [channel * 2, channel * 2 + 1].map((slot) => graph.policyTimestamp[slot]!);
      const heard = said.filter((timestamp) => timestamp > 0);
      if (heard.length > 0 && Math.min(...heard) >= oldest) continue;
      const id = graph.shortChannelIds[channel]!;
      if (heard.length === 0 && !this.silent.has(id)) silent.add(id);
      else gone.push(id);
    }
    this.silent = silent;
    this.removeChannels(gone);
    return gone.length;
  }

  private assumeCapacity(channel: number): void {
    const { htlcMaximumMsat, capacityMsat } = this.graph;
    const [one, other] = [htlcMaximumMsat[channel * 2]!, htlcMaximumMsat[channel * 2 + 1]!];
    const promised = one > other ? one : other;
    capacityMsat[channel] = promised < MAX_ASSUMED_CAPACITY_MSAT ? promised : MAX_ASSUMED_CAPACITY_MSAT;
  }

  private isTimely(timestamp: number): boolean {
    const now = this.nowSeconds();
    return timestamp <= now + MAX_FUTURE_S && timestamp >= now - STALE_AFTER_S;
  }
}
