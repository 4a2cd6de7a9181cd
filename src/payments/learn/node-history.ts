/**
 * Imports what our node's past payments and forwards showed, so that a new service does not start without any
 * knowledge. Channel bounds go into the layer `nodehistory`, which all payments use. They expire after an hour.
 * The responses of nodes go into the odds.
 *
 * A client that does not want these bounds to be used removes the layer (`askrene-remove-layer nodehistory`).
 */
import { readAskreneRecords } from '../../layers/askrene-records.ts';
import type { LayerMutation } from '../../layers/entries.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { NodeHistory } from '../../model/node-history.ts';
import { FORGET_AFTER_S, HISTORY_LAYER } from './learning.ts';
import type { OddsModel } from './odds-model.ts';

/**
 * Maximum age of imported history, in seconds. Older responses would count for less than a sixtieth, because they fade
 * with a half-life of an hour.
 */
export const HISTORY_S = 6 * 3600;
/** Maximum number of bounds to import. Further bounds of the node are ignored. */
const MAX_BOUNDS = 50_000;
/** A time, in seconds, later than every record's. */
const END_OF_TIME = 1n << 60n;

/** Where the history is imported to. */
export interface HistoryTarget {
  readonly book: LayerBook;
  readonly graph: ChannelGraph;
  /** Undefined if odds are not learned. */
  readonly model: OddsModel | undefined;
}

/** Counts of what was imported. */
export interface TakenHistory {
  /** Number of imported bounds of channel directions. */
  readonly bounds: number;
  /** Number of bounds that were dropped because their channels are not in the graph. */
  readonly unknown: number;
  /** Number of node responses not counted before. */
  readonly answers: number;
}

/**
 * Replaces the contents of the layer `nodehistory` with the bounds of a history, and adds the history's responses to
 * the odds. No layer is created if there are no bounds.
 */
export function takeNodeHistory(history: NodeHistory, { book, graph, model }: HistoryTarget): TakenHistory {
  const former = book.layer(HISTORY_LAYER);
  if (former !== undefined) book.age(former, END_OF_TIME);
  const recent = boundsOf(history, book.now()).slice(0, MAX_BOUNDS);
  const known = recent.filter(({ shortChannelId }) => graph.channelIndex(shortChannelId) >= 0);
  if (known.length > 0) {
    const layer = former ?? book.createLayer(HISTORY_LAYER, false);
    for (const bound of known) book.adopt(layer, bound);
  }
  return {
    bounds: known.length,
    unknown: recent.length - known.length,
    answers: model?.learnHistory(history.answers) ?? 0,
  };
}

type LiquidityMutation = Extract<LayerMutation, { type: 'inform' }>;

/** The bounds of the last hour. Bounds dated in the future come from a wrong clock, and are left out. */
function boundsOf({ limits, xpayRecords }: NodeHistory, nowS: number): LiquidityMutation[] {
  const isRecent = ({ timestamp }: { readonly timestamp: number }): boolean =>
    timestamp >= nowS - FORGET_AFTER_S && timestamp <= nowS;
  const ofXpay = readAskreneRecords(xpayRecords, nowS).mutations.filter((one) => one.type === 'inform');
  const ofPayments = limits.map(
    ({ maximumMsat: amountMsat, ...of }): LiquidityMutation => ({
      type: 'inform',
      kind: 'maximum',
      amountMsat,
      ...of,
    }),
  );
  return [...ofXpay, ...ofPayments].filter(isRecent);
}
