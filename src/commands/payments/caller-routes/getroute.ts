/** `getroute`: finds a route in the form that `sendpay` accepts, for older clients of Core Lightning. */
import type { RouteOptions } from '../../../engine/host/engine-options.ts';
import { NoRouteError } from '../../../engine/question/no-route.ts';
import { NO_DELAY_LIMIT, NO_FEE_LIMIT, type RouteQuery } from '../../../engine/question/route.ts';
import { AUTOMATIC } from '../../../layers/automatic.ts';
import { type ErrorName, FulguriteError } from '../../../model/errors.ts';
import { PrivateLayer } from '../../../payments/learn/learning.ts';
import { field, optional, required, withDefault } from '../../../rpc/command.ts';
import { arrayOf, millionths, nodeId, positiveMsat, u32 } from '../../../rpc/param-types.ts';
import { asError, type Data } from '../../client-error.ts';
import { defineCommand } from '../../context.ts';
import { noRouteInWords } from '../../routes/no-route-words.ts';
import { excluded } from '../payment-params.ts';
import { delayType, hopJson } from './route-hop.ts';

/** Maximum number of nodes and directions to exclude. */
const MAX_EXCLUDED = 1000;
/** Maximum number of hops of a route, as in Core Lightning. */
const MAX_HOPS = 20;
/** Default number of blocks until the last HTLC expires. */
const DEFAULT_CLTV = 9;

/** Matches Core Lightning's command. */
export const getroute = defineCommand({
  name: 'getroute',
  summary: 'Find one route, in the form that `sendpay` accepts.',
  description:
    'Finds the best route for a single part, with the same search as `getroutes`. Each hop shows the amount and the number of ' +
    'blocks left when the HTLC arrives. A route from our own node uses the channels that can send the amount now. riskfactor and ' +
    'fuzzpercent are ignored, because the search has its own prices. Prefer `getroutes`, which splits ' +
    'amounts and accepts layers, or `xpay`, which retries. Error 205: there is no route (reason in data.reason), or the best ' +
    'one has more than maxhops hops.',
  category: 'routes',
  readOnly: true,
  params: {
    id: required(nodeId, 'Node that receives.'),
    amount_msat: required(positiveMsat, 'Amount that the node receives.'),
    riskfactor: required(millionths, 'Accepted for older clients, and ignored.'),
    cltv: withDefault(delayType, DEFAULT_CLTV, 'Number of blocks that the last HTLC must have left.'),
    fromid: optional(nodeId, 'Node where the route starts. Default: our node.'),
    fuzzpercent: optional(millionths, 'Accepted for older clients, and ignored.'),
    exclude: optional(
      arrayOf(excluded, MAX_EXCLUDED),
      'Nodes and directions (short_channel_id/direction) to exclude.',
    ),
    maxhops: withDefault(u32, MAX_HOPS, 'Maximum number of hops.'),
  },
  result: {
    route: field('array', 'Hops: objects with id, channel, direction, amount_msat, delay and style.'),
  },
  async handler(params, context, { session }) {
    const source = params.fromid ?? context.networkPort.identity.nodeId;
    const layer = new PrivateLayer(context.layers, 'getroute');
    try {
      for (const one of params.exclude ?? []) {
        if (typeof one === 'string') context.layers.disableNode(layer.layer, one);
        else context.layers.updateChannel(layer.layer, one, { enabled: false });
      }
      const query: RouteQuery = {
        source,
        destination: params.id,
        amountMsat: params.amount_msat,
        layers: [AUTOMATIC.localchans.name, AUTOMATIC.sourcefree.name, ...layer.names],
        maxfeeMsat: NO_FEE_LIMIT,
        finalCltv: params.cltv,
        maxdelay: NO_DELAY_LIMIT,
        maxparts: 1,
      };
      if (params.exclude?.includes(params.id) === true) throw noRoute();
      const options: RouteOptions = { client: session.client ?? session };
      const { routes } = await context.engine.getroutes(query, options).catch(asNoRoute);
      const { path } = routes[0]!;
      if (path.length > params.maxhops) {
        throw new FulguriteError('routeNotFound', `Shortest route was ${path.length}`, { hops: path.length });
      }
      return { route: path.map(hopJson) };
    } finally {
      layer.remove();
    }
  },
});

/** The error for every kind of missing route; older clients know no other. */
const noRoute = (data?: Data): FulguriteError =>
  new FulguriteError('routeNotFound', 'Could not find a route', data);

const REFUSALS: readonly ErrorName[] = ['routeNotFound', 'sourceCapacity', 'destinationCapacity'];

/**
 * Converts errors of `getroutes`, which has a code for each obstacle, to the error for older clients, with the obstacle
 * in its data. If the search ran out of time or effort, its error stays unchanged, because there may be a route.
 */
function asNoRoute(error: unknown): never {
  if (!(error instanceof NoRouteError) || !REFUSALS.includes(error.name)) throw error;
  const { message, data } = asError(noRouteInWords(error.noRoute));
  throw noRoute({ ...data, reason: message });
}
