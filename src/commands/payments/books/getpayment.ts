/** `getpayment`: shows the payments with a given hash and their attempts, during and after payment. */
import { fromHex, toHex } from '../../../bolt/bytes.ts';
import { ERRORS } from '../../../model/errors.ts';
import { type Attempt, absoluteExpiry, type Payment, routeDelay } from '../../../payments/payment.ts';
import { field, required } from '../../../rpc/command.ts';
import { hash } from '../../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { failureInWords } from '../failure-words.ts';
import { attemptData } from './attempt-json.ts';
import { lessonJson } from './lesson-json.ts';
import { STATUS } from './payment-json.ts';

/**
 * Not in Core Lightning. `paystatus` has the members of Core Lightning's command; `getpayment` has what a person wants
 * to know about a payment, without the preimage.
 */
export const getpayment = defineCommand({
  name: 'getpayment',
  summary: 'Show one payment: its attempts, what was learned from each, and how long money may be locked.',
  description:
    'Shows the payments with this hash, oldest first. There are several if a failed payment was retried. ' +
    'Each attempt has its route, predicted probability and result, what was learned, and the block height ' +
    'at which its money is released at the latest. A payment is pending until its outcome is certain. The ' +
    'preimage is not shown; see `listpays`.',
  category: 'payments',
  readOnly: true,
  params: { payment_hash: required(hash, 'The payment.') },
  result: {
    payments: field('array', 'Empty if no payment has this hash.'),
    blockheight: field('u32', 'Current block height, to compare with `expiry_height`.'),
  },
  async handler({ payment_hash }, context) {
    const { payments } = context;
    await payments.journal.written();
    const found = new Map<string, Payment>();
    for await (const payment of payments.journal.payments({ paymentHash: fromHex(payment_hash) })) {
      found.set(payment.id, payment);
    }
    // The state of a payment in progress may be newer than the state on disk, or not on disk yet.
    for (const payment of payments.live()) {
      if (toHex(payment.paymentHash) === payment_hash) found.set(payment.id, payment);
    }
    return {
      payments: [...found.values()].map((payment) => paymentJson(payment, context)),
      blockheight: context.blockheight,
    };
  },
});

function paymentJson(payment: Payment, context: NodeContext) {
  const { request, completedAtMs } = payment;
  const failure = failureInWords(payment);
  return {
    id: payment.id,
    created_index: payment.createdIndex,
    command: request.kind,
    payment_hash: toHex(payment.paymentHash),
    destination: request.destination,
    amount_msat: request.amountMsat,
    label: request.label,
    status: payment.status,
    created_at: payment.createdAtMs / 1000,
    completed_at: completedAtMs === undefined ? undefined : completedAtMs / 1000,
    maxfee_msat: request.maxfeeMsat,
    maxdelay: request.maxdelay,
    retry_for: request.retryForS,
    layers: request.layers,
    seed: request.seed,
    failure: failure && { code: ERRORS[failure.error].code, message: failure.message, data: failure.data },
    attempts: payment.attempts.map((attempt) => attemptJson(attempt, context)),
  };
}

function attemptJson(attempt: Attempt, { graph }: NodeContext) {
  const { status: _, learned, ...rest } = attemptData(attempt);
  return {
    id: attempt.createdIndex,
    status: STATUS[attempt.status],
    ...rest,
    expiry_height: absoluteExpiry(attempt.height, routeDelay(attempt.path)),
    learned: attempt.learned.map((one) => lessonJson(one, graph)),
  };
}
