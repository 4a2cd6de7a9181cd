/**
 * The automatic layer `auto.learned`: knowledge from this node's attempts, for use in searches.
 *
 *   odds    the probability that a direction can send an amount, by class of direction, instead of uniform balances
 *   nodes   the cost of passing a node that may be offline or slow (`burden`)
 *   bounds  results of attempts over directions, which fade with age
 *   biases  directions to avoid, because they did not honour their terms
 *
 * The owner of the layer (src/payments/learn/learned-beliefs.ts) sets all contents. The layer is empty if nothing is
 * learned. Setting a level or bounds to the same value causes no notification.
 */
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import type { Bounds } from './bounds-fold.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, NodeCell, PerDirection } from './cell.ts';
import { LearnedChannels } from './learned-channels.ts';
import type { OddsTable } from './learned-odds.ts';

/** The layer of learned knowledge. */
export class LearnedLayer implements LayerCells {
  readonly id: number;
  readonly #subscriber: LayerSubscriber;
  readonly #nodes = new Map<NodeId, NodeCell>();
  readonly #channels = new LearnedChannels();
  #odds: OddsTable | undefined;

  constructor(id: number, subscriber: LayerSubscriber) {
    this.id = id;
    this.#subscriber = subscriber;
  }

  /** The table of odds. Undefined while nothing is learned. */
  get odds(): OddsTable | undefined {
    return this.#odds;
  }

  /** Replaces the odds. The table must not change afterwards. */
  setOdds(odds: OddsTable | undefined): void {
    this.#odds = odds;
    this.#subscriber.oddsChanged?.(this.id);
  }

  /** Sets the level of a node's burden. 0 is the default. */
  setBurden(node: NodeId, burden: number): void {
    if ((this.#nodes.get(node)?.burden ?? 0) === burden) return;
    if (burden === 0) this.#nodes.delete(node);
    else this.#nodes.set(node, { disabled: false, inBias: 0, outBias: 0, burden });
    this.#subscriber.nodeChanged(this.id, node);
  }

  /**
   * Sets the believed bounds of both directions of a channel (undefined if unknown), and their biases (-100 to 100).
   * @param dueS when `dueChannels` returns the channel, in seconds. Default: never.
   */
  setChannel(
    channel: ShortChannelId,
    bounds: PerDirection<Bounds | undefined>,
    bias: PerDirection<number> = [0, 0],
    dueS?: number,
  ): void {
    const isUnknown = bounds[0] === undefined && bounds[1] === undefined && bias[0] === 0 && bias[1] === 0;
    const hasNews = isUnknown
      ? this.#channels.delete(channel)
      : this.#channels.set(channel, bounds, bias, dueS);
    if (!hasNews) return;
    this.#subscriber.channelChanged(this.id, channel);
  }

  /** The channels that are due for examination by the owner. */
  dueChannels(nowS: number): Iterable<ShortChannelId> {
    return this.#channels.due(nowS);
  }

  clear(): void {
    for (const node of [...this.#nodes.keys()]) this.setBurden(node, 0);
    for (const channel of [...this.#channels.ids()]) this.setChannel(channel, [undefined, undefined]);
    this.setOdds(undefined);
  }

  channelCell(channel: ShortChannelId): ChannelCell | undefined {
    return this.#channels.cell(channel);
  }
  nodeCell(node: NodeId): NodeCell | undefined {
    return this.#nodes.get(node);
  }
  channelIds(): Iterable<ShortChannelId> {
    return this.#channels.ids();
  }
  nodeIds(): Iterable<NodeId> {
    return this.#nodes.keys();
  }
}
