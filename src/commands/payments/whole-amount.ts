/**
 * Amounts that include their fees: as much as we can send (`all`), or a total (`include_fee`). The recipient gets the
 * largest amount for which there is a route whose fees fit in the rest. It is found by bisection over plans, to within
 * a hundred-thousandth of the total, or as close as a few seconds allow. If a refusal suggests an amount, the search is
 * shorter.
 *
 * A keysend of `all` is the largest amount that a single part can carry, because most recipients refuse keysends in
 * parts. Beyond our neighbours, balances are unknown, so the largest amount that has a route would rarely arrive. So
 * `all` is the largest amount whose first attempt has at least a given probability.
 */
import { FulguriteError } from '../../model/errors.ts';
import { type Msat, msat } from '../../model/msat.ts';
import { PaymentFailed, type PaymentRequest } from '../../payments/payment.ts';
import type { PaymentPlan } from '../../payments/payment-engine.ts';
import { MAX_PAYABLE_MSAT, xkeysendMaxfee } from '../../payments/plan/limits.ts';
import { isKeysend } from '../../payments/plan/recipient.ts';
import { optional } from '../../rpc/command.ts';
import { integer, type ParamType } from '../../rpc/param-types.ts';
import { parameterError } from '../../rpc/params.ts';
import type { NodeContext } from '../context.ts';
import { randomSeed } from './books/payment-json.ts';
import { paymentError } from './failure-words.ts';

/**
 * Maximum number of bisection steps, and the time after which the best amount so far is used. A search for a large
 * amount takes seconds.
 */
const MAX_STEPS = 18;
const MAX_MS = 5_000;

/**
 * Default minimum probability of `all`, in parts per million: the amount is at least as likely to arrive as to fail.
 */
const DEFAULT_MIN_PPM = 500_000;

/** The parameter with the minimum probability of `all`. */
export const leastProbability = optional(
  integer(0, 999_999),
  'Only for amount_msat=all: the minimum probability of the first attempt, in parts per million. The amount is the largest one with ' +
    `at least this probability. 0: the largest one with any route. Default: ${DEFAULT_MIN_PPM}.`,
);

/** The amount that the refusal of a larger amount suggests. */
function advisedMsat({ payment }: PaymentFailed): bigint | undefined {
  const { remedy } = (paymentError(payment).data ?? {}) as { remedy?: { amount_msat?: unknown } };
  return typeof remedy?.amount_msat === 'bigint' ? remedy.amount_msat : undefined;
}

/** An amount, or `all`. */
export const amountOrAll = (amount: ParamType<Msat>): ParamType<Msat | 'all'> => ({
  name: 'msat|all',
  schema: amount.schema,
  parse: (token, context) =>
    token.kind === 'string' && token.text === 'all' ? 'all' : amount.parse(token, context),
});

interface WholeParams {
  readonly amount_msat: Msat | 'all' | undefined;
  readonly include_fee: boolean;
  readonly least_probability_ppm: number | undefined;
  readonly maxfee: Msat | undefined;
  readonly seed: bigint | undefined;
  readonly idempotency_key: string | undefined;
}

/** Whether fees are deducted from the amount. */
export const includesFee = ({
  amount_msat,
  include_fee,
}: Pick<WholeParams, 'amount_msat' | 'include_fee'>): boolean => amount_msat === 'all' || include_fee;

/**
 * The given amount or, for `all`, what we can send, in msat. If the amount includes fees, this is the maximum to spend.
 * Undefined if no amount was given.
 */
export function wholeMsat(
  { amount_msat }: Pick<WholeParams, 'amount_msat'>,
  context: NodeContext,
): Msat | undefined {
  return amount_msat === 'all' ? sendableMsat(context) : amount_msat;
}

/** Whether this is the plan of a keysend in several parts. */
export const isSplitKeysend = ({ request, routes }: Pick<PaymentPlan, 'request' | 'routes'>): boolean =>
  isKeysend(request) && routes.length > 1;

/** The amount that all usable channels can send together. With several nodes, the sum of what the nodes may spend. */
function sendableMsat({ networkPort, payments }: NodeContext): Msat {
  const members = payments.purse?.nodes.members();
  const sum =
    members?.reduce((total, { spendableMsat }) => total + spendableMsat, 0n) ??
    networkPort
      .ownChannels()
      .channels.reduce((total, { usable, spendableMsat }) => (usable ? total + spendableMsat : total), 0n);
  return msat(sum);
}

/** @throws FulguriteError -32602 when a minimum probability is given for an amount other than `all` */
export function requireOnlyForAll({
  amount_msat,
  least_probability_ppm,
}: Pick<WholeParams, 'amount_msat' | 'least_probability_ppm'>): void {
  if (least_probability_ppm === undefined || amount_msat === 'all') return;
  const reason = 'is only for amount_msat=all';
  throw parameterError('least_probability_ppm', reason, `least_probability_ppm ${reason}`);
}

/**
 * Finds the amount that the recipient gets. Returns the parameters with this amount, its fee limit, and the seed with
 * which both were found.
 * @param requestOf returns the payment request that parameters describe
 * @throws FulguriteError -32602 without an amount; the payment's error if not even the smallest amount has a route; 205
 *   if none is likely enough
 */
export async function withWholeAmount<P extends WholeParams>(
  params: P,
  requestOf: (params: P) => PaymentRequest,
  context: NodeContext,
  client: object,
): Promise<P> {
  const find = (one: P): Promise<P> => largestAmount(one, requestOf, context, client);
  try {
    return await find(params);
  } catch (error) {
    if (!(error instanceof NoAmount)) throw error;
    const { name, message, data: { remedy: _, ...data } = {} } = paymentError(error.typical.payment);
    for (const refusal of new Set([error.typical, error.last])) {
      const remedy = await testedRemedy(refusal, params, find);
      if (remedy !== undefined) throw new FulguriteError(name, message, { ...data, remedy });
    }
    throw new FulguriteError(name, message, data);
  }
}

/** No amount has a route. */
class NoAmount extends Error {
  /**
   * The refusal of the first amount below the total. The last amounts are tiny, so their refusals often name a minimum,
   * which is not why larger amounts have no route.
   */
  readonly typical: PaymentFailed;
  /** The refusal of the last and smallest amount. */
  readonly last: PaymentFailed;

  constructor(typical: PaymentFailed, last: PaymentFailed) {
    super(typical.message);
    this.typical = typical;
    this.last = last;
  }
}

/**
 * A remedy for the whole total, from the refusal of one amount. The remedy of the refusal is for that amount: with it,
 * the fees may still exceed the total, or no amount may be likely enough. So it is tested, and then again with a total
 * that has room for the fees. Undefined if neither helps.
 */
async function testedRemedy<P extends WholeParams>(
  { payment }: PaymentFailed,
  params: P,
  find: (params: P) => Promise<P>,
): Promise<object | undefined> {
  const { remedy } = paymentError(payment).data ?? {};
  if (remedy === undefined) return undefined;
  const { minimal: _, ...changes } = remedy as Partial<WholeParams> & { minimal?: false };
  const amountMsat =
    changes.amount_msat === undefined ? payment.request.amountMsat : (changes.amount_msat as Msat);
  const feeMsat = changes.maxfee ?? params.maxfee ?? xkeysendMaxfee(amountMsat);
  const raised = { ...changes, amount_msat: msat(amountMsat + feeMsat) };
  const tests: Partial<WholeParams>[] = params.amount_msat === 'all' ? [changes] : [changes, raised];
  for (const test of tests) {
    const isPossible = await find({ ...params, ...test }).then(
      () => true,
      () => false,
    );
    if (isPossible) return { ...test, minimal: false };
  }
  return undefined;
}

/** `withWholeAmount` without a tested remedy. @throws NoAmount if no amount has a route */
async function largestAmount<P extends WholeParams>(
  params: P,
  requestOf: (params: P) => PaymentRequest,
  context: NodeContext,
  client: object,
): Promise<P> {
  const totalMsat = wholeMsat(params, context);
  if (totalMsat === undefined) {
    const reason = 'needs an amount_msat';
    throw parameterError('include_fee', reason, `include_fee ${reason}`);
  }
  const leastPpm = params.amount_msat === 'all' ? (params.least_probability_ppm ?? DEFAULT_MIN_PPM) : 0;
  const seed = params.seed ?? randomSeed();
  const at = (amountMsat: bigint): P => {
    const restMsat = totalMsat - amountMsat;
    const limit = params.maxfee ?? xkeysendMaxfee(msat(amountMsat));
    const maxfee = msat(restMsat < limit ? restMsat : limit);
    const amount = { amount_msat: msat(amountMsat), include_fee: false, least_probability_ppm: undefined };
    return { ...params, ...amount, maxfee, seed };
  };
  let refusal: PaymentFailed | undefined;
  // The largest amount whose route ignores what was learned, or has parts that the recipient may refuse. It is used
  // only if no other amount has a route.
  let doubtfulMsat = 0n;
  // Of the plans that are not likely enough, the one with the best odds.
  let likeliest: PaymentPlan | undefined;
  const hasRoute = async (amountMsat: bigint): Promise<boolean> => {
    try {
      const plan = await context.payments.plan(requestOf(at(amountMsat)), client);
      if (plan.probabilityPpm < leastPpm) {
        if (plan.probabilityPpm > (likeliest?.probabilityPpm ?? -1)) likeliest = plan;
        return false;
      }
      const isRefused = params.amount_msat === 'all' && isSplitKeysend(plan);
      if (plan.disregardedLayers === undefined && !isRefused) return true;
      if (amountMsat > doubtfulMsat) doubtfulMsat = amountMsat;
      return false;
    } catch (error) {
      if (!(error instanceof PaymentFailed)) throw error;
      refusal = error;
      return false;
    }
  };
  if (totalMsat === 0n) throw new FulguriteError('sourceCapacity', 'None of our channels can send anything');
  if (totalMsat > MAX_PAYABLE_MSAT || (await hasRoute(totalMsat))) return at(totalMsat);
  const whole = refusal as PaymentFailed | undefined;
  let typical: PaymentFailed | undefined;
  let [low, high] = [0n, totalMsat as bigint];
  const near = totalMsat / 100_000n + 1n;
  const untilMs = performance.now() + MAX_MS;
  for (let step = 0; step < MAX_STEPS && high - low > near; step++) {
    if (low > 0n && performance.now() > untilMs) break;
    const advised = refusal && advisedMsat(refusal);
    const next = advised !== undefined && advised > low && advised < high ? advised : (low + high) / 2n;
    refusal = undefined;
    if (await hasRoute(next)) low = next;
    else high = next;
    typical ??= refusal;
  }
  if (low > 0n) return at(low);
  if (doubtfulMsat > 0n) return at(doubtfulMsat);
  if (likeliest !== undefined) throw tooUnlikely(likeliest, leastPpm);
  const last = (refusal ?? whole)!;
  throw new NoAmount(typical ?? last, last);
}

/** The error if no amount is likely enough. It names the likeliest amount that was tried. */
function tooUnlikely({ request, probabilityPpm }: PaymentPlan, leastPpm: number): FulguriteError {
  return new FulguriteError(
    'routeNotFound',
    `No amount has a probability of ${leastPpm} ppm: even ${request.amountMsat}msat has only ${probabilityPpm} ppm. ` +
      'Set a lower least_probability_ppm, or specify an amount',
    {
      parameter: 'least_probability_ppm',
      amount_msat: request.amountMsat,
      probability_ppm: probabilityPpm,
      remedy: { least_probability_ppm: probabilityPpm },
    },
  );
}
