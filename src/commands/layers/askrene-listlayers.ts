/** `askrene-listlayers`: shows the layers and their entries. */
import { field, optional } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { defineCommand } from '../context.ts';
import { layerJson } from './askrene-listing.ts';
import { layerName } from './askrene-types.ts';

/** Matches Core Lightning's command. Automatic layers are not shown. */
export const askreneListlayers = defineCommand({
  name: 'askrene-listlayers',
  summary: 'Show one layer or all of them.',
  description:
    'Shows the changes that each layer applies to route requests that use it. Entries are listed in the ' +
    'order in which they were created. `disabled_channels` is present only if it has entries.',
  category: 'routes',
  readOnly: true,
  since: 'Core Lightning v24.11',
  params: { layer: optional(layerName, 'Show only this layer.') },
  result: {
    layers: field(
      'array',
      'Objects with layer, persistent, disabled_nodes, created_channels, channel_updates, constraints, ' +
        'disabled_channels?, impressions, biases, node_biases.',
    ),
  },
  handler({ layer }, { layers, listsAsAskrene }) {
    const shown = layer === undefined ? [...layers.layers()] : [layer];
    return { layers: JsonList.of(shown, (one) => layerJson(one, listsAsAskrene)) };
  },
});
