/** `askrene-remove-channel-update`: takes back all overrides of a direction. */
import { required } from '../../rpc/command.ts';
import { shortChannelIdDir } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** As Core Lightning's command. It succeeds also when the layer overrides nothing of the direction. */
export const askreneRemoveChannelUpdate = defineCommand({
  name: 'askrene-remove-channel-update',
  summary: 'Remove the overrides of a channel direction from a layer.',
  description: 'Reverts `askrene-update-channel`. Succeeds if nothing is set.',
  category: 'routes',
  since: 'v26.06',
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
