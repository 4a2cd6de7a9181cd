/** `askrene-bias-node`: makes routes prefer all directions into or out of a node, or avoid them. */
import { field, required } from '../../rpc/command.ts';
import { nodeId, oneOf } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { nodeBiasJson } from './askrene-listing.ts';
import { BIAS_PARAMS, biasChange, layerName, stored } from './askrene-types.ts';

/**
 * Matches Core Lightning's command. A node has one entry with the values `in` and `out`. A call sets one of them and
 * leaves the other unchanged.
 */
export const askreneBiasNode = defineCommand({
  name: 'askrene-bias-node',
  summary: 'Make routes prefer or avoid the channels into or out of a node.',
  description:
    'Works like `askrene-bias-channel` on every direction that enters (`in`) or leaves (`out`) the node. ' +
    'Channels that appear later are included. Each node has one entry with both values. It is removed when ' +
    'both are 0.',
  category: 'routes',
  since: 'Core Lightning v25.12',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    node: required(nodeId, 'The node. It does not have to be in the graph.'),
    direction: required(
      oneOf(['in', 'out'], 'Expected either in or out values.'),
      '`in` or `out`. The other direction keeps its value.',
    ),
    ...BIAS_PARAMS,
  },
  result: { node_biases: field('array', 'The entry. Empty if both values are now 0.') },
  handler({ layer, node, direction, ...change }, context) {
    const entry = context.layers.biasNode(layer, node, direction, biasChange(change));
    const nodeBiases = entry === undefined ? [] : [{ layer: layer.name, ...nodeBiasJson(entry) }];
    return stored(context, layer, { node_biases: nodeBiases });
  },
});
