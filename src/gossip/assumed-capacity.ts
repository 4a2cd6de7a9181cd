/** The capacity assumed for a channel with unknown funding: the larger htlc_maximum of its two policies. */
import { type Msat, msat } from '../model/msat.ts';
import type { WirePolicy } from '../model/policy.ts';

/** The larger htlc_maximum of the two directions, in msat. 0 if neither is known. */
export function largestHtlcMaximum(
  policies: readonly (Pick<WirePolicy, 'htlcMaximumMsat'> | undefined)[],
): Msat {
  const maxima = policies.map((policy) => policy?.htlcMaximumMsat ?? msat(0n));
  return maxima.reduce((largest, one) => (one > largest ? one : largest), msat(0n));
}
