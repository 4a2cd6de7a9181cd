/** `askrene-inform-channel`: records in a layer what a payment revealed about a direction. */
import { field, required } from '../../rpc/command.ts';
import { msat, oneOf, shortChannelIdDir } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { constraintJson, impressionJson } from './askrene-listing.ts';
import { layerName, stored } from './askrene-types.ts';

const INFORM = ['constrained', 'unconstrained', 'succeeded'] as const;

/** Matches Core Lightning's command. `src/payments/learn/learning.ts` makes the same records from our own payments. */
export const askreneInformChannel = defineCommand({
  name: 'askrene-inform-channel',
  summary: 'Record in a layer what a channel direction could or could not carry.',
  description:
    '`constrained`: the direction could not carry the amount in addition to the global reservations and ' +
    'those of this layer. So its maximum is one millisatoshi less than the sum. `unconstrained`: the direction could ' +
    'have carried the amount. `succeeded`: it carried the amount, so that liquidity moved to the other ' +
    'side. Each call adds a record. `askrene-age` removes old ones.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    short_channel_id_dir: required(shortChannelIdDir, 'The direction.'),
    amount_msat: required(msat, 'The amount that the channel carried or should have carried.'),
    inform: required(
      oneOf(INFORM, 'must be constrained/unconstrained/succeeded'),
      'What happened: constrained, unconstrained or succeeded.',
    ),
  },
  result: {
    constraints: field('array', 'The record, if it is a minimum or maximum.'),
    impressions: field('array', 'The record, if liquidity moved.'),
  },
  handler({ layer, short_channel_id_dir, amount_msat, inform }, context) {
    const record = context.layers.informChannel(layer, short_channel_id_dir, amount_msat, inform);
    const entry = { ...short_channel_id_dir, ...record };
    const impression = record.kind === 'impression';
    return stored(context, layer, {
      constraints: impression ? [] : [{ layer: layer.name, ...constraintJson(entry) }],
      impressions: impression ? [{ layer: layer.name, ...impressionJson(entry) }] : [],
    });
  },
});
