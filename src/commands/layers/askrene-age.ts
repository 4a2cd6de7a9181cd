/** `askrene-age`: removes what a layer learned before a given time. */
import { field, required } from '../../rpc/command.ts';
import { u64 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** Matches Core Lightning's command. If the layer is persistent, returns when the removal is on disk. */
export const askreneAge = defineCommand({
  name: 'askrene-age',
  summary: 'Remove old constraints, impressions and biases from a layer.',
  description:
    'Removes entries made before the cutoff. Created channels, updates and disabled nodes have no age and ' +
    'are kept. The age of a node bias is that of its most recently changed direction.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    cutoff: required(u64, 'UNIX time in seconds. Entries made at exactly this time are kept.'),
  },
  result: {
    layer: field('string', 'Name of the layer.'),
    num_removed: field('u64', 'Number of entries removed.'),
  },
  handler({ layer, cutoff }, context) {
    const removed = context.layers.age(layer, cutoff);
    return stored(context, layer, { layer: layer.name, num_removed: removed });
  },
});
