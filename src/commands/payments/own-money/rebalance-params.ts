/** The parameters that `rebalance` and `planrebalance` share, and the plan made from them. */
import { realClock } from '../../../model/clock.ts';
import { FulguriteError } from '../../../model/errors.ts';
import { msat } from '../../../model/msat.ts';
import { formatShortChannelId, type ShortChannelId } from '../../../model/short-channel-id.ts';
import { PaymentFailed } from '../../../payments/payment.ts';
import {
  type ChannelEarning,
  type Earnings,
  earningsOf,
  NO_EARNING,
  ratePpm,
  wantedByEarnings,
} from '../../../payments/plan/earnings.ts';
import { MAX_PAYABLE_MSAT } from '../../../payments/plan/limits.ts';
import {
  feeLimitPpm,
  type PlannedMove,
  planRebalance,
  type RebalanceLimits,
  type RebalancePlan,
  surpluses,
  type WantedShare,
} from '../../../payments/plan/rebalance.ts';
import {
  field,
  optional,
  optionalField,
  type ParsedParams,
  required,
  withDefault,
} from '../../../rpc/command.ts';
import type { JsonToken } from '../../../rpc/json-token.ts';
import {
  arrayOf,
  BadToken,
  integer,
  msat as msatType,
  type ParamType,
  shortChannelId,
  u32,
} from '../../../rpc/param-types.ts';
import { parameterError } from '../../../rpc/params.ts';
import type { NodeContext } from '../../context.ts';
import { hopData } from '../books/attempt-json.ts';
import { randomSeed } from '../books/payment-json.ts';
import { paymentError } from '../failure-words.ts';
import { count } from '../payment-params.ts';
import { PAYMENT_PARAMS } from '../shared-params.ts';

const MAX_TARGETS = 1000;
const PPM = 1_000_000;
const DAY_S = 86_400;
const DEFAULT_MAXFEE_PPM = 500;
const DEFAULT_MIN_MSAT = msat(10_000_000n);
const DEFAULT_RETRY_FOR_S = 60;

const days = integer(1, 365);

/** The target share of a channel: an object with short_channel_id and percent. */
const target: ParamType<WantedShare> = {
  name: 'object with short_channel_id and percent',
  schema: {
    type: 'object',
    properties: {
      short_channel_id: { type: 'string' },
      percent: { type: 'number', minimum: 0, maximum: 100 },
    },
    required: ['short_channel_id', 'percent'],
    additionalProperties: false,
  },
  kind: 'object',
  parse(token, context) {
    if (token.kind !== 'object') throw new BadToken('should be an object', token);
    const members = token.membersByName();
    const stray = [...members.keys()].find((key) => key !== 'short_channel_id' && key !== 'percent');
    if (stray !== undefined) throw new BadToken(`has an unknown member ${stray.slice(0, 100)}`, token);
    const id = members.get('short_channel_id');
    if (id === undefined) throw new BadToken('should have a short_channel_id', token);
    return {
      shortChannelId: shortChannelId.parse(id, context),
      sharePpm: sharePpmOf(members.get('percent'), token),
    };
  },
};

function sharePpmOf(token: JsonToken | undefined, whole: JsonToken): number {
  const percent = token?.kind === 'number' ? Number(token.raw) : Number.NaN;
  if (!(percent >= 0 && percent <= 100)) throw new BadToken('should have a percent from 0 to 100', whole);
  return Math.round((percent * PPM) / 100);
}

/** The parameters of both commands. */
export const REBALANCE_PARAMS = {
  maxfee: required(msatType, 'Maximum total fee.'),
  targets: optional(
    arrayOf(target, MAX_TARGETS),
    'Target balances: objects with short_channel_id and percent, the target for what the channel can send, as a percentage ' +
      'of what it can send and receive together. Other channels are left alone. Default: the same share for all channels.',
  ),
  maxfee_ppm: withDefault(u32, DEFAULT_MAXFEE_PPM, 'Maximum fee of each part, in ppm of its amount.'),
  amount_msat: optional(msatType, 'Maximum amount to move; at least `least_msat`.'),
  least_msat: withDefault(
    msatType,
    DEFAULT_MIN_MSAT,
    'Channels closer to their target than this are left alone.',
  ),
  retry_for: withDefault(
    count,
    DEFAULT_RETRY_FOR_S,
    'Number of seconds during which new attempts of each part may start.',
  ),
  earned_days: optional(
    days,
    'Judge channels by what they forwarded in this many recent days. A channel is then never filled at a higher cost than it ' +
      'earned in ppm. Without `targets`, channels get what they will probably forward in `ahead_days`, and channels ' +
      'that have more than that give the surplus. Requires a Core Lightning or LND node.',
  ),
  ahead_days: withDefault(days, 3, 'With `earned_days`: number of days for which channels are filled.'),
  layers: PAYMENT_PARAMS.layers,
};

type RebalanceParams = ParsedParams<typeof REBALANCE_PARAMS>;

/** The members of a plan. */
export const REBALANCE_RESULT = {
  wanted_msat: field(
    'msat',
    'Amount that would move without any limits: what channels can give, or what other channels lack, whichever is less.',
  ),
  amount_msat: field('msat', 'Total amount that the parts move.'),
  fee_msat: field('msat', 'Total fees of the parts.'),
  parts: field(
    'array',
    'Objects with out, in (short channel ids), amount_msat, fee_msat and route, hop by hop.',
  ),
  channels: field(
    'array',
    'The affected channels: objects with short_channel_id, peer_id, percent (what it can send now, as a percentage of what ' +
      'it can send and receive together) and percent_after. With `earned_days`, all channels are listed, also with earned_msat ' +
      '(fees of forwards that left through the channel), ' +
      'forwarded_out_msat, forwarded_in_msat and earned_ppm.',
  ),
  obstacle: optionalField(
    'object',
    'Present if the whole amount cannot be moved within the limits: code and message of the error for it.',
  ),
};

/** A plan, with the limits under which it was made and will be executed. */
export interface OwnPlan extends RebalancePlan<PaymentFailed> {
  readonly limits: RebalanceLimits;
  readonly earnings: Earnings | undefined;
}

/** Plans a rebalancing. @throws FulguriteError -32005, -32602 */
export async function rebalancePlan(
  params: RebalanceParams,
  { networkPort, payments, forwards }: NodeContext,
  client: object,
): Promise<OwnPlan> {
  if (payments.purse !== undefined) {
    const message = 'With several nodes, use transfer, or a daemon with one node';
    throw new FulguriteError('notSupported', message);
  }
  if (!networkPort.capabilities.pays) {
    throw new FulguriteError(
      'notSupported',
      `on --network ${networkPort.kind} we have no channels to rebalance`,
    );
  }
  const { channels } = networkPort.ownChannels();
  const unknown = params.targets?.find(
    ({ shortChannelId: id }) => !channels.some((channel) => channel.shortChannelId === id),
  );
  if (unknown !== undefined) {
    const id = formatShortChannelId(unknown.shortChannelId);
    throw parameterError('targets', `${id} is not one of our channels`);
  }
  const { amount_msat: mostMsat, least_msat: leastMsat, targets } = params;
  if (mostMsat !== undefined && mostMsat < leastMsat)
    throw parameterError('amount_msat', `should be at least least_msat, which is ${leastMsat}msat`);
  const earnings = await earningsFor(params, forwards);
  const limits = limitsOf(params, earnings);
  const wanted =
    earnings === undefined || targets !== undefined
      ? surpluses(channels, targets, leastMsat)
      : wantedByEarnings(channels, earnings, leastMsat);
  const plan = await planRebalance(
    networkPort.identity.nodeId,
    wanted,
    limits,
    termsOf(params),
    async (request) => {
      try {
        return await payments.plan(request, client);
      } catch (error) {
        if (error instanceof PaymentFailed) return { obstacle: error };
        throw error;
      }
    },
  );
  return { ...plan, limits, earnings };
}

/** The earnings of our channels in the given number of days. @throws FulguriteError -32005 */
async function earningsFor(
  { earned_days: earnedDays, ahead_days: aheadDays }: RebalanceParams,
  forwards: NodeContext['forwards'],
): Promise<Earnings | undefined> {
  if (earnedDays === undefined) return undefined;
  if (forwards === undefined)
    throw new FulguriteError(
      'notSupported',
      'earned_days: this network does not report what channels earned',
    );
  const periodS = earnedDays * DAY_S;
  const sinceS = Math.floor(realClock.nowMs() / 1000) - periodS;
  return { byChannel: earningsOf(await forwards(sinceS)), periodS, aheadS: aheadDays * DAY_S };
}

const limitsOf = (params: RebalanceParams, earnings: Earnings | undefined): RebalanceLimits => ({
  maxfeeMsat: params.maxfee < MAX_PAYABLE_MSAT ? params.maxfee : MAX_PAYABLE_MSAT,
  maxfeePpm: Math.min(params.maxfee_ppm, PPM),
  mostMsat: params.amount_msat,
  leastMsat: params.least_msat,
  ...(earnings !== undefined && {
    worthPpm: (id: ShortChannelId) => ratePpm(earnings.byChannel.get(id) ?? NO_EARNING),
  }),
});

/** The terms that all parts share. */
export const termsOf = (params: RebalanceParams) => ({
  retryForS: params.retry_for,
  seed: randomSeed(),
  layers: params.layers ?? [],
  label: 'rebalance',
});

/** A part as results show it. */
export const moveJson = ({ out, in: into, amountMsat, feeMsat }: Omit<PlannedMove, 'route'>) => ({
  out: formatShortChannelId(out),
  in: formatShortChannelId(into),
  amount_msat: amountMsat,
  fee_msat: feeMsat,
});

/** A plan as results show it. */
export function rebalanceJson(plan: OwnPlan, { networkPort }: NodeContext) {
  const sum = (of: 'amountMsat' | 'feeMsat'): bigint =>
    plan.moves.reduce((total, move) => total + move[of], 0n);
  return {
    wanted_msat: plan.wantedMsat,
    amount_msat: sum('amountMsat'),
    fee_msat: sum('feeMsat'),
    parts: plan.moves.map((move) => ({ ...moveJson(move), route: move.route.path.map(hopData) })),
    channels: sharesOf(plan, networkPort),
    obstacle: obstacleJson(plan),
  };
}

/** Why the plan does not move the whole amount. Undefined if it does. */
export function obstacleJson({
  obstacle,
  tooCostly,
  limits,
}: Pick<OwnPlan, 'obstacle' | 'tooCostly' | 'limits'>) {
  if (obstacle !== undefined) return errorJson(paymentError(obstacle.payment));
  const [part] = tooCostly;
  if (part === undefined) return undefined;
  const { in: into, amountMsat, feeMsat } = part;
  const ppm = Math.ceil((PPM * Number(feeMsat)) / Number(amountMsat));
  const message =
    `Failed: Moving ${amountMsat}msat into ${formatShortChannelId(into)} costs ${ppm} ppm, more than ` +
    `the limit of ${feeLimitPpm(limits, into)} ppm`;
  return errorJson(new FulguriteError('routeTooExpensive', message));
}

/** An error as a member of a result. */
export const errorJson = ({ code, message }: FulguriteError) => ({ code, message });

function sharesOf({ circle, moves, earnings }: OwnPlan, networkPort: NodeContext['networkPort']) {
  const concerned = new Set([...circle.out, ...circle.in].map(({ shortChannelId: id }) => id));
  return networkPort
    .ownChannels()
    .channels.filter(
      ({ shortChannelId: id }) => id !== undefined && (earnings !== undefined || concerned.has(id)),
    )
    .map(({ shortChannelId: id, peerId, spendableMsat, receivableMsat }) => {
      const gained = moves.reduce((total, move) => {
        if (move.in === id) return total + move.amountMsat;
        return move.out === id ? total - move.amountMsat - move.feeMsat : total;
      }, 0n);
      const whole = spendableMsat + receivableMsat;
      return {
        short_channel_id: formatShortChannelId(id!),
        peer_id: peerId,
        percent: percentOf(spendableMsat, whole),
        percent_after: percentOf(spendableMsat + gained, whole),
        ...(earnings !== undefined && earningJson(earnings.byChannel.get(id!) ?? NO_EARNING)),
      };
    });
}

const earningJson = (earning: ChannelEarning) => ({
  earned_msat: earning.earnedMsat,
  forwarded_out_msat: earning.outMsat,
  forwarded_in_msat: earning.inMsat,
  earned_ppm: ratePpm(earning),
});

/** A share in percent, with one decimal. */
const percentOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number((part * 1000n) / whole) / 10;
