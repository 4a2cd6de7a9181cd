/** The error when a payment has no route to try. It names the parameters of the payment's own command. */
import { forwardingFeeMsat } from '../../model/policy.ts';
import { filled, REFUSALS } from '../../model/refusals.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';
import type { NoRouteInWords, PaymentRequest } from '../../payments/payment.ts';
import { longestDelay } from '../../payments/plan/limits.ts';
import {
  errorOfNoPlan,
  type HelpfulTransfer,
  type NodeShare,
  type NoPlan,
  type UnroutablePlan,
} from '../../payments/plan/no-plan.ts';
import type { Data } from '../client-error.ts';
import { layerRefusalInWords } from '../layers/refusal-words.ts';
import { restingText } from '../network/own-node-json.ts';
import { noRouteInWords, remedyData } from '../routes/no-route-words.ts';
import { searchFaultInWords } from '../routes/search-fault-words.ts';

/** The error, text and data from which failure-words.ts makes the failure of the whole payment. */
export function noPlanInWords(noPlan: NoPlan, request: PaymentRequest): NoRouteInWords {
  const error = errorOfNoPlan(noPlan);
  switch (noPlan.kind) {
    case 'noRoute':
      return { error, ...unroutable(noPlan, request) };
    case 'tried':
      return {
        error,
        message: REFUSALS.tried.text,
        data: { binding: { kind: REFUSALS.tried.wire } },
      };
    case 'unlikely': {
      const { probabilityPpm, leastPpm } = noPlan;
      return {
        error,
        message: filled(REFUSALS.unlikely.text, { ppm: probabilityPpm, least: leastPpm }),
        data: {
          binding: { kind: REFUSALS.unlikely.wire, probability_ppm: probabilityPpm, least_ppm: leastPpm },
        },
      };
    }
    case 'searchFailed':
      return { data: {}, ...searchFaultInWords(noPlan.fault) };
    case 'layerRefused':
      return layerRefusalInWords(noPlan.refusal);
    case 'refused':
      return { error, message: noPlan.cause, data: {} };
  }
}

/**
 * The text and data of the error when there is no route within the limits. If there is a route beyond the limits, they
 * contain its cost and the limits that it exceeds.
 */
function unroutable(
  { noRoute, best, ourNodes, transfer }: UnroutablePlan,
  request: PaymentRequest,
): { message: string; data: Data } {
  const { message: words, data: found } = noRouteInWords(noRoute);
  // The directions of a rebalancing's search include made-up ones, which would only confuse its caller.
  const isOfCircle = request.circle !== undefined && IN_DIRECTIONS.has(noRoute.binding.kind);
  const plain = isOfCircle ? NOT_MOVABLE : words;
  const { remedy } = noRoute;
  const message = ourNodes === undefined ? plain : `${plain} ${sharesText(ourNodes, transfer)}`;
  const shares = {
    ...(ourNodes !== undefined && { our_nodes: ourNodes.map(shareData) }),
    ...(transfer !== undefined && { transfer: transferData(transfer) }),
  };
  const data = {
    ...found,
    ...shares,
    ...(remedy !== undefined && { remedy: callersRemedy(remedy, request) }),
  };
  if (best === undefined || best === 'none') return { message, data };
  const { feeMsat, delayBlocks, maxfeeMsat } = best;
  const maxdelay = longestDelay(request.maxdelay);
  const hints = feeMsat > maxfeeMsat ? dearHints(request, maxfeeMsat) : [];
  const excesses = [
    ...(feeMsat > maxfeeMsat ? [`Fee exceeds our fee budget: ${feeMsat}msat > ${maxfeeMsat}msat`] : []),
    ...(delayBlocks > maxdelay ? [`CLTV delay exceeds our CLTV budget: ${delayBlocks} > ${maxdelay}`] : []),
  ];
  return {
    message: [...excesses, ...hints.map(({ words }) => words)].join('; ') || message,
    data: {
      fee: feeMsat,
      feepercent: percent(feeMsat, request.amountMsat),
      delay: delayBlocks,
      amount_msat: request.amountMsat,
      maxfee_msat: maxfeeMsat,
      maxdelay: request.maxdelay,
      ...data,
      ...(hints.length > 0 && {
        hints: hints.map(({ channel, fee }) => ({ short_channel_id: channel, fee })),
      }),
    },
  };
}

/** Reasons whose texts name directions. */
const IN_DIRECTIONS: ReadonlySet<string> = new Set(['direction', 'capacity', 'endCapacity', 'unconnected']);
const NOT_MOVABLE = 'The channels cannot move the whole amount within the limits on fees and delay';

/** How much each of our nodes may spend, and which transfer would help, as sentences. */
function sharesText(shares: readonly NodeShare[], transfer: HelpfulTransfer | undefined): string {
  const each = shares.map(({ name, maySpendMsat, why }) => {
    const reason = why === undefined ? '' : ` (${why.kind === 'leftOut' ? LEFT_OUT : restingText(why)})`;
    return `${name} ${maySpendMsat}msat${reason}`;
  });
  const may = `Our nodes may spend: ${each.join(', ')}.`;
  if (transfer === undefined) return may;
  const { from, to, mostMsat } = transfer;
  return `${may} A transfer from ${from.join(' or ')} to ${to.join(' or ')} would add up to ${mostMsat}msat.`;
}

const transferData = ({ from, to, mostMsat }: HelpfulTransfer): Data => ({ from, to, most_msat: mostMsat });

const LEFT_OUT = 'not used for this payment';

const shareData = ({ name, shortChannelId, maySpendMsat, binds, why }: NodeShare): Data => ({
  node: name,
  short_channel_id: formatShortChannelId(shortChannelId),
  may_spend_msat: maySpendMsat,
  ...(binds !== undefined && { binds }),
  ...(why !== undefined && { resting: why.kind === 'leftOut' ? LEFT_OUT : restingText(why) }),
});

/** Maximum number of route hints named in an error. */
const MAX_HINTS_NAMED = 3;

/** The channels of route hints whose fees alone exceed the fee limit. */
function dearHints(
  { routeHints, amountMsat }: PaymentRequest,
  maxfeeMsat: bigint,
): { readonly channel: string; readonly fee: bigint; readonly words: string }[] {
  return routeHints
    .flat()
    .map((hop) => ({
      channel: formatShortChannelId(hop.shortChannelId),
      fee: forwardingFeeMsat(hop, amountMsat),
    }))
    .filter(({ fee }) => fee > maxfeeMsat)
    .slice(0, MAX_HINTS_NAMED)
    .map((hint) => ({ ...hint, words: `the route hint over ${hint.channel} asks for ${hint.fee}msat` }));
}

/** The changes that help, as parameters of the command that the caller used. */
function callersRemedy(
  { maxfeeMsat, amountMsat, ...others }: NonNullable<UnroutablePlan['noRoute']['remedy']>,
  request: PaymentRequest,
): Data {
  return {
    ...(amountMsat !== undefined && { [amountName(request)]: amountMsat }),
    ...(maxfeeMsat !== undefined && { [request.feeTerms?.parameter ?? 'maxfee']: maxfeeMsat }),
    ...remedyData(others),
  };
}

/**
 * The name of a remedy that changes the amount: the parameter with which the caller chose it, or `invoice_amount_msat`
 * if only another invoice can have this amount.
 */
function amountName({ amountMsat, invoice, asked }: PaymentRequest): string {
  if (invoice !== undefined && amountMsat < invoice.totalMsat) return 'partial_msat';
  return asked?.statesAmount === true ? 'invoice_amount_msat' : 'amount_msat';
}

/** A ratio in percent, with six decimals. */
function percent(part: bigint, whole: bigint): number {
  return Number((part * 100_000_000n) / whole) / 1e6;
}
