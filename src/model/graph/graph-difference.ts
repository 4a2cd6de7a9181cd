/**
 * The changes that make a copy of a graph equal to its source. Nodes and channels may have different indexes in the two
 * graphs.
 *
 * Of two versions of a policy or an announcement, the later one counts, as with gossip: an older source does not revert
 * anything. A channel missing in the source is closed. A channel that has different ends, a different capacity or fewer
 * policies in the source, or is dying only in the copy, is closed and announced again.
 */
import { type ChannelGraph, POLICY_KNOWN } from '../channel-graph.ts';
import { NODE_ID_BYTES } from '../node-id.ts';
import type { ShortChannelId } from '../short-channel-id.ts';
import { channelRecord, type GraphRecord, policiesOf, policyRecord } from './graph-records.ts';

/** Compares two graphs repeatedly. Results that depend only on the topology are computed again only when it changes. */
export class GraphComparison {
  readonly #copy: ChannelGraph;
  readonly #source: ChannelGraph;
  /**
   * For each channel of the copy, its index in the source, or −1; for each node of the source, its index in the copy,
   * or −1; and the topology for which these were computed.
   */
  #there = new Int32Array(0);
  #nodes = new Int32Array(0);
  #state = '';

  constructor(copy: ChannelGraph, source: ChannelGraph) {
    this.#copy = copy;
    this.#source = source;
  }

  /** Records that make the copy equal to the source. O(nodes + channels). The graphs do not change. */
  difference(): GraphRecord[] {
    this.#match();
    const [copy, source] = [this.#copy, this.#source];
    const nodes = new NodeNumbers(copy, source, this.#nodes.slice());
    const changes: GraphRecord[] = [];
    const kept = closeChannels(copy, source, this.#there, nodes, changes);
    comparePolicies(copy, source, kept, changes);
    for (let channel = 0; channel < source.channelCount; channel++) {
      if (kept[channel] !== 0) continue;
      const [node1, node2] = [source.node1[channel]!, source.node2[channel]!];
      changes.push(channelRecord(source, channel, nodes.named(node1), nodes.named(node2)));
      changes.push(...policiesOf(source, channel));
    }
    compareDying(copy, source, kept, changes);
    compareAnnouncements(copy, source, nodes, changes);
    const added = nodes.added();
    return added.length === 0 ? changes : [['nodes', added], ...changes];
  }

  #match(): void {
    const [copy, source] = [this.#copy, this.#source];
    const state = [copy, source].map(({ topologyVersion, nodeCount }) => [topologyVersion, nodeCount]).join();
    if (state === this.#state) return;
    this.#state = state;
    this.#there = Int32Array.from({ length: copy.channelCount }, (_, channel) =>
      source.channelIndex(copy.shortChannelIds[channel]!),
    );
    this.#nodes = Int32Array.from({ length: source.nodeCount }, (_, node) =>
      copy.nodeIndexOfBytes(source.nodeIds, node * NODE_ID_BYTES),
    );
  }
}

/** Records that make `copy` equal to `source`. */
export function graphDifference(copy: ChannelGraph, source: ChannelGraph): GraphRecord[] {
  return new GraphComparison(copy, source).difference();
}

/** The index in the copy for each node of the source. A node that the copy lacks gets the next free index. */
class NodeNumbers {
  readonly #source: ChannelGraph;
  readonly #numbers: Int32Array;
  readonly #added: number[] = [];
  #next: number;

  constructor(copy: ChannelGraph, source: ChannelGraph, numbers: Int32Array) {
    this.#source = source;
    this.#next = copy.nodeCount;
    this.#numbers = numbers;
  }

  /** The node's index in the copy. −1 if the copy does not have it yet. */
  known(node: number): number {
    return this.#numbers[node]!;
  }

  named(node: number): number {
    if (this.#numbers[node]! < 0) {
      this.#numbers[node] = this.#next++;
      this.#added.push(node);
    }
    return this.#numbers[node]!;
  }

  /** Ids of the newly numbered nodes, in the order of their numbers. */
  added(): Uint8Array {
    const ids = new Uint8Array(this.#added.length * NODE_ID_BYTES);
    this.#added.forEach((node, index) => {
      const at = node * NODE_ID_BYTES;
      ids.set(this.#source.nodeIds.subarray(at, at + NODE_ID_BYTES), index * NODE_ID_BYTES);
    });
    return ids;
  }
}

/**
 * Adds to `changes` the records that close obsolete channels.
 * @returns for each channel of the source 1 + its index in the copy; 0 if it must be added
 */
function closeChannels(
  copy: ChannelGraph,
  source: ChannelGraph,
  there: Int32Array,
  nodes: NodeNumbers,
  changes: GraphRecord[],
): Uint32Array {
  const kept = new Uint32Array(source.channelCount);
  const [capacities, capacitiesThere] = [words(copy.capacityMsat), words(source.capacityMsat)];
  for (let channel = 0; channel < copy.channelCount; channel++) {
    const index = there[channel]!;
    const isKept =
      index >= 0 &&
      isEqual(capacities, channel, capacitiesThere, index) &&
      nodes.known(source.node1[index]!) === copy.node1[channel] &&
      nodes.known(source.node2[index]!) === copy.node2[channel] &&
      !losesPolicy(copy, 2 * channel, source, 2 * index) &&
      !losesPolicy(copy, 2 * channel + 1, source, 2 * index + 1) &&
      !revives(copy, channel, source);
    if (isKept) kept[index] = channel + 1;
    else changes.push(['closed', copy.shortChannelIds[channel]!]);
  }
  return kept;
}

const losesPolicy = (copy: ChannelGraph, ours: number, source: ChannelGraph, theirs: number): boolean =>
  (copy.policyFlags[ours]! & ~source.policyFlags[theirs]! & POLICY_KNOWN) !== 0;

/**
 * Whether a channel must be announced again because it is dying only in the copy. A reloaded source may not know yet
 * that a channel is dying.
 */
function revives(copy: ChannelGraph, channel: number, source: ChannelGraph): boolean {
  if (copy.dyingChannels.size === 0) return false;
  const scid = copy.shortChannelIds[channel]! as ShortChannelId;
  return copy.dyingChannels.has(scid) && !source.dyingChannels.has(scid);
}

function comparePolicies(
  copy: ChannelGraph,
  source: ChannelGraph,
  kept: Uint32Array,
  changes: GraphRecord[],
): void {
  const isSame = policyComparison(copy, source);
  for (let channel = 0; channel < source.channelCount; channel++) {
    if (kept[channel] === 0) continue;
    const known = kept[channel]! - 1;
    for (let direction = 0; direction < 2; direction++) {
      const [ours, theirs] = [2 * known + direction, 2 * channel + direction];
      if (isSame(ours, theirs)) continue;
      const isKnown = (source.policyFlags[theirs]! & POLICY_KNOWN) !== 0;
      const isOlder = source.policyTimestamp[theirs]! < copy.policyTimestamp[ours]!;
      if (isKnown && !isOlder) changes.push(policyRecord(source, theirs)!);
    }
  }
}

/**
 * Returns a function that tells whether a direction of the copy and one of the source have equal policies. It allocates
 * nothing.
 */
function policyComparison(
  copy: ChannelGraph,
  source: ChannelGraph,
): (ours: number, theirs: number) => boolean {
  const [minimum, minimumThere] = [words(copy.htlcMinimumMsat), words(source.htlcMinimumMsat)];
  const [maximum, maximumThere] = [words(copy.htlcMaximumMsat), words(source.htlcMaximumMsat)];
  return (ours, theirs) =>
    copy.policyTimestamp[ours] === source.policyTimestamp[theirs] &&
    copy.policyFlags[ours] === source.policyFlags[theirs] &&
    copy.feeBaseMsat[ours] === source.feeBaseMsat[theirs] &&
    copy.feeProportionalMillionths[ours] === source.feeProportionalMillionths[theirs] &&
    copy.cltvExpiryDelta[ours] === source.cltvExpiryDelta[theirs] &&
    copy.messageFlags[ours] === source.messageFlags[theirs] &&
    copy.channelFlags[ours] === source.channelFlags[theirs] &&
    isEqual(minimum, ours, minimumThere, theirs) &&
    isEqual(maximum, ours, maximumThere, theirs);
}

function compareDying(
  copy: ChannelGraph,
  source: ChannelGraph,
  kept: Uint32Array,
  changes: GraphRecord[],
): void {
  for (const scid of source.dyingChannels) {
    const isNew = kept[source.channelIndex(scid)] === 0;
    if (isNew || !copy.dyingChannels.has(scid)) changes.push(['dying', scid]);
  }
}

function compareAnnouncements(
  copy: ChannelGraph,
  source: ChannelGraph,
  nodes: NodeNumbers,
  changes: GraphRecord[],
): void {
  for (const [node, said] of source.announcements) {
    const number = nodes.known(node);
    if (number < 0 || source.nodeDegree[node] === 0) continue;
    const known = copy.announcements.get(number);
    if (known !== undefined && known.timestamp >= said.timestamp) continue;
    changes.push(['said', number, said.timestamp, said.alias, said.color, said.features, said.addresses]);
  }
}

/** 64-bit numbers as pairs of 32-bit words, which can be compared without allocating. */
const words = (column: BigUint64Array): Uint32Array =>
  new Uint32Array(column.buffer, column.byteOffset, column.length * 2);

const isEqual = (a: Uint32Array, at: number, b: Uint32Array, bAt: number): boolean =>
  a[2 * at] === b[2 * bAt] && a[2 * at + 1] === b[2 * bAt + 1];
