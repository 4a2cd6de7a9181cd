/** `askrene-bias-channel`: prefer a direction, or avoid it. */
import { field, optional, required, withDefault } from '../../rpc/command.ts';
import { bool, shortChannelIdDir, shortText } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { biasJson } from './askrene-listing.ts';
import { bias, biasChange, layerName, stored } from './askrene-types.ts';

export const askreneBiasChannel = defineCommand({
  name: 'askrene-bias-channel',
  summary: 'Make routes prefer or avoid a channel direction.',
  description:
    'Positive values draw routes to the direction, negative ones keep them away. Biases of several layers, ' +
    'and those of the nodes at both ends, add up to at most 100 either way. A bias of 0 removes the entry.',
  category: 'routes',
  since: 'v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    short_channel_id_dir: required(shortChannelIdDir, 'The direction.'),
    bias: required(bias, 'From -100 to 100.'),
    description: optional(shortText, 'A note of at most 4096 bytes, shown in lists; replaced by every call.'),
    relative: withDefault(bool, false, 'Whether to add to the present bias rather than replace it.'),
  },
  result: { biases: field('array', 'The entry; empty when the bias is now 0.') },
  handler({ layer, short_channel_id_dir, ...change }, context) {
    const entry = context.layers.biasChannel(layer, short_channel_id_dir, biasChange(change));
    const biases = entry === undefined ? [] : [{ layer: layer.name, ...biasJson(entry) }];
    return stored(context, layer, { biases });
  },
});
