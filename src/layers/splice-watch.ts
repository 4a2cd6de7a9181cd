/**
 * Detects splices and updates the layers. There are two sources of information:
 *
 * - Gossip: a channel's funding was spent in block h, and exactly one channel between the same two nodes was funded in
 *   block h. We assume that its funding transaction spent the old output. If several such channels were funded, there
 *   is no evidence for any of them.
 * - Our own node: a channel keeps its channel id, but gets a different short channel id.
 *
 * The old channel stays in gossip for some more blocks, as other nodes may not know the new one. Both ids refer to the
 * same channel, so the old one is disabled once the new one is usable.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { OwnChannel } from '../model/own-channel.ts';
import { type Direction, type ShortChannelId, shortChannelIdParts } from '../model/short-channel-id.ts';
import type { Layer } from './layer.ts';
import type { LayerBook } from './layer-book.ts';
import type { Splice } from './splice.ts';

const DIRECTIONS: readonly Direction[] = [0, 1];

/** What a splice watch needs from other parts of the program. */
export interface SpliceWatchOptions {
  readonly book: Pick<LayerBook, 'followSplice' | 'nowCalled'>;
  /** Stores a splice. Called before the layers are updated, so that they are updated only once. */
  readonly keep: (splice: Splice) => void;
  /**
   * Returns whether this process changes a layer. In a fleet, only one daemon changes the shared layers. Default: true.
   */
  readonly mayChange?: ((layer: Layer) => boolean) | undefined;
}

/** Detects splices in changes of the graph and in reports of our own channels. */
export class SpliceWatch {
  readonly #options: SpliceWatchOptions;
  /** Our channels by node and channel id, as last reported. */
  readonly #own = new Map<string, OwnChannel>();

  constructor(options: SpliceWatchOptions) {
    this.#options = options;
  }

  /**
   * Looks for successors of the dying channels, and disables dying channels whose successors can be used. O(channels)
   * while a dying channel has no known successor.
   * @returns whether this changed the graph
   */
  graphChanged(graph: ChannelGraph): boolean {
    let isChanged = false;
    const waiting = new Map<ShortChannelId, number>();
    for (const scid of graph.dyingChannels) {
      const now = this.#options.book.nowCalled(scid);
      if (now !== scid) isChanged = silence(graph, scid, now) || isChanged;
      else if (graph.spentHeight(scid) !== undefined) waiting.set(scid, graph.spentHeight(scid) as number);
    }
    for (const { from, to } of successors(graph, waiting)) {
      const capacity = (scid: ShortChannelId): bigint =>
        graph.capacityMsat[graph.channelIndex(scid)] as bigint;
      this.#follow({ from, to, oldCapacityMsat: capacity(from), newCapacityMsat: capacity(to) });
      isChanged = silence(graph, from, to) || isChanged;
    }
    return isChanged;
  }

  /** Detects splices by comparing a report of our own channels with the previous one. */
  ownChannels(channels: readonly OwnChannel[]): void {
    for (const channel of channels) {
      const { channelId, ownNodeId = '', shortChannelId } = channel;
      if (channelId === undefined || shortChannelId === undefined) continue;
      const key = `${ownNodeId} ${channelId}`;
      const before = this.#own.get(key);
      this.#own.set(key, channel);
      if (before?.shortChannelId === undefined || before.shortChannelId === shortChannelId) continue;
      const capacities = { oldCapacityMsat: before.capacityMsat, newCapacityMsat: channel.capacityMsat };
      this.#follow({ from: before.shortChannelId, to: shortChannelId, ...capacities });
    }
  }

  #follow(splice: Splice): void {
    const { book, keep, mayChange } = this.#options;
    if (book.nowCalled(splice.from) !== splice.from) return;
    keep(splice);
    book.followSplice(splice, mayChange);
  }
}

/**
 * The successor of each waiting channel: the only channel between its two nodes that was funded in the block in which
 * the waiting channel was spent.
 */
function* successors(
  graph: ChannelGraph,
  waiting: ReadonlyMap<ShortChannelId, number>,
): Generator<{ from: ShortChannelId; to: ShortChannelId }> {
  if (waiting.size === 0) return;
  const heights = new Set(waiting.values());
  const funded: number[] = [];
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const scid = graph.shortChannelIds[channel] as ShortChannelId;
    if (heights.has(shortChannelIdParts(scid).block) && !graph.dyingChannels.has(scid)) funded.push(channel);
  }
  for (const [from, height] of waiting) {
    const old = graph.channelIndex(from);
    const found = funded.filter(
      (channel) =>
        graph.node1[channel] === graph.node1[old] &&
        graph.node2[channel] === graph.node2[old] &&
        shortChannelIdParts(graph.shortChannelIds[channel] as ShortChannelId).block === height,
    );
    if (found.length === 1) yield { from, to: graph.shortChannelIds[found[0] as number] as ShortChannelId };
  }
}

/**
 * Disables the old channel in directions in which its successor can be used. @returns whether this changed the graph
 */
function silence(graph: ChannelGraph, from: ShortChannelId, to: ShortChannelId): boolean {
  const [old, now] = [graph.channelIndex(from), graph.channelIndex(to)];
  if (old < 0 || now < 0) return false;
  let isChanged = false;
  for (const direction of DIRECTIONS) {
    const policy = graph.policy(old * 2 + direction);
    if (policy?.enabled !== true || graph.policy(now * 2 + direction)?.enabled !== true) continue;
    graph.setPolicy(old, direction, { ...policy, enabled: false });
    isChanged = true;
  }
  return isChanged;
}
