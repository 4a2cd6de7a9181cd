/** `askrene-remove-channel-update`: removes all overrides of a direction. */
import { required } from '../../rpc/command.ts';
import { shortChannelIdDir } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** Matches Core Lightning's command. It also succeeds when the layer has no override for the direction. */
export const askreneRemoveChannelUpdate = defineCommand({
  name: 'askrene-remove-channel-update',
  summary: 'Remove the overrides of a channel direction from a layer.',
  description: 'Reverts `askrene-update-channel`. Succeeds if nothing is set.',
  category: 'routes',
  since: 'Core Lightning v26.06',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    short_channel_id_dir: required(shortChannelIdDir, 'The direction.'),
  },
  result: {},
  handler({ layer, short_channel_id_dir }, context) {
    context.layers.removeChannelUpdate(layer, short_channel_id_dir);
    return stored(context, layer, {});
  },
});
