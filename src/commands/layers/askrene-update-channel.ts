/** `askrene-update-channel`: overrides parts of a direction's policy. */
import type { PolicyUpdate } from '../../model/policy.ts';
import { optional, required } from '../../rpc/command.ts';
import { bool, msat, shortChannelIdDir, u16, u32 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** Matches Core Lightning's command. `src/layers/combine.ts` combines the updates of several layers. */
export const askreneUpdateChannel = defineCommand({
  name: 'askrene-update-channel',
  summary: 'Override the policy of a channel direction in a layer.',
  description:
    'Overrides only the given fields. Fields set by earlier calls keep their values. Later layers of a ' +
    'route request override earlier ones field by field. The channel may be public, made by a layer, or not ' +
    'known yet.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    layer: required(layerName, 'Name of the layer.'),
    short_channel_id_dir: required(shortChannelIdDir, 'The direction.'),
    enabled: optional(bool, 'Whether the direction can be used.'),
    htlc_minimum_msat: optional(msat, 'Minimum amount of one HTLC.'),
    htlc_maximum_msat: optional(msat, 'Maximum amount of one HTLC.'),
    fee_base_msat: optional(msat, 'Fee per HTLC.'),
    fee_proportional_millionths: optional(u32, 'Fee in millionths of the amount.'),
    cltv_expiry_delta: optional(u16, 'Blocks of delay.'),
  },
  result: {},
  handler({ layer, short_channel_id_dir, ...given }, context) {
    const update: PolicyUpdate = {
      ...(given.enabled !== undefined && { enabled: given.enabled }),
      ...(given.htlc_minimum_msat !== undefined && { htlcMinimumMsat: given.htlc_minimum_msat }),
      ...(given.htlc_maximum_msat !== undefined && { htlcMaximumMsat: given.htlc_maximum_msat }),
      ...(given.fee_base_msat !== undefined && { feeBaseMsat: given.fee_base_msat }),
      ...(given.fee_proportional_millionths !== undefined && {
        feeProportionalMillionths: given.fee_proportional_millionths,
      }),
      ...(given.cltv_expiry_delta !== undefined && { cltvExpiryDelta: given.cltv_expiry_delta }),
    };
    context.layers.updateChannel(layer, short_channel_id_dir, update);
    return stored(context, layer, {});
  },
});
