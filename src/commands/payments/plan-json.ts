/** A plan as `plankeysend`, `planxpay` and `plantransfer` return it. */

import type { Route } from '../../engine/question/route.ts';
import { PaymentFailed, type PaymentRequest } from '../../payments/payment.ts';
import { BLINDED_RECIPIENT, recipientOf } from '../../payments/plan/recipient.ts';
import { delayOf, feeOf } from '../../payments/plan/route-cost.ts';
import { routePrivacy } from '../../privacy/plan-privacy.ts';
import { field, optionalField } from '../../rpc/command.ts';
import type { NodeContext } from '../context.ts';
import { hopData } from './books/attempt-json.ts';
import { paymentError } from './failure-words.ts';

/** The members of the result. */
export const PLAN_RESULT = {
  seed: field('u64', 'Pass it to the payment command to repeat this plan.'),
  amount_msat: field('msat', 'Amount the recipient would receive, including the shadow amount.'),
  amount_sent_msat: field('msat', 'Amount that would be sent, including fees.'),
  fee_msat: field('msat', 'Fees: amount_sent_msat minus amount_msat.'),
  shadow_msat: field('msat', 'Amount the recipient would receive beyond the requested amount.'),
  shadow_delay: field('u32', 'Blocks added to make the route look longer.'),
  delay: field('u32', 'Maximum number of blocks for which our money would be locked.'),
  probability_ppm: field('ppm', 'Probability that all parts arrive, in parts per million.'),
  disregarded_layers: optionalField(
    'array',
    'Layers of earlier lessons that left no route. The payment ignores them, because liquidity may have ' +
      'returned to channels since.',
  ),
  from_each_node: optionalField(
    'array',
    'Present if several of our nodes may send: what the payment would cost if a single node sent all of it. Objects with ' +
      'node, and either fee_msat, parts and probability_ppm, or error (code, message).',
  ),
  parts: field(
    'array',
    'Objects with node (if several of ours may send), amount_msat, amount_sent_msat, probability_ppm, odds, privacy and route, hop ' +
      'by hop. `odds` explains the probability (absent with `--no-learned-odds`): balances_ppm is the probability that all balances suffice; nodes_ppm is the ' +
      'probability that all nodes respond and keep their terms; searched_ppm is the probability that all balances suffice if ' +
      'they are uniformly distributed between their bounds; unknown_hops is the number of hops whose balance is unknown. The ' +
      'product of balances_ppm and nodes_ppm is corrected by the outcomes of earlier predictions. `privacy` has the ' +
      'smallest sets of nodes that a forwarding node can infer from amounts, expiries and the public graph: how many ' +
      'could be the recipient (recipients), and the sender (senders). It is absent if no node forwards.',
  ),
};

/**
 * What the payment would cost if each of our nodes paid it alone. Undefined if there is only one node, or if a single
 * node was requested.
 */
async function alone(request: PaymentRequest, { payments }: NodeContext, client: object) {
  const nodes = payments.purse?.nodes.list ?? [];
  const asked = nodes.filter(({ nodeId }) => request.ourNodes?.includes(nodeId) !== false);
  if (asked.length < 2) return undefined;
  const costs = [];
  for (const { name, nodeId } of asked) {
    try {
      const { routes, probabilityPpm } = await payments.plan({ ...request, ourNodes: [nodeId] }, client);
      const feeMsat = feeOf(routes);
      costs.push({ node: name, fee_msat: feeMsat, parts: routes.length, probability_ppm: probabilityPpm });
    } catch (error) {
      if (!(error instanceof PaymentFailed)) throw error;
      const { code, message } = paymentError(error.payment);
      costs.push({ node: name, error: { code, message } });
    }
  }
  return costs;
}

/** The components of a route's odds. Undefined if nothing is learned. */
export function oddsJson({ payments }: NodeContext, path: Route['path'], layers: readonly string[]) {
  const split = payments.oddsOf?.(path, layers);
  if (split === undefined) return undefined;
  const ppm = (chance: number): number => Math.floor(1e6 * chance);
  return {
    balances_ppm: ppm(split.balances),
    nodes_ppm: ppm(split.nodes),
    searched_ppm: ppm(split.searched),
    unknown_hops: split.unknownHops,
  };
}

/**
 * How many nodes could be the recipient or the sender, according to the best-informed forwarding node. If the route
 * ends in a blinded path, the nodes before it know only the introduction node.
 */
function privacyJson(path: Route['path'], finalBlocks: number, { graph }: NodeContext) {
  const isBlinded = path.at(-1)!.nodeIdOut === BLINDED_RECIPIENT;
  const seen = isBlinded ? path.slice(0, -1) : path;
  const hops = seen.map(({ shortChannelIdDir, amountOutMsat, cltvOut }) => ({
    ...shortChannelIdDir,
    amountMsat: amountOutMsat,
    blocks: cltvOut,
  }));
  return routePrivacy(graph, hops, isBlinded ? path.at(-1)!.cltvIn : finalBlocks);
}

/** The first attempts that the payment would make. @throws FulguriteError as the payment itself */
export async function planJson(request: PaymentRequest, context: NodeContext, client: object) {
  const plan = await context.payments.plan(request, client);
  const { routes, probabilityPpm, shadow, disregardedLayers } = plan;
  const { finalCltv } = recipientOf(request);
  const amountMsat = routes.reduce((sum, { path }) => sum + path.at(-1)!.amountOutMsat, 0n);
  const feeMsat = feeOf(routes);
  return {
    seed: request.seed,
    amount_msat: amountMsat,
    amount_sent_msat: amountMsat + feeMsat,
    fee_msat: feeMsat,
    shadow_msat: shadow.amountMsat,
    shadow_delay: shadow.delayBlocks,
    delay: delayOf(routes),
    probability_ppm: probabilityPpm,
    disregarded_layers: disregardedLayers,
    from_each_node: await alone(request, context, client),
    parts: routes.map((route) => ({
      node: context.payments.purse?.nodes.byId(route.path[0]!.nodeIdIn)?.name,
      amount_msat: route.path.at(-1)!.amountOutMsat,
      amount_sent_msat: route.path[0]!.amountOutMsat,
      probability_ppm: route.probabilityPpm,
      odds: oddsJson(context, route.path, request.layers),
      privacy: privacyJson(route.path, finalCltv, context),
      route: route.path.map(hopData),
    })),
  };
}
