/**
 * Inbound fees (bLIP 18): what a node charges for HTLCs that arrive over one of its channels, in addition to what it
 * charges for forwarding them. If an HTLC enters node N over channel c and leaves it over channel d with amount a, N
 * charges
 *
 *     out(a) + in(a + out(a))        out: N's policy of d;  in: the inbound fee of N's policy of c
 *
 * The graph has one fee per direction, regardless of the channel by which an HTLC arrives. So the fees in the graph
 * assume that each HTLC arrives by the channel with the largest inbound fee. They are never too low, and they are exact
 * for nodes whose inbound fees are all 0, which are almost all nodes. A discount (a negative inbound fee) is stored
 * with the policy in the graph, and subtracted from routes that were found (payments/plan/inbound-discounts.ts).
 *
 * Let b and p be the base fee and the rate of out, and B and P those of in. Without rounding, out + in = b + B +
 * b·P/10⁶ + a · (p + P + p·P/10⁶)/10⁶. We round both terms up, and add one msat and one ppm to cover the two roundings.
 */
import type { InboundFee } from '../../../model/policy.ts';
import type { RoutingPolicy } from '../answers.ts';

/** An inbound fee of zero. */
export const NO_INBOUND_FEE: InboundFee = { baseMsat: 0, ppm: 0 };

const MILLION = 1_000_000;

/** The inbound fee of a policy, with 0 in place of a negative base fee or rate. */
export function positiveInboundFee(policy: RoutingPolicy): InboundFee {
  const { inbound_fee_base_msat: base, inbound_fee_rate_milli_msat: ppm } = policy;
  if (base <= 0 && ppm <= 0) return NO_INBOUND_FEE;
  return { baseMsat: Math.max(0, base), ppm: Math.max(0, ppm) };
}

/** The inbound fee of a policy, if its base fee or its rate is a discount. */
export function discountIn(policy: RoutingPolicy): InboundFee | undefined {
  const { inbound_fee_base_msat: baseMsat, inbound_fee_rate_milli_msat: ppm } = policy;
  return baseMsat < 0 || ppm < 0 ? { baseMsat, ppm } : undefined;
}

/** A fee that is at least as large as both fees. */
export const greatest = (a: InboundFee, b: InboundFee): InboundFee => ({
  baseMsat: Math.max(a.baseMsat, b.baseMsat),
  ppm: Math.max(a.ppm, b.ppm),
});

/** A base fee and a rate that cover an outgoing fee and an inbound fee together. */
export function withInbound(
  feeBaseMsat: number,
  feeProportionalMillionths: number,
  inbound: InboundFee,
): { readonly feeBaseMsat: number; readonly feeProportionalMillionths: number } {
  const { baseMsat, ppm } = inbound;
  if (baseMsat === 0 && ppm === 0) return { feeBaseMsat, feeProportionalMillionths };
  return {
    feeBaseMsat: feeBaseMsat + baseMsat + Math.ceil((feeBaseMsat * ppm) / MILLION) + 1,
    feeProportionalMillionths:
      feeProportionalMillionths + ppm + Math.ceil((feeProportionalMillionths * ppm) / MILLION) + 1,
  };
}
