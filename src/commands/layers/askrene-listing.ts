/**
 * Layers and their entries as results show them. A long list is encoded while it is sent. Its entries are collected
 * beforehand, so that the result shows each layer as it was at a single moment.
 */

import type {
  ChannelBiasEntry,
  ChannelUpdateEntry,
  CreatedChannelEntry,
  NodeBiasEntry,
} from '../../layers/entries.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LiquidityRecord } from '../../layers/liquidity-records.ts';
import { formatShortChannelId, formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { JsonList } from '../../rpc/json-write.ts';

/**
 * Lists with more entries than this are encoded while they are sent. For shorter lists, that would cost more than it
 * saves.
 */
const LONG = 1000;

/**
 * A layer with all its entries, as `askrene-listlayers` shows it. Empty lists are included, except `disabled_channels`.
 * @param isAskrenes whether to leave out `disabled_channels`, which cln-askrene lacks
 */
export function layerJson(layer: Layer, isAskrenes = false) {
  const updates = [...layer.channelUpdates];
  const disabled = isAskrenes ? [] : updates.filter(({ update }) => update.enabled === false);
  return {
    layer: layer.name,
    persistent: layer.persistent,
    disabled_nodes: list(layer.disabledNodes, (node) => node),
    created_channels: list([...layer.createdChannels], createdChannelJson),
    channel_updates: list(updates, channelUpdateJson),
    constraints: recordList(layer.records, ({ kind }) => kind !== 'impression', constraintJson),
    disabled_channels: disabled.length > 0 ? list(disabled, formatShortChannelIdDir) : undefined,
    impressions: recordList(layer.records, ({ kind }) => kind === 'impression', impressionJson),
    biases: list([...layer.biases], biasJson),
    node_biases: list([...layer.nodeBiases], nodeBiasJson),
  };
}

function list<T, U>(entries: readonly T[], toJson: (entry: T) => U): U[] | JsonList<U> {
  if (entries.length <= LONG) return entries.map(toJson);
  return JsonList.of([...entries], toJson);
}

/**
 * Those records of a layer that `isShown` selects, as results show them. A layer only appends to these records, so they
 * need not be copied.
 */
function recordList<T>(
  records: Layer['records'],
  isShown: (record: LiquidityRecord) => boolean,
  toJson: (record: LiquidityRecord) => T,
): T[] | JsonList<T> {
  if (records.length <= LONG) return [...records].filter(isShown).map(toJson);
  return new JsonList(chosen(records, records.end, isShown, toJson));
}

function* chosen<T>(
  records: Layer['records'],
  end: number,
  isShown: (record: LiquidityRecord) => boolean,
  toJson: (record: LiquidityRecord) => T,
): Generator<T, void> {
  for (let sequence = records.first; sequence < end; sequence++) {
    const record = records.at(sequence);
    if (record !== undefined && isShown(record)) yield toJson(record);
  }
}

/** An entry of `created_channels`. `source` is always the end with the smaller node id. */
export const createdChannelJson = ({ node1, node2, shortChannelId, capacityMsat }: CreatedChannelEntry) => ({
  source: node1,
  destination: node2,
  short_channel_id: formatShortChannelId(shortChannelId),
  capacity_msat: capacityMsat,
});

/** An entry of `channel_updates`. Fields that the update does not change are absent. */
export function channelUpdateJson(entry: ChannelUpdateEntry) {
  const { update } = entry;
  return {
    short_channel_id_dir: formatShortChannelIdDir(entry),
    enabled: update.enabled,
    htlc_minimum_msat: update.htlcMinimumMsat,
    htlc_maximum_msat: update.htlcMaximumMsat,
    fee_base_msat: update.feeBaseMsat,
    fee_proportional_millionths: update.feeProportionalMillionths,
    cltv_expiry_delta: update.cltvExpiryDelta,
  };
}

/**
 * An entry of `constraints`. A minimum of 0 msat carries no information, so the entry then shows neither minimum nor
 * maximum.
 */
export const constraintJson = (record: LiquidityRecord) => ({
  short_channel_id_dir: formatShortChannelIdDir(record),
  timestamp: record.timestamp,
  minimum_msat: record.kind === 'minimum' && record.amountMsat > 0n ? record.amountMsat : undefined,
  maximum_msat: record.kind === 'maximum' ? record.amountMsat : undefined,
});

/** An entry of `impressions`: `amount_msat` moved in the named direction. */
export const impressionJson = (record: LiquidityRecord) => ({
  short_channel_id_dir: formatShortChannelIdDir(record),
  timestamp: record.timestamp,
  amount_msat: record.amountMsat,
});

/** An entry of `biases`, also in the result of `askrene-bias-channel`. */
export const biasJson = (entry: ChannelBiasEntry) => ({
  short_channel_id_dir: formatShortChannelIdDir(entry),
  description: entry.description,
  bias: entry.bias,
  timestamp: entry.timestamp,
});

/** An entry of `node_biases`: a node and both of its values. */
export const nodeBiasJson = (entry: NodeBiasEntry) => ({
  node: entry.node,
  description: entry.description,
  in_bias: entry.inBias,
  out_bias: entry.outBias,
  timestamp: entry.timestamp,
});
