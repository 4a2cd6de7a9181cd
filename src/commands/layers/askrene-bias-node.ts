/** `askrene-bias-node`: prefer all directions into or out of a node, or avoid them. */
import { field, optional, required, withDefault } from '../../rpc/command.ts';
import { bool, nodeId, oneOf, shortText } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { nodeBiasJson } from './askrene-listing.ts';
import { bias, biasChange, layerName, stored } from './askrene-types.ts';

export const askreneBiasNode = defineCommand({
  name: 'askrene-bias-node',
  summary: 'Make routes prefer or avoid the channels into or out of a node.',
  description:
    'Works like `askrene-bias-channel` on every direction that enters (`in`) or leaves (`out`) the node, ' +
    'present and future. One entry per node holds both; it is removed when both are 0.',
  category: 'routes',
  since: 'v25.12',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    node: required(nodeId, 'The node; it need not be known.'),
    direction: required(
      oneOf(['in', 'out'], 'Expected either in or out values.'),
      'in or out; the other side keeps its bias.',
    ),
    bias: required(bias, 'From -100 to 100.'),
    description: optional(shortText, 'A note of at most 4096 bytes, shown in lists; replaced by every call.'),
    relative: withDefault(bool, false, 'Whether to add to the present bias rather than replace it.'),
  },
  result: { node_biases: field('array', 'The entry; empty when both biases are now 0.') },
  handler({ layer, node, direction, ...change }, context) {
    const entry = context.layers.biasNode(layer, node, direction, biasChange(change));
    const nodeBiases = entry === undefined ? [] : [{ layer: layer.name, ...nodeBiasJson(entry) }];
    return stored(context, layer, { node_biases: nodeBiases });
  },
});
