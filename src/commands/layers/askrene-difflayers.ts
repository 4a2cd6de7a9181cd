/**
 * `askrene-difflayers`: what layers change in a route request. The request is answered under two lists of
 * layers; the entries told are those of layers in which the lists differ, on directions and nodes that either
 * answer uses or that either failure names.
 */
import type { RouteAnswer, RouteQuery } from '../../engine/route.ts';
import { AUTOMATIC, AUTOMATIC_PREFIX } from '../../layers/automatic.ts';
import { LOCAL_CHANNELS_LAYER_ID } from '../../layers/layer-book.ts';
import { FulguriteError } from '../../model/errors.ts';
import {
  formatShortChannelIdDir,
  parseShortChannelIdDir,
  type ShortChannelIdDir,
} from '../../model/short-channel-id.ts';
import type { Session } from '../../rpc/call.ts';
import { field, optional } from '../../rpc/command.ts';
import { arrayOf } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import {
  checkLimits,
  MAX_LAYERS,
  ROUTE_LIMITS,
  ROUTE_PARAMS,
  routeLayer,
  routeObject,
} from '../routes/getroutes.ts';
import {
  biasJson,
  channelUpdateJson,
  constraintJson,
  createdChannelJson,
  impressionJson,
  nodeBiasJson,
} from './askrene-listing.ts';

/** Entries told at most; the result says how many there are. */
const TOLD = 1000;

export const askreneDifflayers = defineCommand({
  name: 'askrene-difflayers',
  summary: 'Show what layers change in a route request.',
  description:
    'Answers the route request twice and shows both answers, and which entries of the layers made the difference. ' +
    '`with` adds a layer to the end of `layers`, `without` takes one out of it, `compare_layers` gives the other ' +
    'list whole. Without any of them, `layers` are compared with none (automatic ones stay). A request without ' +
    'an answer is no error here: it shows as `error`.',
  category: 'routes',
  readOnly: true,
  since: 'v0.1.0',
  params: {
    ...ROUTE_PARAMS,
    with: optional(routeLayer, 'Layer to add at the end.'),
    without: optional(routeLayer, 'Layer to leave out.'),
    compare_layers: optional(arrayOf(routeLayer, MAX_LAYERS), 'The list of layers to compare with.'),
    ...ROUTE_LIMITS,
  },
  result: {
    before: field(
      'object',
      'layers, then probability_ppm, fee_msat, routes; or error {code, message, data}.',
    ),
    after: field('object', 'The same under the other list.'),
    changed: field('boolean', 'Whether the two answers differ.'),
    entries: field(
      'array',
      'Entries of the differing layers that either answer meets: layer, kind, and the entry.',
    ),
    num_entries: field('integer', 'How many such entries there are; at most 1000 are shown.'),
  },
  async handler(params, context, call) {
    checkLimits(params);
    const lists = comparedLists(params);
    const answers = await Promise.all(
      lists.map((layers) => answerUnder(layers, params, context, call.session)),
    );
    const [before, after] = answers as [Answered, Answered];
    const entries = entriesMet(differing(lists), [before, after], params.source, context);
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

/** @throws FulguriteError -32602 for parameters that say different things. */
function comparedLists({ layers, with: added, without, compare_layers }: Compared): Lists {
  const refuse = (parameter: string, reason: string): never => {
    throw new FulguriteError('invalidParams', `${parameter}: ${reason}`, { parameter, reason });
  };
  if (compare_layers !== undefined) {
    if (added !== undefined || without !== undefined) {
      refuse('compare_layers', 'cannot be combined with `with` or `without`');
    }
    return [layers, compare_layers];
  }
  if (added === undefined && without === undefined) {
    return [layers.filter((name) => name.startsWith(AUTOMATIC_PREFIX)), layers];
  }
  if (without !== undefined && !layers.includes(without)) refuse('without', 'is not among the layers');
  const kept = layers.filter((name) => name !== without);
  return [layers, added === undefined ? kept : [...kept, added]];
}

/** Layers that do not stand equally often in both lists; where only the order differs, all. */
function differing([before, after]: Lists): Set<string> {
  const count = (list: readonly string[], name: string) => list.filter((each) => each === name).length;
  const all = [...new Set([...before, ...after])];
  const unequal = all.filter((name) => count(before, name) !== count(after, name));
  const isReordered = unequal.length === 0 && String(before) !== String(after);
  return new Set(isReordered ? all : unequal);
}

type Answered = RouteAnswer | FulguriteError;
type Asked = Omit<RouteQuery, 'amountMsat' | 'maxfeeMsat' | 'finalCltv' | 'layers'> & {
  readonly amount_msat: RouteQuery['amountMsat'];
  readonly maxfee_msat: RouteQuery['maxfeeMsat'];
  readonly final_cltv: number;
};

async function answerUnder(
  layers: readonly string[],
  { source, destination, amount_msat, maxfee_msat, final_cltv, maxdelay, maxparts }: Asked,
  { engine }: NodeContext,
  session: Session,
): Promise<Answered> {
  const limits = { maxfeeMsat: maxfee_msat, finalCltv: final_cltv, maxdelay, maxparts };
  const query = { source, destination, amountMsat: amount_msat, layers, ...limits };
  try {
    return await engine.getroutes(query, { deprecatedApis: session.deprecations, client: session });
  } catch (error) {
    // That there is no route is an answer here; that the service failed is not.
    if (error instanceof FulguriteError && error.data !== undefined && 'binding' in error.data) return error;
    throw error;
  }
}

function shown(layers: readonly string[], answer: Answered, { deprecations }: Session): object {
  if (answer instanceof FulguriteError) {
    const { code, message, data } = answer;
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
  const comparable = answer instanceof FulguriteError ? [answer.message, answer.data] : answer;
  return JSON.stringify(comparable, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

/** Directions and nodes that answers meet. */
interface Met {
  readonly directions: Map<string, ShortChannelIdDir>;
  readonly nodes: Set<string>;
}

function met(answers: readonly Answered[], { graph }: NodeContext): Met {
  const directions = new Map<string, ShortChannelIdDir>();
  const nodes = new Set<string>();
  for (const answer of answers) {
    if (answer instanceof FulguriteError) {
      for (const name of namesIn(answer.data?.binding)) {
        const scidd = parseShortChannelIdDir(name);
        if (scidd !== undefined) directions.set(name, scidd);
        else nodes.add(name);
      }
    } else {
      for (const hop of answer.routes.flatMap(({ path }) => path)) {
        directions.set(formatShortChannelIdDir(hop.shortChannelIdDir), hop.shortChannelIdDir);
        nodes.add(hop.nodeIdIn).add(hop.nodeIdOut);
      }
    }
  }
  for (const { shortChannelId } of directions.values()) {
    const channel = graph.channelIndex(shortChannelId);
    if (channel >= 0) nodes.add(graph.nodeId(graph.node1[channel]!)).add(graph.nodeId(graph.node2[channel]!));
  }
  return { directions, nodes };
}

/** Every string in a failure's binding: names of directions and nodes are among them. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : [];
}

function entriesMet(
  layers: ReadonlySet<string>,
  answers: readonly Answered[],
  source: string,
  context: NodeContext,
): object[] {
  const where = met(answers, context);
  return [...layers].flatMap((layer) => entriesOf(layer, where, source, context));
}

/** What a layer says of the directions and nodes. O(records of the layer) for those it made of channels. */
function entriesOf(name: string, { directions, nodes }: Met, source: string, context: NodeContext): object[] {
  const book = context.layers;
  if (name === AUTOMATIC.sourcefree.name) return [{ layer: name, kind: 'source_free', node: source }];
  if (name === AUTOMATIC.localchans.name) {
    return [...directions]
      .filter(([, { shortChannelId }]) => book.channelCell(LOCAL_CHANNELS_LAYER_ID, shortChannelId))
      .map(([direction]) => ({ layer: name, kind: 'local_channel', short_channel_id_dir: direction }));
  }
  const layer = book.layer(name);
  if (layer === undefined) return [];
  const of = (kind: string, entry: object) => ({ layer: name, kind, ...entry });
  const entries: object[] = [];
  for (const node of new Set(layer.disabledNodes))
    if (nodes.has(node)) entries.push(of('disabled_node', { node }));
  for (const each of layer.nodeBiases)
    if (nodes.has(each.node)) entries.push(of('node_bias', nodeBiasJson(each)));
  for (const shortChannelId of new Set([...directions.values()].map((each) => each.shortChannelId))) {
    const created = layer.createdChannel(shortChannelId);
    if (created !== undefined) entries.push(of('created_channel', createdChannelJson(created)));
  }
  for (const { shortChannelId, direction } of directions.values()) {
    const update = layer.channelUpdate(shortChannelId, direction);
    if (update !== undefined) entries.push(of('channel_update', channelUpdateJson(update)));
    const bias = layer.channelBias(shortChannelId, direction);
    if (bias !== undefined) entries.push(of('bias', biasJson(bias)));
  }
  // An impression moves liquidity of the opposite direction too.
  const channels = new Set([...directions.values()].map((each) => each.shortChannelId));
  for (const record of layer.records) {
    if (!channels.has(record.shortChannelId)) continue;
    if (record.kind === 'impression') entries.push(of('impression', impressionJson(record)));
    else if (directions.has(formatShortChannelIdDir(record)))
      entries.push(of('constraint', constraintJson(record)));
  }
  for (const { shortChannelIdDir, amountMsat, commandId } of book.reservations(layer)) {
    const direction = formatShortChannelIdDir(shortChannelIdDir);
    if (!directions.has(direction)) continue;
    const reservation = { short_channel_id_dir: direction, amount_msat: amountMsat, command_id: commandId };
    entries.push(of('reservation', reservation));
  }
  return entries;
}
