/** `getroutes`: the routes that deliver an amount at the least fee, risk and delay, under layers and limits. */

import type { Route, RouteHop } from '../../engine/route.ts';
import { ANY_REMEDY, MAX_DELAY_BLOCKS } from '../../engine/route-outcome.ts';
import { AUTOMATIC, automaticLayer } from '../../layers/automatic.ts';
import { FulguriteError } from '../../model/errors.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { field, forDevelopers, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import { arrayOf, BadToken, msat, nodeId, oneOf, u32 } from '../../rpc/param-types.ts';
import { defineCommand, type NodeParamType } from '../context.ts';

const AUTOMATIC_LAYERS = Object.values(AUTOMATIC)
  .map(({ name, does }) => `\`${name}\` ${does}`)
  .join(', ');

/** A layer by name, automatic ones included. */
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

/** Most layers of one request; each costs a look at every channel that it mentions. */
export const MAX_LAYERS = 1000;

/** What every route request names. */
export const ROUTE_PARAMS = {
  source: required(nodeId, 'Node the routes start from.'),
  destination: required(nodeId, 'Node that receives.'),
  amount_msat: required(msat, 'What the destination receives.'),
  layers: required(arrayOf(routeLayer, MAX_LAYERS), 'Names of layers to apply, in order.'),
  maxfee_msat: required(msat, 'Most that all routes together may cost in fees.'),
  final_cltv: required(u32, 'Blocks the destination itself asks for.'),
};

/** What every route request may limit. */
export const ROUTE_LIMITS = {
  maxdelay: withDefault(u32, MAX_DELAY_BLOCKS, 'Most blocks any route may be locked; at most 2016.'),
  maxparts: withDefault(u32, 100, 'Most routes the amount may be split into.'),
};

export const getroutes = defineCommand({
  name: 'getroutes',
  summary: 'Find routes for a payment.',
  description:
    'Finds one or several routes that together deliver the amount, minimising fee + price of risk × −ln(probability) ' +
    '+ price of delay + price of each further part within the limits given. Layers change what is known of the network, in order; ' +
    `${AUTOMATIC_LAYERS}. ` +
    'When there is no answer, `data.binding` tells what stands in the way and `data.remedy` the parameters to ' +
    'change so that there is one, each as little as will do (to 1 %).',
  category: 'routes',
  readOnly: true,
  since: 'v24.08',
  params: {
    ...ROUTE_PARAMS,
    ...ROUTE_LIMITS,
    dev_algorithm: forDevelopers(
      optional(oneOf(['default', 'single-path'], 'unknown algorithm'), '`single-path` is maxparts 1.'),
    ),
  },
  result: {
    probability_ppm: field('integer', 'Probability that all routes succeed, in parts per million.'),
    routes: field('array', 'Each: probability_ppm, amount_msat delivered, final_cltv, and path, hop by hop.'),
    unfinished: optionalField(
      'object',
      'Only where the search was cut short, which happens by counted work and thus to the same request always: ' +
        'cost_msat of these routes (fee, risk, delay and parts together) and least_cost_msat, below which no answer is.',
    ),
  },
  async handler(params, context, call) {
    checkLimits(params);
    const answer = await context.engine.getroutes(
      {
        source: params.source,
        destination: params.destination,
        amountMsat: params.amount_msat,
        layers: params.layers,
        maxfeeMsat: params.maxfee_msat,
        finalCltv: params.final_cltv,
        maxdelay: params.maxdelay,
        maxparts: params.dev_algorithm === 'single-path' ? 1 : params.maxparts,
      },
      {
        deprecatedApis: call.session.deprecations,
        client: call.session,
        ...(params.dev_algorithm === 'single-path' && { remedies: { ...ANY_REMEDY, parts: false } }),
      },
    );
    return {
      probability_ppm: answer.probabilityPpm,
      routes: answer.routes.map((route) => routeObject(route, call.session.deprecations)),
      ...(answer.unfinished !== undefined && {
        unfinished: {
          cost_msat: answer.unfinished.costMsat,
          least_cost_msat: answer.unfinished.leastCostMsat,
        },
      }),
    };
  },
});

interface Limits {
  readonly amount_msat: bigint;
  readonly maxparts: number;
  readonly maxdelay: number;
  readonly source: string;
  readonly destination: string;
}

/** In Core Lightning's order. @throws FulguriteError -32602, 217 */
export function checkLimits({ amount_msat, maxparts, maxdelay, source, destination }: Limits): void {
  const refuse = (parameter: string, message: string): never => {
    throw new FulguriteError('invalidParams', message, { parameter, reason: message });
  };
  if (amount_msat === 0n) refuse('amount_msat', 'amount must be non-zero');
  if (maxparts === 0) refuse('maxparts', 'maxparts must be non-zero');
  if (maxdelay > MAX_DELAY_BLOCKS) {
    throw new FulguriteError('maxdelayTooLarge', `maximum delay allowed is ${MAX_DELAY_BLOCKS}`, {
      parameter: 'maxdelay',
      remedy: { maxdelay: MAX_DELAY_BLOCKS },
    });
  }
  if (source === destination) refuse('destination', 'source and destination must be different');
}

export function routeObject(route: Route, deprecated: boolean): object {
  return {
    probability_ppm: route.probabilityPpm,
    amount_msat: route.amountMsat,
    final_cltv: route.finalCltv,
    path: route.path.map((hop) => hopObject(hop, deprecated)),
  };
}

/** The last three members are deprecated names of others, for clients older than v26.06. */
function hopObject(hop: RouteHop, deprecated: boolean): object {
  return {
    short_channel_id_dir: formatShortChannelIdDir(hop.shortChannelIdDir),
    node_id_in: hop.nodeIdIn,
    node_id_out: hop.nodeIdOut,
    amount_in_msat: hop.amountInMsat,
    amount_out_msat: hop.amountOutMsat,
    cltv_in: hop.cltvIn,
    cltv_out: hop.cltvOut,
    ...(deprecated && { next_node_id: hop.nodeIdOut, amount_msat: hop.amountInMsat, delay: hop.cltvIn }),
  };
}
