/** `askrene-create-channel`: adds a channel that only route requests with this layer see. */
import { required } from '../../rpc/command.ts';
import { msat, nodeId, shortChannelId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/**
 * Matches Core Lightning's command. @throws FulguriteError -32602 when the layer already has a channel with this id.
 */
export const askreneCreateChannel = defineCommand({
  name: 'askrene-create-channel',
  summary: 'Add a channel to a layer.',
  description:
    'The channel exists for route requests that use the layer. If the public graph has a channel with the ' +
    'same id, the public one takes precedence. The nodes do not have to be in the graph. To make a ' +
    'direction usable, call `askrene-update-channel` with at least `enabled` and `htlc_maximum_msat`.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    source: required(nodeId, 'One end.'),
    destination: required(nodeId, 'The other end. The order of the two nodes does not matter.'),
    short_channel_id: required(shortChannelId, 'Channel id. Must not exist in the layer yet.'),
    capacity_msat: required(msat, 'Capacity of the channel.'),
  },
  result: {},
  handler({ layer, source, destination, short_channel_id, capacity_msat }, context) {
    context.layers.createChannel(layer, source, destination, short_channel_id, capacity_msat);
    return stored(context, layer, {});
  },
});
