/**
 * Layers and their entries as answers show them. Long lists are encoded while they are sent, from a copy of
 * the references made at once: an answer shows each layer as it was at one moment.
 */
import type { LiquidityRecord } from '../../layers/channel-history.ts';
import type {
  ChannelBiasEntry,
  ChannelUpdateEntry,
  CreatedChannelEntry,
  NodeBiasEntry,
} from '../../layers/entries.ts';
import type { Layer } from '../../layers/layer.ts';
import { formatShortChannelId, formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { JsonList } from '../../rpc/json-write.ts';

/** Lists beyond this length are streamed; below, that would cost more than it saves. */
const LONG = 1000;

export type RecordEntry = Omit<LiquidityRecord, 'older'>;

export function layerJson(layer: Layer): object {
  const updates = [...layer.channelUpdates];
  const disabled = updates.filter(({ update }) => update.enabled === false);
  return {
    layer: layer.name,
    persistent: layer.persistent,
    disabled_nodes: list(layer.disabledNodes, (node) => node),
    created_channels: list([...layer.createdChannels], createdChannelJson),
    channel_updates: list(updates, channelUpdateJson),
    constraints: list(
      layer.records.filter(({ kind }) => kind !== 'impression'),
      constraintJson,
    ),
    disabled_channels: disabled.length > 0 ? list(disabled, formatShortChannelIdDir) : undefined,
    impressions: list(
      layer.records.filter(({ kind }) => kind === 'impression'),
      impressionJson,
    ),
    biases: list([...layer.biases], biasJson),
    node_biases: list([...layer.nodeBiases], nodeBiasJson),
  };
}

function list<T>(entries: readonly T[], toJson: (entry: T) => unknown): unknown[] | JsonList {
  if (entries.length <= LONG) return entries.map(toJson);
  return new JsonList(mapped([...entries], toJson));
}

/** The entries' JSON, made one by one while the answer is sent. */
export function* mapped<T>(entries: readonly T[], toJson: (entry: T) => unknown): Generator<unknown, void> {
  for (const entry of entries) yield toJson(entry);
}

export const createdChannelJson = ({
  node1,
  node2,
  shortChannelId,
  capacityMsat,
}: CreatedChannelEntry): object => ({
  source: node1,
  destination: node2,
  short_channel_id: formatShortChannelId(shortChannelId),
  capacity_msat: capacityMsat,
});

export function channelUpdateJson(entry: ChannelUpdateEntry): object {
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

/** A minimum of nothing says nothing, and is shown as neither minimum nor maximum. */
export const constraintJson = (record: RecordEntry): object => ({
  short_channel_id_dir: formatShortChannelIdDir(record),
  timestamp: record.timestamp,
  minimum_msat: record.kind === 'minimum' && record.amountMsat > 0n ? record.amountMsat : undefined,
  maximum_msat: record.kind === 'maximum' ? record.amountMsat : undefined,
});

export const impressionJson = (record: RecordEntry): object => ({
  short_channel_id_dir: formatShortChannelIdDir(record),
  timestamp: record.timestamp,
  amount_msat: record.amountMsat,
});

export const biasJson = (entry: ChannelBiasEntry): object => ({
  short_channel_id_dir: formatShortChannelIdDir(entry),
  description: entry.description,
  bias: entry.bias,
  timestamp: entry.timestamp,
});

export const nodeBiasJson = (entry: NodeBiasEntry): object => ({
  node: entry.node,
  description: entry.description,
  in_bias: entry.inBias,
  out_bias: entry.outBias,
  timestamp: entry.timestamp,
});
