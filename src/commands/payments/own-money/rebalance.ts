/** `rebalance`: moves money between our channels, over the network. */
import { FulguriteError } from '../../../model/errors.ts';
import { type Msat, msat } from '../../../model/msat.ts';
import { circleRequest, type PlannedMove } from '../../../payments/plan/rebalance.ts';
import { type Call, field, optionalField } from '../../../rpc/command.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { inWords } from '../../in-words.ts';
import { orderOf, totals } from '../books/payment-json.ts';
import { paymentError } from '../failure-words.ts';
import {
  errorJson,
  limitsOf,
  moveJson,
  REBALANCE_PARAMS,
  rebalancePlan,
  termsOf,
} from './rebalance-params.ts';
import { withInvoice } from './transfer-request.ts';

/** Parts that are sent at a time. */
const AT_ONCE = 4;
/** Payments for one part of a plan. */
const MAX_PIECES = 8;
const PPM = 1_000_000n;

interface MovedPart {
  readonly status: 'complete' | 'failed';
  readonly amountMsat: bigint;
  readonly feeMsat: bigint;
  readonly json: object;
}

/** Ours alone. */
export const rebalance = defineCommand({
  name: 'rebalance',
  summary: 'Move money between our channels, over the network.',
  description:
    'Pays ourselves: money leaves by channels that have too much and comes back by those that have too little, in one plan ' +
    'of least cost for all of them (see `planrebalance`). Each part is a payment with the label `rebalance`, journaled and ' +
    'retried like others, within its share of the fee limits. A part that fails moves nothing; half of it is tried next, down ' +
    'to `least_msat`. Beside LND this needs a ' +
    'macaroon that permits uri:/lnrpc.Lightning/AddInvoice.',
  category: 'payments',
  params: REBALANCE_PARAMS,
  outgo: (params) => params.maxfee,
  result: {
    wanted_msat: field('msat', 'What would have to move for all channels to reach their shares.'),
    amount_msat: field('msat', 'What was moved.'),
    fee_msat: field('msat', 'What it cost.'),
    parts: field(
      'array',
      'Objects of out, in, amount_msat, fee_msat, status (complete, failed), and error (code, message) if it failed.',
    ),
    obstacle: optionalField('object', 'As in `planrebalance`.'),
  },
  async handler(params, context, call) {
    const { makeInvoice } = context;
    const plan = await rebalancePlan(params, context, call.session.client ?? call.session);
    if (makeInvoice === undefined) {
      throw new FulguriteError('notSupported', 'this network makes no invoices of our own node');
    }
    const outcomes: MovedPart[] = [];
    const fees = new FeeShares(params.maxfee, plan.moves);
    const send = async (move: PlannedMove, piece: PlannedMove): Promise<MovedPart> => {
      const shareMsat = (piece.amountMsat * BigInt(limitsOf(params).maxfeePpm)) / PPM;
      const maxfeeMsat = fees.take(move, shareMsat);
      const outcome = await moved(piece, maxfeeMsat, termsOf(params), context, call, makeInvoice);
      fees.giveBack(maxfeeMsat - outcome.feeMsat);
      outcomes.push(outcome);
      return outcome;
    };
    /** Moves one part of the plan, in smaller pieces where the whole does not arrive. */
    const sendInPieces = async (move: PlannedMove): Promise<void> => {
      let remainingMsat: bigint = move.amountMsat;
      let pieceMsat = remainingMsat;
      for (let tries = 0; tries < MAX_PIECES && pieceMsat >= params.least_msat && pieceMsat > 0n; tries++) {
        const { amountMsat } = await send(move, { ...move, amountMsat: msat(pieceMsat) });
        remainingMsat -= amountMsat;
        if (amountMsat === 0n) pieceMsat /= 2n;
        else if (pieceMsat > remainingMsat) pieceMsat = remainingMsat;
      }
    };
    const waiting = [...plan.moves];
    const sendAll = async (): Promise<void> => {
      for (let move = waiting.shift(); move !== undefined; move = waiting.shift()) await sendInPieces(move);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
    const sum = (of: 'amountMsat' | 'feeMsat'): bigint =>
      outcomes.reduce((total, outcome) => total + outcome[of], 0n);
    return {
      wanted_msat: plan.wantedMsat,
      amount_msat: sum('amountMsat'),
      fee_msat: sum('feeMsat'),
      parts: outcomes.map(({ json }) => json),
      obstacle: plan.obstacle && errorJson(paymentError(plan.obstacle.payment)),
    };
  },
});

/** Shares the limit of all fees among parts: each may use what the plans of parts that have not begun do not need. */
class FeeShares {
  #leftMsat: bigint;
  readonly #planned: Map<PlannedMove, bigint>;

  constructor(maxfeeMsat: bigint, moves: readonly PlannedMove[]) {
    this.#leftMsat = maxfeeMsat;
    this.#planned = new Map(moves.map((move) => [move, move.feeMsat]));
  }

  /** Takes the fee limit of a payment for this part: at most its share. */
  take(move: PlannedMove, shareMsat: bigint): Msat {
    this.#planned.delete(move);
    const needed = [...this.#planned.values()].reduce((sum, feeMsat) => sum + feeMsat, 0n);
    const freeMsat = this.#leftMsat > needed ? this.#leftMsat - needed : 0n;
    const maxfeeMsat = shareMsat < freeMsat ? shareMsat : freeMsat;
    this.#leftMsat -= maxfeeMsat;
    return msat(maxfeeMsat);
  }

  giveBack(unusedMsat: bigint): void {
    this.#leftMsat += unusedMsat;
  }
}

/** Carries one part out. */
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
  const failed = (error: object): MovedPart => ({
    status: 'failed',
    amountMsat: 0n,
    feeMsat: 0n,
    json: {
      ...moveJson({ ...move, feeMsat: msat(0n) }),
      status: 'failed',
      error,
    },
  });
  try {
    const text = await makeInvoice(move.amountMsat, 'rebalance');
    const payment = await payments.pay(withInvoice(request, text), orderOf(call));
    if (payment.status !== 'complete') return failed(errorJson(paymentError(payment)));
    const { amountMsat, sentMsat } = totals(payment);
    const done = { ...move, amountMsat: msat(amountMsat), feeMsat: msat(sentMsat - amountMsat) };
    return {
      status: 'complete',
      amountMsat,
      feeMsat: sentMsat - amountMsat,
      json: { ...moveJson(done), status: 'complete' },
    };
  } catch (error) {
    // Other parts have moved, or are moving. So a part that is refused is one that failed, whatever refuses it.
    const told = inWords(error);
    if (!(told instanceof FulguriteError)) throw error;
    return failed(errorJson(told));
  }
}
