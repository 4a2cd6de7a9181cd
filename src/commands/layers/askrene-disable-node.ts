/** `askrene-disable-node`: keeps routes from passing through a node. */
import { required } from '../../rpc/command.ts';
import { nodeId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** Matches Core Lightning's command. The node may still be the destination of a route; see `src/layers/combine.ts`. */
export const askreneDisableNode = defineCommand({
  name: 'askrene-disable-node',
  summary: 'Disable a node in a layer.',
  description:
    'Blocks every direction out of the node, and every direction into it unless the node is the destination of the ' +
    'payment. This includes channels that appear later and channels created by layers. An update with `enabled` true ' +
    'in the same or a later layer re-enables a direction.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    node: required(nodeId, 'The node. It does not have to be in the graph.'),
  },
  result: {},
  handler({ layer, node }, context) {
    context.layers.disableNode(layer, node);
    return stored(context, layer, {});
  },
});
