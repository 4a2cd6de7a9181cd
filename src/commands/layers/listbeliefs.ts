/** `listbeliefs`: shows what a layer implies about the liquidity of channels. */
import { type Belief, beliefsOf, recordsAbout } from '../../layers/beliefs.ts';
import type { LiquidityRecord } from '../../layers/liquidity-records.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { SHARED_LAYER } from '../../payments/learn/learning.ts';
import { field, optional, optionalField, withDefault } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { oneOf, shortChannelIdDir, u32 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName } from './askrene-types.ts';

const DEFAULT_LIMIT = 1000;

/** Sort orders. Directions that compare equal stay in the order in which the layer first mentioned them. */
const ORDERS = {
  newest: (a: Belief, b: Belief) => b.newest - a.newest,
  oldest: (a: Belief, b: Belief) => a.newest - b.newest,
  narrowest: (a: Belief, b: Belief) => width(a) - width(b),
  widest: (a: Belief, b: Belief) => width(b) - width(a),
  largest: (a: Belief, b: Belief) => compare(b.capacityMsat ?? 0n, a.capacityMsat ?? 0n),
  channel: (a: Belief, b: Belief) =>
    compare(a.of.shortChannelId, b.of.shortChannelId) || a.of.direction - b.of.direction,
} as const;

/**
 * Not in Core Lightning. Shows the bounds that a search with the layer uses; `askrene-listlayers` shows only the
 * individual records.
 */
export const listbeliefs = defineCommand({
  name: 'listbeliefs',
  summary: 'Show the bounds that a layer implies for the liquidity of channels.',
  description:
    'Shows each channel direction for which the layer has a constraint or an impression, with the resulting ' +
    'bounds: the direction can carry minimum_msat and cannot carry more than maximum_msat. The default ' +
    'layer is `xpay`, where payments record what they learn. With `short_channel_id_dir`, shows only that ' +
    'direction, and the records of its channel as `history`.',
  category: 'routes',
  readOnly: true,
  params: {
    layer: optional(layerName, 'The layer.'),
    sort: withDefault(
      oneOf(
        Object.keys(ORDERS) as (keyof typeof ORDERS)[],
        `should be one of ${Object.keys(ORDERS).join(', ')}`,
      ),
      'newest',
      '`newest` or `oldest` record first, `narrowest` or `widest` bounds first (as a share of the capacity), `largest` ' +
        'capacity first, or by `channel` id.',
    ),
    start: withDefault(u32, 0, 'Number of entries to skip.'),
    limit: withDefault(u32, DEFAULT_LIMIT, 'Maximum number of entries to show.'),
    short_channel_id_dir: optional(shortChannelIdDir, 'Only this direction.'),
  },
  result: {
    beliefs: field('array', 'One object per direction.'),
    num_beliefs: field('integer', 'Total number of directions.'),
    history: optionalField('array', 'The records of both directions of the channel, oldest first.'),
  },
  handler({ layer, sort, start, limit, short_channel_id_dir }, { layers, graph }) {
    const shown = layer ?? layers.layer(SHARED_LAYER);
    const all = shown === undefined ? [] : beliefsOf(shown, graph);
    if (short_channel_id_dir === undefined) {
      const page = all.sort(ORDERS[sort]).slice(start, start + limit);
      return {
        beliefs: JsonList.of(page, (one) => beliefJson(one, graph)),
        num_beliefs: all.length,
      };
    }
    const name = formatShortChannelIdDir(short_channel_id_dir);
    const found = all.filter(({ of }) => formatShortChannelIdDir(of) === name);
    const records = shown === undefined ? [] : recordsAbout(shown, short_channel_id_dir);
    return {
      beliefs: found.map((one) => beliefJson(one, graph)),
      num_beliefs: found.length,
      history: JsonList.of(records, recordJson),
    };
  },
});

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The fraction of the capacity between the bounds, from 0 to 1. */
function width({ bounds: { minMsat, maxMsat }, capacityMsat }: Belief): number {
  if (capacityMsat === undefined || capacityMsat === 0n) return 1;
  return Math.max(0, Number(maxMsat - minMsat)) / Number(capacityMsat);
}

function beliefJson({ of, capacityMsat, bounds, records, newest }: Belief, graph: ChannelGraph) {
  const channel = graph.channelIndex(of.shortChannelId);
  const ends = channel < 0 ? [] : [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
  return {
    short_channel_id_dir: formatShortChannelIdDir(of),
    source: ends[of.direction],
    destination: ends[1 - of.direction],
    capacity_msat: capacityMsat,
    minimum_msat: bounds.minMsat,
    maximum_msat: bounds.maxMsat,
    records,
    timestamp: newest,
  };
}

const recordJson = (record: LiquidityRecord) => ({
  short_channel_id_dir: formatShortChannelIdDir(record),
  kind: record.kind,
  amount_msat: record.amountMsat,
  timestamp: record.timestamp,
});
