/** `askrene-bias-channel`: makes routes prefer a channel direction, or avoid it. */
import { field, required } from '../../rpc/command.ts';
import { shortChannelIdDir } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { biasJson } from './askrene-listing.ts';
import { BIAS_PARAMS, biasChange, layerName, stored } from './askrene-types.ts';

/** Matches Core Lightning's command. `src/layers/combine.ts` adds up the biases of several layers. */
export const askreneBiasChannel = defineCommand({
  name: 'askrene-bias-channel',
  summary: 'Make routes prefer or avoid a channel direction.',
  description:
    'Positive values make the direction cheaper, negative values more expensive. A bias of 10 divides the fee and ' +
    'risk of the direction by 1.4, a bias of 50 by 5.5, and a bias of 100 by 30; negative values multiply them. A negative bias also adds a cost ' +
    'proportional to the amount: 35 ppm at -1, 408 ppm at -10, 4.5 % at -50. A route avoids the direction ' +
    'if the detour costs less. -100 is a last resort: the direction is used only if no other route meets ' +
    'the limits. Biases do not change fees, reported probabilities or limits. Biases of several layers, and ' +
    'of the nodes at both ends, add up. The sum is capped at 100 in either direction. A bias of 0 removes ' +
    'the entry.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    short_channel_id_dir: required(shortChannelIdDir, 'The direction.'),
    ...BIAS_PARAMS,
  },
  result: { biases: field('array', 'The entry. Empty if the bias is now 0.') },
  handler({ layer, short_channel_id_dir, ...change }, context) {
    const entry = context.layers.biasChannel(layer, short_channel_id_dir, biasChange(change));
    const biases = entry === undefined ? [] : [{ layer: layer.name, ...biasJson(entry) }];
    return stored(context, layer, { biases });
  },
});
