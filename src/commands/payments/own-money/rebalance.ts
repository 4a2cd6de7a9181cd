/** `rebalance`: moves liquidity between our channels, by payments to ourselves over the network. */
import { FulguriteError } from '../../../model/errors.ts';
import { type Msat, msat } from '../../../model/msat.ts';
import { circleRequest, type PlannedMove } from '../../../payments/plan/rebalance.ts';
import { carryOut, type Moved } from '../../../payments/send/rebalance-run.ts';
import { type Call, field, optionalField } from '../../../rpc/command.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { inWords } from '../../in-words.ts';
import { orderOf, totals } from '../books/payment-json.ts';
import { isOpenOutcome, paymentError } from '../failure-words.ts';
import {
  errorJson,
  moveJson,
  obstacleJson,
  REBALANCE_PARAMS,
  rebalancePlan,
  termsOf,
} from './rebalance-params.ts';
import { withInvoice } from './transfer-request.ts';

type PartStatus = 'complete' | 'failed' | 'pending';

interface MovedPart extends Moved {
  readonly status: PartStatus;
  readonly json: ReturnType<typeof partJson>;
}

const partJson = (
  move: Parameters<typeof moveJson>[0],
  status: PartStatus,
  error?: ReturnType<typeof errorJson>,
) => ({ ...moveJson(move), status, error });

/** Not in Core Lightning. */
export const rebalance = defineCommand({
  name: 'rebalance',
  summary: 'Move money between our channels, over the network.',
  description:
    'Pays ourselves: money leaves by channels that have too much and comes back by those that have too little, in one ' +
    'minimum-cost plan for all of them (see `planrebalance`). Each part is a payment with the label `rebalance`, journaled and ' +
    'retried like others, within its share of the fee limits. If a part fails, half of it is tried next, down ' +
    'to `least_msat`. With LND this requires a ' +
    'macaroon that permits uri:/lnrpc.Lightning/AddInvoice.',
  category: 'payments',
  params: REBALANCE_PARAMS,
  outgo: (params) => params.maxfee,
  spent: feesPaid,
  result: {
    wanted_msat: field(
      'msat',
      'Amount that would move without any limits: what channels can give, or what other channels lack, whichever is less.',
    ),
    amount_msat: field('msat', 'Amount moved.'),
    fee_msat: field('msat', 'Total cost.'),
    parts: field(
      'array',
      'Objects with out, in, amount_msat, fee_msat, status, and error (code, message) if it is not complete. A part that is ' +
        'pending may still move its amount: see `listpays`.',
    ),
    obstacle: optionalField('object', 'As in `planrebalance`.'),
  },
  async handler(params, context, call) {
    const { makeInvoice } = context;
    const plan = await rebalancePlan(params, context, call.session.client ?? call.session);
    if (makeInvoice === undefined) {
      throw new FulguriteError('notSupported', 'this network cannot issue invoices of our own node');
    }
    const outcomes = await carryOut(plan.moves, plan.limits, (piece, maxfeeMsat) =>
      moved(piece, maxfeeMsat, termsOf(params), context, call, makeInvoice),
    );
    const sum = (of: 'amountMsat' | 'feeMsat'): bigint =>
      outcomes.reduce((total, outcome) => total + outcome[of], 0n);
    return {
      wanted_msat: plan.wantedMsat,
      amount_msat: sum('amountMsat'),
      fee_msat: sum('feeMsat'),
      parts: outcomes.map(({ json }) => json),
      obstacle: obstacleJson(plan),
    };
  },
});

/** The fees in a result. Undefined if a part is pending, because its fee is not known yet. */
function feesPaid(result: object): bigint | undefined {
  const { fee_msat, parts } = result as { fee_msat: bigint; parts: readonly MovedPart['json'][] };
  return parts.some(({ status }) => status === 'pending') ? undefined : fee_msat;
}

async function moved(
  move: PlannedMove,
  maxfeeMsat: Msat,
  terms: Parameters<typeof circleRequest>[4],
  { networkPort, payments }: NodeContext,
  call: Call<NodeContext>,
  makeInvoice: NonNullable<NodeContext['makeInvoice']>,
): Promise<MovedPart> {
  const circle = { out: [{ shortChannelId: move.out }], in: [{ shortChannelId: move.in }] };
  const ourId = networkPort.identity.nodeId;
  const request = circleRequest(ourId, circle, move.amountMsat, maxfeeMsat, terms);
  const notMoved = (status: 'failed' | 'pending', error: ReturnType<typeof errorJson>): MovedPart => ({
    ...{ status, amountMsat: 0n, feeMsat: 0n, isOpen: status === 'pending' },
    json: partJson({ ...move, feeMsat: msat(0n) }, status, error),
  });
  try {
    const text = await makeInvoice(move.amountMsat, 'rebalance');
    const payment = await payments.pay(withInvoice(request, text), orderOf(call));
    if (payment.status !== 'complete') return notMoved('failed', errorJson(paymentError(payment)));
    const { amountMsat, sentMsat } = totals(payment);
    const done = { ...move, amountMsat: msat(amountMsat), feeMsat: msat(sentMsat - amountMsat) };
    return {
      status: 'complete',
      amountMsat,
      feeMsat: sentMsat - amountMsat,
      json: partJson(done, 'complete'),
    };
  } catch (error) {
    // Other parts may have moved already, so a part that is refused counts as failed, regardless of the reason.
    const told = inWords(error);
    if (!(told instanceof FulguriteError)) throw error;
    return notMoved(isOpenOutcome(told) ? 'pending' : 'failed', errorJson(told));
  }
}
