/** The terms of one side of a channel, as `listpeerchannels` shows them. */
import type { PolicyTerms } from '../model/policy.ts';

/** Undefined without terms. */
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
