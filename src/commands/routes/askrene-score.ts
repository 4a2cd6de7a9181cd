/** `askrene-score`: shows the cost and probability of a given route, and what is known about each hop. */
import {
  type HopFault,
  NoPath,
  type RouteScore,
  type ScoredHop,
  scoreRoute,
} from '../../engine/question/score.ts';
import { AUTOMATIC, automaticLayer } from '../../layers/automatic.ts';
import { resolveLayers } from '../../layers/resolved-layers.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import { field, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { arrayOf, BadToken, msat, type ParamType, shortChannelIdDir, u32 } from '../../rpc/param-types.ts';
import { parameterError } from '../../rpc/params.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { oddsJson } from '../payments/plan-json.ts';
import { hopObject, MAX_LAYERS, routeLayer } from './getroutes.ts';

/** Maximum number of hops of a route, as in Core Lightning. */
const MAX_HOPS = 20;
/** Maximum number of hops in a request. Longer paths are refused; paths of more than 20 hops have a fault. */
const MAX_PATH = 100;
/** Default number of final blocks, as in BOLT 11. */
const DEFAULT_FINAL_CLTV = 18;

/** A direction as text, or an object that contains one, such as a hop of a result of `getroutes`. */
const pathHop: ParamType<ShortChannelIdDir> = {
  name: 'short_channel_id_dir',
  schema: {
    anyOf: [
      shortChannelIdDir.schema,
      {
        type: 'object',
        required: ['short_channel_id_dir'],
        properties: { short_channel_id_dir: shortChannelIdDir.schema },
      },
    ],
  },
  parse(token, context) {
    if (token.kind !== 'object') return shortChannelIdDir.parse(token, context);
    const member = token.members().find(({ key }) => key === 'short_channel_id_dir');
    if (member === undefined) throw new BadToken('should have a short_channel_id_dir', token as JsonToken);
    return shortChannelIdDir.parse(member.value, context);
  },
};

const WORDS = {
  disabled: 'disabled',
  belowMinimum: 'below_htlc_minimum',
  aboveMaximum: 'above_htlc_maximum',
  tooLittleLiquidity: 'too_little_liquidity',
} as const satisfies Readonly<Record<HopFault, string>>;

/** Not in Core Lightning. */
export const askreneScore = defineCommand({
  name: 'askrene-score',
  summary: 'Score a given route.',
  description:
    'Reports the cost of a route, its success probability, how long money may be locked, and what is known ' +
    'about each hop under the given layers. Accepts routes from any source. `faults` lists every limit that the ' +
    'route violates, with the hop if only one hop violates it. If a hop cannot carry its amount, the route has ' +
    'probability 0. For a result of `getroutes`, the score matches that result as long as graph and layers do not change.',
  category: 'routes',
  readOnly: true,
  since: 'Fulgurite v0.2.0',
  params: {
    path: required(
      arrayOf(pathHop, MAX_PATH),
      'Hops from the source to the destination, as short_channel_id_dir or as objects that have one.',
    ),
    amount_msat: required(msat, 'Amount that the destination receives.'),
    layers: required(arrayOf(routeLayer, MAX_LAYERS), 'Names of layers to apply, in order.'),
    final_cltv: withDefault(u32, DEFAULT_FINAL_CLTV, 'CLTV delta of the final hop, in blocks.'),
    maxfee_msat: optional(msat, 'Maximum fee: exceeding it is a fault.'),
    maxdelay: optional(
      u32,
      'Maximum number of blocks for which money may be locked: exceeding it is a fault.',
    ),
  },
  result: {
    probability_ppm: field('ppm', 'Probability that all hops can carry their amounts. 0 if one cannot.'),
    amount_msat: field('msat', 'Amount that arrives.'),
    amount_sent_msat: field('msat', 'Amount sent, including fees.'),
    fee_msat: field('msat', 'The fees.'),
    delay: field('u32', 'Maximum number of blocks for which money may be locked, including final_cltv.'),
    faults: field(
      'array',
      'Objects with fault (disabled, below_htlc_minimum, above_htlc_maximum, too_little_liquidity, fee, delay, hops, ' +
        'loop), hop?, short_channel_id_dir?, limit_msat?, limit?.',
    ),
    odds: optionalField(
      'object',
      'The components of the learned odds, for a path that begins with one of our channels. Present with ' +
        '`auto.learned`. balances_ppm is the probability that all balances suffice; nodes_ppm is the ' +
        'probability that all nodes respond and keep their terms; searched_ppm is the probability that all ' +
        'balances suffice if they are uniformly distributed between their bounds; unknown_hops is the number ' +
        'of hops whose balance is unknown.',
    ),
    path: field('array', 'Hops as `getroutes` shows them, each with its probability, bounds and policy.'),
  },
  handler(params, context, { session }) {
    const { graph, layers: book } = context;
    const { path, amount_msat, layers, final_cltv } = params;
    if (path.length === 0) throw parameterError('path', 'should have a hop');
    if (amount_msat === 0n) throw parameterError('amount_msat', 'amount must be non-zero');
    const { layerIds, includeFees } = resolveLayers(book, layers, session.deprecations);
    if (includeFees)
      throw parameterError(
        'layers',
        `${AUTOMATIC.includeFees.name} does not apply: specify the amount that the destination receives`,
      );
    const query = { path, amountMsat: amount_msat, finalCltv: final_cltv, layerIds };
    const score = scored(() => scoreRoute(graph, book, query), path);
    return {
      probability_ppm: score.probabilityPpm,
      amount_msat: score.amountMsat,
      amount_sent_msat: score.amountMsat + score.feeMsat,
      fee_msat: score.feeMsat,
      delay: score.delay,
      faults: [...hopFaults(score), ...routeFaults(score, params.maxfee_msat, params.maxdelay)],
      odds: learnedOdds(context, score, layers),
      path: score.hops.map(scoredHopJson),
    };
  },
});

/** The components of learned odds. Undefined if `auto.learned` is not named, or odds are not learned. */
function learnedOdds(context: NodeContext, { hops }: RouteScore, layers: readonly string[]) {
  if (!layers.includes(AUTOMATIC.learned.name)) return undefined;
  const others = layers.filter((name) => automaticLayer(name) === undefined);
  return oddsJson(
    context,
    hops.map(({ hop }) => hop),
    others,
  );
}

/** Scores a path. If the path itself is invalid, throws an error about the parameter. */
function scored(score: () => RouteScore, path: readonly ShortChannelIdDir[]): RouteScore {
  try {
    return score();
  } catch (error) {
    if (!(error instanceof NoPath)) throw error;
    const of = formatShortChannelIdDir(path[error.at]!);
    const reason =
      error.problem === 'unknownChannel'
        ? `no such channel: ${of}`
        : `${of} does not start where the previous hop ends`;
    throw parameterError('path', reason, undefined, { hop: error.at, short_channel_id_dir: of });
  }
}

function hopFaults({ hops }: RouteScore) {
  return hops.flatMap(({ hop, direction, faults }, index) =>
    faults.map((fault) => ({
      fault: WORDS[fault],
      hop: index,
      short_channel_id_dir: formatShortChannelIdDir(hop.shortChannelIdDir),
      limit_msat: limitOf(fault, direction),
    })),
  );
}

function limitOf(fault: HopFault, { policy, maxMsat }: ScoredHop['direction']): bigint | undefined {
  if (fault === 'belowMinimum') return policy.htlcMinimumMsat;
  if (fault === 'aboveMaximum') return policy.htlcMaximumMsat;
  return fault === 'tooLittleLiquidity' ? maxMsat : undefined;
}

function routeFaults(
  { feeMsat, delay, hops, loopAt }: RouteScore,
  maxfeeMsat: bigint | undefined,
  maxdelay: number | undefined,
) {
  return [
    ...(maxfeeMsat !== undefined && feeMsat > maxfeeMsat
      ? [{ fault: 'fee' as const, limit_msat: maxfeeMsat }]
      : []),
    ...(maxdelay !== undefined && delay > maxdelay ? [{ fault: 'delay' as const, limit: maxdelay }] : []),
    ...(hops.length > MAX_HOPS ? [{ fault: 'hops' as const, limit: MAX_HOPS }] : []),
    ...(loopAt === undefined ? [] : [{ fault: 'loop' as const, hop: loopAt }]),
  ];
}

function scoredHopJson({ hop, direction, probabilityPpm }: ScoredHop) {
  const { capacityMsat, minMsat, maxMsat, policy, bias, enabled } = direction;
  return {
    ...hopObject(hop, false),
    probability_ppm: probabilityPpm,
    enabled,
    capacity_msat: capacityMsat,
    minimum_msat: minMsat,
    maximum_msat: maxMsat,
    htlc_minimum_msat: policy.htlcMinimumMsat,
    htlc_maximum_msat: policy.htlcMaximumMsat,
    fee_base_msat: policy.feeBaseMsat,
    fee_proportional_millionths: policy.feeProportionalMillionths,
    cltv_expiry_delta: policy.cltvExpiryDelta,
    bias,
  };
}
