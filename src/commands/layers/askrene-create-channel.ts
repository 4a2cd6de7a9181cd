/** `askrene-create-channel`: a channel that exists by a layer's word. */
import { required } from '../../rpc/command.ts';
import { msat, nodeId, shortChannelId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

export const askreneCreateChannel = defineCommand({
  name: 'askrene-create-channel',
  summary: 'Add a channel to a layer.',
  description:
    'The channel exists for route requests that name the layer, unless the public graph has one of that id. ' +
    'Its nodes need not be known. A direction becomes usable with `askrene-update-channel`, which must give ' +
    'at least `enabled` and `htlc_maximum_msat`.',
  category: 'routes',
  since: 'v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    source: required(nodeId, 'One end.'),
    destination: required(nodeId, 'The other end; the order does not matter.'),
    short_channel_id: required(shortChannelId, 'Id of the channel, new to this layer.'),
    capacity_msat: required(msat, 'What the channel holds.'),
  },
  result: {},
  handler({ layer, source, destination, short_channel_id, capacity_msat }, context) {
    context.layers.createChannel(layer, source, destination, short_channel_id, capacity_msat);
    return stored(context, layer, {});
  },
});
