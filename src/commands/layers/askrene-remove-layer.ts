/** `askrene-remove-layer`: removes a layer and everything in it. */
import { required } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** Matches Core Lightning's command. A new layer of the same name is a different layer, with its own id. */
export const askreneRemoveLayer = defineCommand({
  name: 'askrene-remove-layer',
  summary: 'Remove a layer.',
  description: 'Removes the layer, all its entries, the reservations tagged with it, and its copy on disk.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: { layer: required(layerName, 'Name of the layer.') },
  result: {},
  handler({ layer }, context) {
    context.layers.removeLayer(layer);
    return stored(context, layer, {});
  },
});
