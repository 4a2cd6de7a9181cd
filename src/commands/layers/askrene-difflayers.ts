/**
 * `askrene-difflayers`: shows how layers change the result of a route request.
 *
 * The command runs the request with two lists of layers. Then it lists the entries that may explain a difference:
 * entries of layers that are in only one of the lists, about a direction or node in one of the results or errors.
 */
import { placesMet } from '../../engine/question/answer-places.ts';
import { NoRouteError } from '../../engine/question/no-route.ts';
import type { RouteAnswer, RouteQuery } from '../../engine/question/route.ts';
import { AUTOMATIC_PREFIX } from '../../layers/automatic.ts';
import { differingLayers, entriesAt, type LayerEntry } from '../../layers/layer-difference.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { field, optional } from '../../rpc/command.ts';
import { arrayOf } from '../../rpc/param-types.ts';
import { parameterError } from '../../rpc/params.ts';
import type { Session } from '../../rpc/session.ts';
import { asError } from '../client-error.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import {
  checkLimits,
  MAX_LAYERS,
  ROUTE_LIMITS,
  ROUTE_PARAMS,
  routeLayer,
  routeObject,
} from '../routes/getroutes.ts';
import { noRouteInWords } from '../routes/no-route-words.ts';
import {
  biasJson,
  channelUpdateJson,
  constraintJson,
  createdChannelJson,
  impressionJson,
  nodeBiasJson,
} from './askrene-listing.ts';

/** Maximum number of entries in a result. The result also contains their total number. */
const TOLD = 1000;

/** Not in Core Lightning. The graph and the layers may change between the two requests. */
export const askreneDifflayers = defineCommand({
  name: 'askrene-difflayers',
  summary: 'Show what layers change in a route request.',
  description:
    'Runs the route request with two lists of layers. Shows both results, and the relevant entries of the ' +
    'layers that differ between the lists. The first list is `layers`. For the second list, `with` appends ' +
    'a layer, `without` removes one, and `compare_layers` gives the whole list. Without any of the three, ' +
    '`layers` is the second list, and the first consists of its automatic layers only. If one of the two ' +
    'requests finds no route, its result has the member `error`; the command itself succeeds.',
  category: 'routes',
  readOnly: true,
  since: 'Fulgurite v0.1.0',
  params: {
    ...ROUTE_PARAMS,
    with: optional(routeLayer, 'Layer to append.'),
    without: optional(routeLayer, 'Layer to remove.'),
    compare_layers: optional(arrayOf(routeLayer, MAX_LAYERS), 'The list of layers to compare with.'),
    ...ROUTE_LIMITS,
  },
  result: {
    before: field(
      'object',
      'The result with the first list: layers, and either probability_ppm, fee_msat and routes, or error {code, message, data}.',
    ),
    after: field('object', 'The result with the second list, in the same form.'),
    changed: field('boolean', 'Whether the two results differ.'),
    entries: field(
      'array',
      'Entries of the layers that differ between the lists, about directions and nodes in either result or error: layer, kind, and the entry.',
    ),
    num_entries: field('integer', 'Total number of such entries. At most 1000 are shown.'),
  },
  async handler(params, context, call) {
    checkLimits(params);
    const lists = comparedLists(params);
    const answers = await Promise.all(
      lists.map((layers) => answerUnder(layers, params, context, call.session)),
    );
    const [before, after] = answers as [Answered, Answered];
    const entries = entriesMet(differingLayers(...lists), [before, after], params.source, context);
    return {
      before: shown(lists[0], before, call.session),
      after: shown(lists[1], after, call.session),
      changed: textOf(before) !== textOf(after),
      entries: entries.slice(0, TOLD),
      num_entries: entries.length,
    };
  },
});

interface Compared {
  readonly layers: readonly string[];
  readonly with: string | undefined;
  readonly without: string | undefined;
  readonly compare_layers: readonly string[] | undefined;
}

type Lists = readonly [before: readonly string[], after: readonly string[]];

/** @throws FulguriteError -32602 when parameters contradict each other. */
function comparedLists({ layers, with: added, without, compare_layers }: Compared): Lists {
  if (compare_layers !== undefined) {
    if (added !== undefined || without !== undefined) {
      throw parameterError('compare_layers', 'cannot be combined with `with` or `without`');
    }
    return [layers, compare_layers];
  }
  if (added === undefined && without === undefined) {
    return [layers.filter((name) => name.startsWith(AUTOMATIC_PREFIX)), layers];
  }
  if (without !== undefined && !layers.includes(without))
    throw parameterError('without', 'is not among the layers');
  const kept = layers.filter((name) => name !== without);
  return [layers, added === undefined ? kept : [...kept, added]];
}

type Answered = RouteAnswer | NoRouteError;
type AskedLayers = Omit<RouteQuery, 'amountMsat' | 'maxfeeMsat' | 'finalCltv' | 'layers'> & {
  readonly amount_msat: RouteQuery['amountMsat'];
  readonly maxfee_msat: RouteQuery['maxfeeMsat'];
  readonly final_cltv: number;
};

async function answerUnder(
  layers: readonly string[],
  { source, destination, amount_msat, maxfee_msat, final_cltv, maxdelay, maxparts }: AskedLayers,
  { engine }: NodeContext,
  session: Session,
): Promise<Answered> {
  const limits = { maxfeeMsat: maxfee_msat, finalCltv: final_cltv, maxdelay, maxparts };
  const query = { source, destination, amountMsat: amount_msat, layers, ...limits };
  try {
    return await engine.getroutes(query, {
      deprecatedApis: session.deprecations,
      client: session.client ?? session,
    });
  } catch (error) {
    // "No route" counts as a result here; a failure of the service does not.
    if (error instanceof NoRouteError) return error;
    throw error;
  }
}

function shown(layers: readonly string[], answer: Answered, { deprecations }: Session) {
  if (answer instanceof NoRouteError) {
    const { code, message, data } = asError(noRouteInWords(answer.noRoute));
    return { layers, error: { code, message, data } };
  }
  const fee = answer.routes.reduce(
    (sum, { path, amountMsat }) => sum + path[0]!.amountInMsat - amountMsat,
    0n,
  );
  return {
    layers,
    probability_ppm: answer.probabilityPpm,
    fee_msat: fee,
    routes: answer.routes.map((route) => routeObject(route, deprecations)),
  };
}

function textOf(answer: Answered): string {
  const comparable = answer instanceof NoRouteError ? answer.noRoute : answer;
  return JSON.stringify(comparable, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

function entriesMet(
  layers: ReadonlySet<string>,
  answers: readonly Answered[],
  source: string,
  { layers: book, graph }: NodeContext,
) {
  const isFailure = (answer: Answered): answer is NoRouteError => answer instanceof NoRouteError;
  const reasons = answers.filter(isFailure).map(({ reason }) => reason);
  const found = answers.filter((answer): answer is RouteAnswer => !isFailure(answer));
  const where = placesMet(found, reasons, graph);
  return [...layers].flatMap((layer) =>
    entriesAt(layer, where, source, book).map((entry) => ({ layer, ...entryJson(entry) })),
  );
}

function entryJson(entry: LayerEntry) {
  switch (entry.kind) {
    case 'sourceFree':
      return { kind: 'source_free', node: entry.node };
    case 'localChannel':
      return { kind: 'local_channel', short_channel_id_dir: formatShortChannelIdDir(entry.of) };
    case 'disabledNode':
      return { kind: 'disabled_node', node: entry.node };
    case 'nodeBias':
      return { kind: 'node_bias', ...nodeBiasJson(entry.entry) };
    case 'createdChannel':
      return { kind: 'created_channel', ...createdChannelJson(entry.entry) };
    case 'channelUpdate':
      return { kind: 'channel_update', ...channelUpdateJson(entry.entry) };
    case 'bias':
      return { kind: 'bias', ...biasJson(entry.entry) };
    case 'impression':
      return { kind: 'impression', ...impressionJson(entry.entry) };
    case 'constraint':
      return { kind: 'constraint', ...constraintJson(entry.entry) };
    case 'reservation': {
      const { shortChannelIdDir, amountMsat, commandId } = entry.entry;
      const of = formatShortChannelIdDir(shortChannelIdDir);
      return {
        kind: 'reservation',
        short_channel_id_dir: of,
        amount_msat: amountMsat,
        command_id: commandId,
      };
    }
  }
}
