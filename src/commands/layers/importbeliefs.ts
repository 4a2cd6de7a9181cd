/** `importbeliefs`: adds another node's channel bounds to a layer. If it refuses any of them, it adds none. */
import type { LayerMutation } from '../../layers/entries.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import { field, required, withDefault } from '../../rpc/command.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import {
  arrayOf,
  BadToken,
  bool,
  msat,
  type ParamType,
  shortChannelIdDir,
  shortText,
  u64,
} from '../../rpc/param-types.ts';
import { badParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { layerName, stored } from './askrene-types.ts';

/** Maximum number of beliefs: about as many as a request can contain with the default `--max-values`. */
const MAX_BELIEFS = 100_000;

/** The members of a `listbeliefs` entry that are used here. */
interface GivenBelief {
  readonly of: ShortChannelIdDir;
  readonly minimumMsat: bigint;
  readonly maximumMsat: bigint;
  /** UNIX seconds. */
  readonly timestamp: number;
}

const belief: ParamType<GivenBelief> = {
  name: 'belief',
  schema: { type: 'object', required: ['short_channel_id_dir', 'minimum_msat', 'maximum_msat', 'timestamp'] },
  kind: 'object',
  parse(token) {
    const members = token.membersByName();
    const of = <T>(name: string, type: ParamType<T>): T => {
      const value: JsonToken | undefined = members.get(name);
      if (value === undefined) throw new BadToken(`should have ${name}`, token);
      return type.parse(value, undefined);
    };
    const given = {
      of: of('short_channel_id_dir', shortChannelIdDir),
      minimumMsat: of('minimum_msat', msat),
      maximumMsat: of('maximum_msat', msat),
      timestamp: Number(of('timestamp', u64)),
    };
    if (given.minimumMsat <= given.maximumMsat) return given;
    throw new BadToken('should have a minimum_msat of at most its maximum_msat', token);
  },
};

/** Not in Core Lightning. */
export const importbeliefs = defineCommand({
  name: 'importbeliefs',
  summary: 'Import another node’s channel bounds into a layer.',
  description:
    'Takes the output of `listbeliefs` of another node: members `short_channel_id_dir`, `minimum_msat`, `maximum_msat` and ' +
    '`timestamp`; other members are ignored. Imports all beliefs or none: the import fails if there are impossible bounds, a ' +
    'time in the future, a channel that is not in the graph, or another chain. With `ignore_unknown`, unknown channels are ' +
    'skipped instead.',
  category: 'routes',
  since: 'Fulgurite v0.2.0',
  params: {
    layer: required(layerName, 'The layer.'),
    chain: required(shortText, 'The chain of the beliefs, such as `bitcoin`.'),
    beliefs: required(arrayOf(belief, MAX_BELIEFS), `The beliefs, at most ${MAX_BELIEFS}.`),
    ignore_unknown: withDefault(bool, false, 'Whether to skip channels that are not in the graph.'),
  },
  result: {
    beliefs: field('integer', 'Number of directions whose bounds were imported.'),
    constraints: field('integer', 'Number of constraints added to the layer.'),
    unknown: field('integer', 'Number of directions whose channels are not in the graph.'),
  },
  handler({ layer, chain, beliefs, ignore_unknown }, context) {
    const { layers, graph } = context;
    if (chain !== context.chain) throw badParameter('chain', `is not ${context.chain}`);
    const known = beliefs.filter(({ of }) => graph.channelIndex(of.shortChannelId) >= 0);
    const unknown = beliefs.length - known.length;
    if (unknown > 0 && !ignore_unknown)
      throw badParameter('beliefs', `${unknown} of them are about channels that are not in the graph`);
    const nowS = layers.now();
    const constraints = known.flatMap((one) => constraintsOf(one, graph, nowS));
    for (const constraint of constraints) layers.adopt(layer, constraint);
    return stored(context, layer, { beliefs: known.length, constraints: constraints.length, unknown });
  },
});

/** @throws FulguriteError invalidParams for entries that cannot be used */
function constraintsOf(
  { of, minimumMsat, maximumMsat, timestamp }: GivenBelief,
  graph: ChannelGraph,
  nowS: number,
): LayerMutation[] {
  const capacityMsat = graph.capacityMsat[graph.channelIndex(of.shortChannelId)]!;
  const refuse = (why: string): never => {
    throw badParameter('beliefs', `${formatShortChannelIdDir(of)} ${why}`);
  };
  if (maximumMsat > capacityMsat) refuse(`has a maximum above its capacity, ${capacityMsat} msat`);
  if (timestamp > nowS) refuse('has a timestamp in the future');
  const record = (kind: 'minimum' | 'maximum', amountMsat: bigint): LayerMutation => ({
    type: 'inform',
    kind,
    amountMsat,
    ...of,
    timestamp,
  });
  return [
    ...(minimumMsat > 0n ? [record('minimum', minimumMsat)] : []),
    ...(maximumMsat < capacityMsat ? [record('maximum', maximumMsat)] : []),
  ];
}
