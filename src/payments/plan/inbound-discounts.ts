/**
 * Subtracts inbound discounts from the fees of a route.
 *
 * A node B, entered over channel c and left over channel d with amount a, charges (bLIP 18)
 *
 *     max(0, out(a) + in(a + out(a)))        out: B's policy of d;  in: the inbound fee of B's policy of c
 *
 * The search uses one fee for each direction, so a route pays out(a), or more if B charges inbound fees on other
 * channels. If `in` is negative, the amount entering B is lowered to the amount that B requires. That also lowers the
 * amounts on the way to B, so the route is processed from its end. An amount is never lowered below the minimum of its
 * channel.
 *
 * A fee f ≥ out(a) stays sufficient: f + in(a + f) grows with f unless a discount exceeds 100 %, and greater discounts
 * count as 100 %.
 */
import type { Route, RouteHop } from '../../engine/question/route.ts';
import type { ChannelGraph, ChannelPolicy } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { forwardingFeeMsat, type InboundFee } from '../../model/policy.ts';
import { directionFrom, type ShortChannelIdDir } from '../../model/short-channel-id.ts';

const MILLION = 1_000_000n;

/**
 * The inbound fee for an incoming HTLC, negative for a discount. Fractions are truncated.
 * @param amountMsat amount of the HTLC without the inbound fee
 */
export function inboundFeeMsat({ baseMsat, ppm }: InboundFee, amountMsat: bigint): bigint {
  const millionths = BigInt(Math.max(ppm, -1_000_000));
  return BigInt(baseMsat) + (amountMsat * millionths) / MILLION;
}

/** The route after all discounts in the graph have been subtracted. Returns the same object if there are none. */
export function discounted(route: Route, graph: ChannelGraph): Route {
  const path = [...route.path];
  for (let index = path.length - 1; index > 0; index--) {
    const [before, hop] = [path[index - 1]!, path[index]!];
    const wanted = hop.amountOutMsat + feeFor(before, hop, route.path[index]!, graph);
    const least = policyOf(graph, before.shortChannelIdDir)?.htlcMinimumMsat ?? before.amountOutMsat;
    const amountMsat = msat(wanted > least ? wanted : least);
    if (amountMsat < before.amountOutMsat) {
      const ownFee = before.amountInMsat - before.amountOutMsat;
      path[index - 1] = { ...before, amountOutMsat: amountMsat, amountInMsat: msat(amountMsat + ownFee) };
    }
    const amountInMsat = path[index - 1]!.amountOutMsat;
    if (amountInMsat !== hop.amountInMsat) path[index] = { ...hop, amountInMsat };
  }
  return path.some((hop, index) => hop !== route.path[index]) ? { ...route, path } : route;
}

/**
 * The msat that the node between two hops charges for forwarding the current amount of `hop`.
 * @param found `hop` as found by the search
 */
function feeFor(before: RouteHop, hop: RouteHop, found: RouteHop, graph: ChannelGraph): bigint {
  const searched = found.amountInMsat - found.amountOutMsat;
  const policy = policyOf(graph, hop.shortChannelIdDir);
  // For a channel outside the graph, such as a blinded path, only the fee for the amount of the search is known.
  if (policy === undefined) return searched;
  const isOfPolicy = forwardingFeeMsat(policy, found.amountOutMsat) === searched;
  const out = isOfPolicy ? forwardingFeeMsat(policy, hop.amountOutMsat) : searched;
  const { shortChannelId } = before.shortChannelIdDir;
  const fee = graph.inboundDiscount(shortChannelId, directionFrom(before.nodeIdOut, before.nodeIdIn));
  if (fee === undefined) return out;
  const less = out + inboundFeeMsat(fee, hop.amountOutMsat + out);
  if (less >= out) return out;
  return less > 0n ? less : 0n;
}

function policyOf(
  graph: ChannelGraph,
  { shortChannelId, direction }: ShortChannelIdDir,
): ChannelPolicy | undefined {
  const channel = graph.channelIndex(shortChannelId);
  return channel < 0 ? undefined : graph.policy(2 * channel + direction);
}
