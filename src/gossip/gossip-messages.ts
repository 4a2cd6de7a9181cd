/**
 * Applies BOLT 7 messages to a channel graph. Signatures are not checked, because the writer of the file did so.
 *
 * Reported as problems are malformed messages, and channels beyond the maximum size of a graph. Updates of unknown
 * channels, announcements of unknown nodes, and repeated announcements of known channels are ignored and counted.
 */
import { type ChannelGraph, MAX_CHANNELS } from '../model/channel-graph.ts';
import type { Msat } from '../model/msat.ts';
import { compareNodeIds, MAX_NODES } from '../model/node-table.ts';
import type { Direction } from '../model/short-channel-id.ts';
import { parseNodeAnnouncement } from './stored-announcement.ts';

/** Offsets in a channel_announcement's body (BOLT 7), up to its features. */
const ANNOUNCEMENT = { featuresLength: 258, features: 260 };
/** Offsets after the features: chain hash, short channel id, two node ids, two bitcoin keys. */
const AFTER_FEATURES = { scid: 32, nodeId1: 40, nodeId2: 73, end: 172 };
/** Offsets in a channel_update's body (BOLT 7). */
const UPDATE = { scid: 98, timestamp: 106, messageFlags: 110, channelFlags: 111, delta: 112, minimum: 114 };
const UPDATE_FEES = { base: 122, proportional: 126, maximum: 130 };
const UPDATE_BYTES = 130;
const UPDATE_BYTES_WITH_MAXIMUM = 138;
const MESSAGE_FLAG_HTLC_MAXIMUM = 1;
const CHANNEL_FLAG_DIRECTION = 1;
const CHANNEL_FLAG_DISABLED = 2;

/** Numbers of ignored messages, by reason. */
export interface IgnoredMessages {
  unknownChannel: number;
  unknownNode: number;
  knownChannel: number;
}

/** Applies messages to one graph. */
export class GossipMessages {
  graph: ChannelGraph;
  readonly ignored: IgnoredMessages = { unknownChannel: 0, unknownNode: 0, knownChannel: 0 };

  constructor(graph: ChannelGraph) {
    this.graph = graph;
  }

  /** Adds the channel announced in bytes[body, end). @returns the problem, if any */
  announce(
    bytes: Uint8Array,
    view: DataView,
    body: number,
    end: number,
    capacityMsat: bigint,
    isDying = false,
  ): string | undefined {
    if (body + ANNOUNCEMENT.features > end) return 'channel_announcement cut short';
    const featuresLength = view.getUint16(body + ANNOUNCEMENT.featuresLength);
    const rest = body + ANNOUNCEMENT.features + featuresLength;
    if (rest + AFTER_FEATURES.end > end) return 'channel_announcement cut short';
    const scid = view.getBigUint64(rest + AFTER_FEATURES.scid);
    if (this.graph.channelIndex(scid) !== -1) {
      this.ignored.knownChannel++;
      return undefined;
    }
    const [id1, id2] = [rest + AFTER_FEATURES.nodeId1, rest + AFTER_FEATURES.nodeId2];
    if ((bytes[id1]! & 0xfe) !== 2 || (bytes[id2]! & 0xfe) !== 2)
      return 'a node id is not a point on the curve';
    if (compareNodeIds(bytes, id1, bytes, id2) >= 0) return 'node ids are not in ascending order';
    if (this.graph.channelCount >= MAX_CHANNELS || this.graph.nodeCount > MAX_NODES - 2) {
      return `more than ${MAX_CHANNELS} channels or ${MAX_NODES} nodes`;
    }
    const features = featuresLength === 0 ? undefined : copyOf(bytes, rest - featuresLength, rest);
    const node1 = this.graph.internNode(bytes, id1);
    const node2 = this.graph.internNode(bytes, id2);
    const channel = this.graph.addChannel(scid, node1, node2, capacityMsat, features);
    if (isDying) this.graph.setDying(channel);
    return undefined;
  }

  /**
   * Sets the policy of the channel_update in bytes [body, end) of the view. Returns whether it is well-formed.
   * @param keepsNewest whether to ignore an update that is older than the current policy
   */
  update(view: DataView, body: number, end: number, keepsNewest = false): boolean {
    if (body + UPDATE_BYTES > end) return false;
    const messageFlags = view.getUint8(body + UPDATE.messageFlags);
    const hasMaximum = (messageFlags & MESSAGE_FLAG_HTLC_MAXIMUM) !== 0;
    if (hasMaximum && body + UPDATE_BYTES_WITH_MAXIMUM > end) return false;
    const channel = this.graph.channelIndex(view.getBigUint64(body + UPDATE.scid));
    if (channel === -1) {
      this.ignored.unknownChannel++;
      return true;
    }
    const channelFlags = view.getUint8(body + UPDATE.channelFlags);
    const direction = (channelFlags & CHANNEL_FLAG_DIRECTION) as Direction;
    const timestamp = view.getUint32(body + UPDATE.timestamp);
    if (keepsNewest && timestamp < this.graph.policyTimestamp[2 * channel + direction]!) {
      return true;
    }
    const maximum = hasMaximum
      ? view.getBigUint64(body + UPDATE_FEES.maximum)
      : this.graph.capacityMsat[channel]!;
    this.graph.setPolicy(channel, direction, {
      enabled: (channelFlags & CHANNEL_FLAG_DISABLED) === 0,
      htlcMinimumMsat: view.getBigUint64(body + UPDATE.minimum) as Msat,
      htlcMaximumMsat: maximum as Msat,
      feeBaseMsat: view.getUint32(body + UPDATE_FEES.base),
      feeProportionalMillionths: view.getUint32(body + UPDATE_FEES.proportional),
      cltvExpiryDelta: view.getUint16(body + UPDATE.delta),
      timestamp,
      messageFlags,
      channelFlags,
    });
    return true;
  }

  /** Records the node_announcement in bytes[body, end). Returns whether it is well-formed. */
  announceNode(bytes: Uint8Array, body: number, end: number): boolean {
    const parsed = parseNodeAnnouncement(copyOf(bytes, body, end));
    if (parsed === undefined) return false;
    const node = this.graph.nodeIndexOfBytes(parsed.message, parsed.nodeIdAt);
    if (node === -1 || this.graph.nodeDegree[node] === 0) this.ignored.unknownNode++;
    else this.graph.setAnnouncement(node, parsed);
    return true;
  }
}

/** A copy of bytes[start, end). The `slice` of a Buffer would be a view. */
function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}
