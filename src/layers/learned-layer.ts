/**
 * The automatic layer `auto.learned`: what this node's own attempts taught, as a search can use it.
 *
 *   odds    how likely a direction has an amount, by classes of directions, instead of uniform balances
 *   nodes   what it costs to pass a node that may be away or slow (`burden`)
 *   bounds  what attempts showed of directions, faded towards not knowing by their age
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
  readonly #bounds = new Map<ShortChannelId, ChannelCell>();
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

  /** Sets what both directions of a channel are believed to pass. Undefined: nothing is known of the direction. */
  setBounds(channel: ShortChannelId, bounds: PerDirection<Bounds | undefined>): void {
    if (bounds[0] === undefined && bounds[1] === undefined) {
      if (!this.#bounds.delete(channel)) return;
    } else {
      const folds: PerDirection<BoundsFold> = [foldOf(bounds[0]), foldOf(bounds[1])];
      const before = this.#bounds.get(channel)?.bounds;
      if (before !== undefined && isSame(before[0], folds[0]) && isSame(before[1], folds[1])) return;
      this.#bounds.set(channel, {
        updates: [undefined, undefined],
        bias: [0, 0],
        bounds: folds,
        reservedMsat: [0n, 0n],
      });
    }
    this.#subscriber.channelChanged(this.id, channel);
  }

  /** Forgets everything. */
  clear(): void {
    for (const node of [...this.#nodes.keys()]) this.setBurden(node, 0);
    for (const channel of [...this.#bounds.keys()]) this.setBounds(channel, [undefined, undefined]);
    this.setOdds(undefined);
  }

  channelCell(channel: ShortChannelId): ChannelCell | undefined {
    return this.#bounds.get(channel);
  }
  nodeCell(node: NodeId): NodeCell | undefined {
    return this.#nodes.get(node);
  }
  channelIds(): Iterable<ShortChannelId> {
    return this.#bounds.keys();
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
