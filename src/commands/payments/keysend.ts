/** `keysend`: pays a node by its id, without an invoice. */
import { toHex } from '../../bolt/bytes.ts';
import { field, optionalField } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';
import { preciseTime, reporterFor, requireComplete, totals } from './payment-json.ts';

/**
 * As Core Lightning's command (BOLT 4 payload with `keysend_preimage`, type 5482373484). The answer comes
 * when the payment is over.
 */
export const keysend = defineCommand({
  name: 'keysend',
  summary: 'Pay a node by its id, without an invoice.',
  description:
    'Sends the amount to the destination. The destination learns the preimage from the payment itself, so ' +
    'the preimage is no receipt for anything that was agreed. A route is found and tried. What a failure ' +
    'teaches helps to find the next one. This goes on until the payment arrives, no route is left, or ' +
    'retry_for is over. Routes are chosen with randomness within the fee limit. The route is also made to ' +
    'look longer than it is. For this, the recipient gets a little more time and a little more money: at ' +
    'most 1/1000 of the amount and a quarter of the fee limit. amount_msat of the answer includes it. The ' +
    'payment goes in one part if any route carries it. Otherwise it is split, if the recipient announced ' +
    'that it takes several parts. While it runs, `paystatus` shows every attempt. If the service ' +
    'restarts, the payment makes no further attempt. It is complete if what it had sent arrives, else it ' +
    'failed with -1. `listpays`, `paystatus`, `waitsendpay` and a repeated request with its ' +
    'idempotency_key all tell so. Errors: 203 the destination refused. 205 there is no route. 206 there ' +
    'are only routes beyond the fee or delay limit (data: fee, feepercent, delay of the best). 210 time ' +
    'ran out, and nothing is in flight. Use xkeysend instead.',
  category: 'payments',
  deprecated: { since: 'v26.06', removed: 'v27.03' },
  params: KEYSEND_PARAMS,
  interchangeable: ['routehints', 'extratlvs'],
  check: (params, context) => context.payments.check(keysendRequest(params, context)),
  result: {
    destination: optionalField('pubkey', 'Where it went.'),
    payment_hash: field('hash', 'SHA-256 of the preimage.'),
    created_at: field('number', 'UNIX time of the request.'),
    parts: field('u32', 'Attempts that it took.'),
    amount_msat: field('msat', 'What the recipient received.'),
    amount_sent_msat: field('msat', 'What was sent, fees included.'),
    warning_partial_completion: optionalField('string', 'Some part is still on its way.'),
    payment_preimage: field('secret', 'Proof that the payment arrived.'),
    status: field('string', '`complete`'),
  },
  async handler(params, context, call) {
    const payment = await context.payments.pay(
      keysendRequest(params, context),
      reporterFor(call),
      call.session,
    );
    requireComplete(payment);
    const { amountMsat, sentMsat, isPartial } = totals(payment);
    return {
      destination: payment.request.destination,
      payment_hash: toHex(payment.paymentHash),
      created_at: preciseTime(payment.createdAtMs),
      parts: payment.attempts.length,
      amount_msat: amountMsat,
      amount_sent_msat: sentMsat,
      warning_partial_completion: isPartial
        ? 'Some parts of the payment are not yet completed, but we have the confirmation from the recipient.'
        : undefined,
      payment_preimage: toHex(payment.preimage),
      status: 'complete',
    };
  },
});
