/**
 * The automatic layer `auto.learned`: what this node's own attempts taught, as a search can use it.
 *
 *   odds    how likely a direction has an amount, by classes of directions, instead of uniform balances
 *   nodes   what it costs to pass a node that may be away or slow (`burden`)
 *   bounds  what attempts showed of directions, faded towards not knowing by their age
 *   biases  directions that are to be avoided, because they did not keep their terms
 *
 * Its owner (src/payments/learn/learned-beliefs.ts) sets all of it. It is empty, and the layer says nothing, where nothing is
 * learned. Levels of nodes and bounds that stay as they are produce no notification.
 */
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import type { Bounds, BoundsFold } from './bounds-fold.ts';
import { AMOUNT_CAP_MSAT, IDENTITY_FOLD, IDENTITY_STEP } from './bounds-fold.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, NodeCell, PerDirection } from './cell.ts';
import type { OddsTable } from './learned-odds.ts';

/** The layer of what was learned. */
export class LearnedLayer implements LayerCells {
  readonly id: number;
  readonly #subscriber: LayerSubscriber;
  readonly #nodes = new Map<NodeId, NodeCell>();
  readonly #channels = new Map<ShortChannelId, ChannelCell>();
  #odds: OddsTable | undefined;

  constructor(id: number, subscriber: LayerSubscriber) {
    this.id = id;
    this.#subscriber = subscriber;
  }

  /** Undefined while nothing is learned. */
  get odds(): OddsTable | undefined {
    return this.#odds;
  }

  /** Replaces the odds. The table must not be changed afterwards. */
  setOdds(odds: OddsTable | undefined): void {
    this.#odds = odds;
    this.#subscriber.oddsChanged?.(this.id);
  }

  /** Sets the level of a node's burden; 0 is that of any other node. */
  setBurden(node: NodeId, burden: number): void {
    if ((this.#nodes.get(node)?.burden ?? 0) === burden) return;
    if (burden === 0) this.#nodes.delete(node);
    else this.#nodes.set(node, { disabled: false, inBias: 0, outBias: 0, burden });
    this.#subscriber.nodeChanged(this.id, node);
  }

  /**
   * Sets what both directions of a channel are believed to pass, undefined where nothing is known of one, and their biases,
   * as askrene has them.
   */
  setChannel(
    channel: ShortChannelId,
    bounds: PerDirection<Bounds | undefined>,
    bias: PerDirection<number> = [0, 0],
  ): void {
    const isUnknown = bounds[0] === undefined && bounds[1] === undefined && bias[0] === 0 && bias[1] === 0;
    if (isUnknown) {
      if (!this.#channels.delete(channel)) return;
    } else {
      const folds: PerDirection<BoundsFold> = [foldOf(bounds[0]), foldOf(bounds[1])];
      const before = this.#channels.get(channel);
      const areSame =
        before !== undefined &&
        ([0, 1] as const).every((at) => isSame(before.bounds[at], folds[at]) && before.bias[at] === bias[at]);
      if (areSame) return;
      this.#channels.set(channel, {
        updates: [undefined, undefined],
        bias,
        bounds: folds,
        reservedMsat: [0n, 0n],
      });
    }
    this.#subscriber.channelChanged(this.id, channel);
  }

  /** Forgets everything. */
  clear(): void {
    for (const node of [...this.#nodes.keys()]) this.setBurden(node, 0);
    for (const channel of [...this.#channels.keys()]) this.setChannel(channel, [undefined, undefined]);
    this.setOdds(undefined);
  }

  channelCell(channel: ShortChannelId): ChannelCell | undefined {
    return this.#channels.get(channel);
  }
  nodeCell(node: NodeId): NodeCell | undefined {
    return this.#nodes.get(node);
  }
  channelIds(): Iterable<ShortChannelId> {
    return this.#channels.keys();
  }
  nodeIds(): Iterable<NodeId> {
    return this.#nodes.keys();
  }
}

/** Whether two folds of this layer, of one step at most, say the same. */
const isSame = (one: BoundsFold, other: BoundsFold): boolean =>
  one.length === other.length && one[0]?.minLow === other[0]?.minLow && one[0]?.maxHigh === other[0]?.maxHigh;

function foldOf(bounds: Bounds | undefined): BoundsFold {
  if (bounds === undefined) return IDENTITY_FOLD;
  const { minMsat, maxMsat } = bounds;
  const highest = maxMsat > AMOUNT_CAP_MSAT ? AMOUNT_CAP_MSAT : maxMsat;
  return [{ ...IDENTITY_STEP, minLow: minMsat, maxHigh: highest }];
}
