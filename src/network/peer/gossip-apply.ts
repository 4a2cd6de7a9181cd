/**
 * What gossip means for the graph (BOLT 7, "Rebroadcasting" and "Pruning the Network View"): which messages are
 * news, and how a genuine one changes the graph.
 *
 * A channel's capacity stands in its funding output, which we do not see: we take the largest htlc_maximum_msat
 * that either end has promised so far, which is at most the capacity.
 */

import { equalBytes } from '../../bolt/bytes.ts';
import {
  type ChannelAnnouncement,
  type ChannelUpdate,
  directionOf,
  isDisabled,
  type NodeAnnouncement,
} from '../../bolt/gossip-messages.ts';
import { type ChannelGraph, POLICY_KNOWN } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import { compareNodeIds } from '../../model/node-table.ts';
import { GOSSIP_DELAY_S, MAX_FUTURE_S, MAX_GOSSIP_CHANNELS, STALE_AFTER_S } from './limits.ts';

/** All bitcoin there can be: no honest limit is above it. */
const MAX_MSAT = 21_000_000n * 100_000_000n * 1000n;

export class GossipGraph {
  readonly graph: ChannelGraph;
  private readonly chainHash: Uint8Array;
  private readonly nowSeconds: () => number;
  /** Channels without any update at the last pruning. */
  private silent = new Set<bigint>();
  /** Timestamp of the newest update; 0 when there is none. */
  private newest = 0;

  constructor(graph: ChannelGraph, chainHash: Uint8Array, nowSeconds: () => number) {
    this.graph = graph;
    this.chainHash = chainHash;
    this.nowSeconds = nowSeconds;
    for (let slot = 0; slot < graph.channelCount * 2; slot++) {
      this.newest = Math.max(this.newest, graph.policyTimestamp[slot]!);
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

  /** False when it is no news (any more), as with the next two. */
  addChannel(announcement: ChannelAnnouncement): boolean {
    if (!this.isNewChannel(announcement)) return false;
    const { graph } = this;
    const node1 = graph.internNode(announcement.nodeId1);
    const node2 = graph.internNode(announcement.nodeId2);
    graph.addChannel(announcement.shortChannelId, node1, node2, 0n, announcement.features.slice());
    return true;
  }

  setPolicy(update: ChannelUpdate): boolean {
    const { graph } = this;
    const channel = graph.channelIndex(update.shortChannelId);
    if (channel === -1 || !this.isNewUpdate(update)) return false;
    if (update.htlcMaximumMsat > graph.capacityMsat[channel]!) {
      graph.capacityMsat[channel] = update.htlcMaximumMsat;
    }
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
    this.newest = Math.max(this.newest, update.timestamp);
    return true;
  }

  /** Only nodes with a channel are kept: everything else could be announced without end. */
  setNode(announcement: NodeAnnouncement): boolean {
    const { graph } = this;
    const node = graph.nodeIndexOfBytes(announcement.nodeId);
    if (node === -1 || graph.nodeDegree[node] === 0 || !this.isNewNode(announcement)) return false;
    graph.setAnnouncement(node, {
      timestamp: announcement.timestamp,
      alias: announcement.alias.slice(),
      color: announcement.rgbColor.slice(),
      features: announcement.features.slice(),
      addresses: announcement.addresses.slice(),
    });
    return true;
  }

  /**
   * Removes channels of which no end has said anything for two weeks, and those that had no update at the last
   * pruning and have none now. @returns how many.
   */
  prune(): number {
    const { graph } = this;
    const oldest = this.nowSeconds() - STALE_AFTER_S;
    const silent = new Set<bigint>();
    let removed = 0;
    for (let channel = graph.channelCount - 1; channel >= 0; channel--) {
      const latest = Math.max(graph.policyTimestamp[channel * 2]!, graph.policyTimestamp[channel * 2 + 1]!);
      const scid = graph.shortChannelIds[channel]!;
      if (latest >= oldest) continue;
      if (latest === 0 && !this.silent.has(scid)) {
        silent.add(scid);
        continue;
      }
      graph.removeChannel(channel);
      removed++;
    }
    this.silent = silent;
    return removed;
  }

  private isTimely(timestamp: number): boolean {
    const now = this.nowSeconds();
    return timestamp <= now + MAX_FUTURE_S && timestamp >= now - STALE_AFTER_S;
  }
}
