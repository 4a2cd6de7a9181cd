/**
 * Inbound fees (bLIP 18): what a node charges for HTLCs that come in over one of its channels, beside what it charges for
 * those that leave. B, entered over channel c and left over channel d with amount a, wants
 *
 *     out(a) + in(a + out(a))        out: B's policy of d;  in: the inbound fee of B's policy of c
 *
 * The graph knows one fee for each direction, regardless of the channel by which an HTLC came in. So all that leaves a node is charged
 * as if it had come in by the channel with the greatest inbound fee. That is never too little, and nothing changes for
 * the nodes whose inbound fees are all 0 or discounts: practically all. A discount is noted beside the policy in the
 * graph, and taken off a route that was found (payments/plan/inbound-discounts.ts).
 *
 * With b, p of out and B, P of in, all fees exact: out + in = b + B + b·P/10⁶ + a · (p + P + p·P/10⁶)/10⁶, rounded up, and
 * one ppm more for what each of the two roundings may lack.
 */
import type { InboundFee } from '../../../model/policy.ts';
import type { RoutingPolicy } from '../answers.ts';

/** No inbound fee. */
export const NO_INBOUND_FEE: InboundFee = { baseMsat: 0, ppm: 0 };

const MILLION = 1_000_000;

/** The inbound fee of a policy, as far as it is positive. */
export function positiveInboundFee(policy: RoutingPolicy): InboundFee {
  const { inbound_fee_base_msat: base, inbound_fee_rate_milli_msat: ppm } = policy;
  if (base <= 0 && ppm <= 0) return NO_INBOUND_FEE;
  return { baseMsat: Math.max(0, base), ppm: Math.max(0, ppm) };
}

/** The inbound fee of a policy if a part of it is a discount. */
export function discountIn(policy: RoutingPolicy): InboundFee | undefined {
  const { inbound_fee_base_msat: baseMsat, inbound_fee_rate_milli_msat: ppm } = policy;
  return baseMsat < 0 || ppm < 0 ? { baseMsat, ppm } : undefined;
}

/** A fee that is at least both. */
export const greatest = (a: InboundFee, b: InboundFee): InboundFee => ({
  baseMsat: Math.max(a.baseMsat, b.baseMsat),
  ppm: Math.max(a.ppm, b.ppm),
});

/** Base fee and rate that cover an outgoing fee together with an inbound one. */
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
