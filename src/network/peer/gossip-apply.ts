/**
 * What gossip means for the graph (BOLT 7, "Rebroadcasting" and "Pruning the Network View"): which messages are new,
 * and how a valid message changes the graph.
 *
 * The capacity of a channel is the amount of its funding output. Without a chain source it is unknown, but routes need
 * a number. We then assume the larger htlc_maximum_msat of the two ends, up to a limit, because anyone can announce any
 * number.
 */

import { equalBytes } from '../../bolt/bytes.ts';
import {
  type ChannelAnnouncement,
  type ChannelUpdate,
  directionOf,
  isDisabled,
  type NodeAnnouncement,
} from '../../bolt/peer/gossip-messages.ts';
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

/** The total supply of bitcoin. No honest limit of a channel exceeds it. */
const MAX_MSAT = 21_000_000n * 100_000_000n * 1000n;

/** Applies verified gossip to the graph. */
export class GossipGraph {
  readonly graph: ChannelGraph;
  private readonly chainHash: Uint8Array;
  private readonly nowSeconds: () => number;
  /** Called with the removed channels. */
  onRemoved: (shortChannelIds: readonly bigint[]) => void = () => undefined;
  /** Channels whose capacity was confirmed on the chain. */
  private readonly checked = new Set<bigint>();
  /** Channels that had no update at the last pruning. */
  private silent = new Set<bigint>();
  /** Timestamp of the newest update, in UNIX seconds. 0 if there is none. */
  private newest = 0;

  constructor(graph: ChannelGraph, chainHash: Uint8Array, nowSeconds: () => number) {
    this.graph = graph;
    this.chainHash = chainHash;
    this.nowSeconds = nowSeconds;
    const latest = nowSeconds() + MAX_FUTURE_S;
    for (let directionIndex = 0; directionIndex < graph.channelCount * 2; directionIndex++) {
      // An update from the future came from a wrong clock, and must not block newer updates.
      if (graph.policyTimestamp[directionIndex]! > latest) graph.policyTimestamp[directionIndex] = 0;
      this.newest = Math.max(this.newest, graph.policyTimestamp[directionIndex]!);
    }
    for (let channel = 0; channel < graph.channelCount; channel++) {
      if (graph.capacityMsat[channel] !== 0n) this.checked.add(graph.shortChannelIds[channel]!);
      else this.assumeCapacity(channel);
    }
  }

  /**
   * Time, in UNIX seconds, after which peers may have updates that we lack: an hour before our newest update, or now if
   * we have none.
   */
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

  /**
   * Checks everything about an update except its signature. The update must be for our chain, newer than the known
   * update, neither from the future nor stale, and must have plausible limits.
   */
  isNewUpdate(update: ChannelUpdate): boolean {
    const { timestamp, chainHash, shortChannelId, htlcMinimumMsat, htlcMaximumMsat } = update;
    if (!equalBytes(chainHash, this.chainHash) || !this.isTimely(timestamp)) return false;
    if (htlcMaximumMsat < htlcMinimumMsat || htlcMaximumMsat > MAX_MSAT) return false;
    const channel = this.graph.channelIndex(shortChannelId);
    if (channel === -1) return true;
    const directionIndex = channel * 2 + directionOf(update);
    const isKnown = (this.graph.policyFlags[directionIndex]! & POLICY_KNOWN) !== 0;
    return !isKnown || timestamp > this.graph.policyTimestamp[directionIndex]!;
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

  /**
   * Whether we have everything about a channel: its announcement, the policies of both ends, and the announcements of
   * both nodes.
   */
  isComplete(shortChannelId: bigint): boolean {
    const { announcements, node1, node2, policyFlags } = this.graph;
    const channel = this.graph.channelIndex(shortChannelId);
    if (channel === -1 || policyFlags[channel * 2] === 0 || policyFlags[channel * 2 + 1] === 0) return false;
    return announcements.has(node1[channel]!) && announcements.has(node2[channel]!);
  }

  /**
   * The id (33 bytes) of the node that must sign updates of this direction of a channel. Undefined for an unknown
   * channel.
   */
  signerOf(shortChannelId: bigint, direction: number): Uint8Array | undefined {
    const { graph } = this;
    const channel = graph.channelIndex(shortChannelId);
    if (channel === -1) return undefined;
    const node = direction === 0 ? graph.node1[channel]! : graph.node2[channel]!;
    return graph.nodeIds.slice(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  }

  /**
   * Adds a channel. Like `setPolicy` and `setNode`, returns false if the message changes nothing, for example because
   * it is no longer new.
   * @param capacityMsat the capacity according to the chain; undefined if unverified.
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

  /**
   * Applies a node announcement. Only nodes with a channel are kept, since anyone could announce any number of other
   * nodes.
   */
  setNode(announcement: NodeAnnouncement, bytes: Uint8Array): boolean {
    const { graph } = this;
    const node = graph.nodeIndexOfBytes(announcement.nodeId);
    if (node === -1 || graph.nodeDegree[node] === 0 || !this.isNewNode(announcement)) return false;
    const stored = parseNodeAnnouncement(new Uint8Array(bytes));
    if (stored !== undefined) graph.setAnnouncement(node, stored);
    return stored !== undefined;
  }

  /** Whether the announced node has a channel. */
  knowsNode(announcement: NodeAnnouncement): boolean {
    const node = this.graph.nodeIndexOfBytes(announcement.nodeId);
    return node !== -1 && this.graph.nodeDegree[node]! > 0;
  }

  /** Ids of all current channels. */
  channelIds(): bigint[] {
    return [...this.graph.shortChannelIds.subarray(0, this.graph.channelCount)];
  }

  /** Removes channels. Unknown ids are ignored. */
  removeChannels(shortChannelIds: readonly bigint[]): void {
    const known = shortChannelIds.filter((id) => this.knowsChannel(id));
    for (const id of known) {
      this.graph.removeChannel(this.graph.channelIndex(id));
      this.checked.delete(id);
    }
    if (known.length > 0) this.onRemoved(known);
  }

  /** Removes channels that were accepted without a chain source. Peers that know them will announce them again. */
  removeUnchecked(): void {
    this.removeChannels(this.channelIds().filter((id) => !this.checked.has(id)));
  }

  /**
   * Removes channels where one end's latest update is older than two weeks. A channel works only while both ends are
   * up, and each end repeats its update more often than every two weeks. An end that never sent an update does not
   * count. Also removes channels that had no update at the last pruning and still have none.
   * @returns how many were removed.
   */
  prune(): number {
    const { graph } = this;
    const oldest = this.nowSeconds() - STALE_AFTER_S;
    const silent = new Set<bigint>();
    const gone: bigint[] = [];
    for (let channel = 0; channel < graph.channelCount; channel++) {
      const said = [channel * 2, channel * 2 + 1].map(
        (directionIndex) => graph.policyTimestamp[directionIndex]!,
      );
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
