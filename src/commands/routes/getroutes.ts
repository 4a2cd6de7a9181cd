/**
 * `getroutes`: finds the routes that deliver an amount at the lowest cost of fee, risk and delay, with the given layers
 * and limits.
 */

import type { RouteOptions } from '../../engine/host/engine-options.ts';
import { bestBeside, type FrontSearch, routeFront } from '../../engine/question/front.ts';
import { ANY_REMEDY, MAX_DELAY_BLOCKS } from '../../engine/question/remedy-rules.ts';
import type { Route, RouteAnswer, RouteHop, RouteQuery } from '../../engine/question/route.ts';
import { AUTOMATIC, automaticLayer } from '../../layers/automatic.ts';
import { FulguriteError } from '../../model/errors.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { field, forDevelopers, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import { arrayOf, BadToken, bool, msat, nodeId, oneOf, shortChannelId, u32 } from '../../rpc/param-types.ts';
import { refusedParameter } from '../../rpc/params.ts';
import { defineCommand, type NodeParamType } from '../context.ts';
import { circularAnswer, isCircular } from './circular.ts';

/** What each automatic layer does, as the end of a sentence that begins with its name. */
const DOES: Readonly<Record<keyof typeof AUTOMATIC, string>> = {
  sourcefree: 'waives the source’s own fees and delay',
  localchans: 'adds our own channels with exact balances',
  purse: 'makes all our nodes one source, whose id is purse_id of getinfo (with several nodes)',
  learned: 'applies what was learned from our own attempts about balances and nodes',
  includeFees: 'deducts the fees from the amount',
  allowCircular: 'permits routes from our node back to itself',
  noMppSupport: 'limits the answer to one part (deprecated: use maxparts)',
};
const AUTOMATIC_LAYERS = (Object.keys(DOES) as (keyof typeof DOES)[])
  .map((layer) => `\`${AUTOMATIC[layer].name}\` ${DOES[layer]}`)
  .join(', ');

/** The name of an existing or automatic layer; the handler receives the name. */
export const routeLayer: NodeParamType<string> = {
  name: 'layer',
  schema: { type: 'string' },
  parse(token, { layers }) {
    if (token.kind !== 'string') throw new BadToken('should be a string', token);
    const known = automaticLayer(token.text) !== undefined || layers.layerIdByName(token.text) !== undefined;
    if (!known) throw new BadToken('unknown layer', token);
    return token.text;
  },
};

/** Maximum number of layers per request. The search visits every channel that a layer mentions. */
export const MAX_LAYERS = 1000;

/** Maximum number of own channels that a request can name. */
const MAX_CIRCLE_CHANNELS = 1000;

/** Parameters that every route request must have, in Core Lightning's positional order. */
export const ROUTE_PARAMS = {
  source: required(nodeId, 'Node the routes start from.'),
  destination: required(nodeId, 'Node that receives.'),
  amount_msat: required(msat, 'Amount that the destination receives.'),
  layers: required(arrayOf(routeLayer, MAX_LAYERS), 'Names of layers to apply, in order.'),
  maxfee_msat: required(msat, 'Maximum total fee of all routes.'),
  final_cltv: required(u32, 'CLTV delta of the final hop, in blocks.'),
};

/** Limits that every route request may set. */
export const ROUTE_LIMITS = {
  maxdelay: withDefault(
    u32,
    MAX_DELAY_BLOCKS,
    `Maximum number of blocks for which money may be locked on any route, including final_cltv. At most ${MAX_DELAY_BLOCKS}.`,
  ),
  maxparts: withDefault(u32, 100, 'Maximum number of routes to split the amount into.'),
};

/** Matches Core Lightning's command. `src/engine/question/objective.ts` defines the prices in the formula. */
export const getroutes = defineCommand({
  name: 'getroutes',
  summary: 'Find routes for a payment.',
  description:
    'Finds one or more routes that together deliver the amount within the given limits. They minimise fee + ' +
    'price of risk × −ln(probability) + price of delay + price per additional part. Layers modify the view ' +
    'of the network, in the order given. Automatic layers: ' +
    `${AUTOMATIC_LAYERS}. ` +
    'If there is no route, `data.binding` names the constraint that prevents one, and `data.remedy` gives ' +
    'parameters for which there is a route. Each of them differs from the request by the ' +
    'smallest change that works, within 1 %. With `minimal: false`, a smaller change may work too.',
  category: 'routes',
  readOnly: true,
  since: 'Core Lightning v24.08',
  params: {
    ...ROUTE_PARAMS,
    ...ROUTE_LIMITS,
    dev_algorithm: forDevelopers(
      optional(
        oneOf(['default', 'single-path'], 'unknown algorithm'),
        '`single-path` is the same as maxparts 1.',
      ),
    ),
    pareto: withDefault(bool, false, 'Whether to also return the Pareto front of fee and probability.'),
    source_channels: optional(
      arrayOf(shortChannelId, MAX_CIRCLE_CHANNELS),
      'Only for routes from our node back to itself: the channels by which money may leave. Default: all.',
    ),
    destination_channels: optional(
      arrayOf(shortChannelId, MAX_CIRCLE_CHANNELS),
      'Only for routes from our node back to itself: the channels by which money may come back. Default: all.',
    ),
  },
  result: {
    probability_ppm: field('ppm', 'Probability that all routes succeed, in parts per million.'),
    routes: field(
      'array',
      'Objects with probability_ppm, amount_msat delivered, final_cltv, and path, hop by hop.',
    ),
    unfinished: optionalField(
      'object',
      'Present only if a better answer may exist: the search budget ran out, or the answer is not proven to ' +
        'be within 1 % of the optimum although its probability is below 37 % or HTLC maximums force several ' +
        'parts over a channel. The budget counts work, not time, so that results are reproducible. cost_msat ' +
        'is the total cost of these routes: fee, risk, delay and parts. least_cost_msat is a lower bound of ' +
        'the cost of any answer.',
    ),
    front: optionalField(
      'array',
      'With `pareto`: answers with different trade-offs of fee and probability, from the cheapest to the ' +
        'most likely. Objects with fee_msat, probability_ppm, routes, and optionally unfinished.',
    ),
  },
  async handler(params, context, call) {
    const choice = { out: params.source_channels, in: params.destination_channels };
    const mayCircle = params.layers.includes(AUTOMATIC.allowCircular.name);
    checkLimits(params, mayCircle);
    if (params.layers.includes(AUTOMATIC.learned.name)) context.payments.refreshLearned?.();
    const beganMs = performance.now();
    const query: RouteQuery = {
      source: params.source,
      destination: params.destination,
      amountMsat: params.amount_msat,
      layers: params.layers,
      maxfeeMsat: params.maxfee_msat,
      finalCltv: params.final_cltv,
      maxdelay: params.maxdelay,
      maxparts: params.dev_algorithm === 'single-path' ? 1 : params.maxparts,
    };
    const options: RouteOptions = {
      deprecatedApis: call.session.deprecations,
      client: call.session.client ?? call.session,
      ...(params.dev_algorithm === 'single-path' && { remedies: { ...ANY_REMEDY, parts: false } }),
    };
    const ask: FrontSearch = (asked, how) =>
      isCircular(asked)
        ? circularAnswer(asked, how ?? options, choice, context)
        : context.engine.getroutes(asked, how);
    const answer = await ask(query, options);
    // Clients of Core Lightning search for this text.
    call.notify('debug', `Final answer has ${answer.routes.length} flows`);
    call.notify('debug', `get_routes completed in ${Math.round(performance.now() - beganMs)} ms`);
    if (!params.pareto) return answerObject(answer, call.session.deprecations);
    const front = await routeFront(ask, query, options, answer);
    return {
      ...answerObject(bestBeside(front, answer), call.session.deprecations),
      front: front.map((point) => ({
        fee_msat: point.feeMsat,
        ...answerObject(point.answer, call.session.deprecations),
      })),
    };
  },
});

/**
 * An answer with the members of the result of `getroutes`. @param deprecated adds member names for clients older than
 * v26.06
 */
export function answerObject({ probabilityPpm, routes, unfinished }: RouteAnswer, deprecated: boolean) {
  return {
    probability_ppm: probabilityPpm,
    routes: routes.map((route) => routeObject(route, deprecated)),
    ...(unfinished !== undefined && {
      unfinished: { cost_msat: unfinished.costMsat, least_cost_msat: unfinished.leastCostMsat },
    }),
  };
}

interface Limits {
  readonly amount_msat: bigint;
  readonly maxparts: number;
  readonly maxdelay: number;
  readonly source: string;
  readonly destination: string;
}

/** Makes the checks of every route request, in Core Lightning's order. @throws FulguriteError -32602, 217 */
export function checkLimits(
  { amount_msat, maxparts, maxdelay, source, destination }: Limits,
  mayCircle = false,
): void {
  if (amount_msat === 0n) throw refusedParameter('amount_msat', 'amount must be non-zero');
  if (maxparts === 0) throw refusedParameter('maxparts', 'maxparts must be non-zero');
  if (maxdelay > MAX_DELAY_BLOCKS) {
    throw new FulguriteError('maxdelayTooLarge', `maximum delay allowed is ${MAX_DELAY_BLOCKS}`, {
      parameter: 'maxdelay',
      remedy: { maxdelay: MAX_DELAY_BLOCKS },
    });
  }
  if (source === destination && !mayCircle)
    throw refusedParameter('destination', 'source and destination must be different');
}

/** A route as `getroutes` returns it. `deprecated` adds member names for clients older than v26.06. */
export function routeObject(route: Route, deprecated: boolean) {
  return {
    probability_ppm: route.probabilityPpm,
    amount_msat: route.amountMsat,
    final_cltv: route.finalCltv,
    path: route.path.map((hop) => hopObject(hop, deprecated)),
  };
}

/**
 * A hop as `getroutes` returns it. With `deprecated`, the last three members repeat other members under their old
 * names, for clients older than v26.06.
 */
export function hopObject(hop: RouteHop, deprecated: boolean) {
  return {
    short_channel_id_dir: formatShortChannelIdDir(hop.shortChannelIdDir),
    node_id_in: hop.nodeIdIn,
    node_id_out: hop.nodeIdOut,
    amount_in_msat: hop.amountInMsat,
    amount_out_msat: hop.amountOutMsat,
    cltv_in: hop.cltvIn,
    cltv_out: hop.cltvOut,
    next_node_id: deprecated ? hop.nodeIdOut : undefined,
    amount_msat: deprecated ? hop.amountInMsat : undefined,
    delay: deprecated ? hop.cltvIn : undefined,
  };
}
