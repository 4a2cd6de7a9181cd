/** `listlayers`: lists the layers, with the number of their entries. */
import type { Layer } from '../../layers/layer.ts';
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';

/** Not in Core Lightning, whose `askrene-listlayers` shows all entries of a layer, possibly a hundred thousand. */
export const listlayers = defineCommand({
  name: 'listlayers',
  summary: 'Show the layers and how many entries each has.',
  description:
    'Shows one row per layer, in order of creation. `askrene-listlayers` shows the entries themselves.',
  category: 'routes',
  readOnly: true,
  params: {},
  result: {
    layers: field(
      'array',
      'Objects with layer, persistent, the numbers of disabled_nodes, created_channels, channel_updates, constraints, ' +
        'impressions, biases and node_biases, and newest_record? (UNIX time of the newest constraint or impression).',
    ),
  },
  handler: (_params, { layers }) => ({ layers: [...layers.layers()].map(countsOf) }),
});

function countsOf(layer: Layer) {
  let [impressions, newest] = [0, 0];
  for (const { kind, timestamp } of layer.records) {
    if (kind === 'impression') impressions++;
    newest = Math.max(newest, timestamp);
  }
  return {
    layer: layer.name,
    persistent: layer.persistent,
    disabled_nodes: layer.disabledNodes.length,
    created_channels: [...layer.createdChannels].length,
    channel_updates: [...layer.channelUpdates].length,
    constraints: layer.records.length - impressions,
    impressions,
    biases: [...layer.biases].length,
    node_biases: [...layer.nodeBiases].length,
    newest_record: newest === 0 ? undefined : newest,
  };
}
