/** Channel states and policies, as Core Lightning's `listpeerchannels` shows them. */
import type { PolicyTerms } from '../model/policy.ts';
import type { ChannelPhase } from './port.ts';

const STATES: Readonly<Record<ChannelPhase, string>> = {
  opening: 'CHANNELD_AWAITING_LOCKIN',
  normal: 'CHANNELD_NORMAL',
  onchain: 'ONCHAIN',
};

/** Core Lightning's name for the state of a channel. */
export const channelState = (phase: ChannelPhase): string => STATES[phase];

/** The terms of one side of a channel, as `listpeerchannels` shows them. Undefined if `policy` is undefined. */
export function policyRow(policy: PolicyTerms | undefined): object | undefined {
  return (
    policy && {
      htlc_minimum_msat: policy.htlcMinimumMsat,
      htlc_maximum_msat: policy.htlcMaximumMsat,
      cltv_expiry_delta: policy.cltvExpiryDelta,
      fee_base_msat: policy.feeBaseMsat,
      fee_proportional_millionths: policy.feeProportionalMillionths,
    }
  );
}
