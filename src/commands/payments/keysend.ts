/** `keysend`: pays a node by its id, without an invoice. */
import { toHex } from '../../bolt/bytes.ts';
import { field, optionalField } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';
import { preciseTime, reporterFor, requireComplete, totals } from './payment-json.ts';

export const keysend = defineCommand({
  name: 'keysend',
  summary: 'Pay a node by its id, without an invoice.',
  description:
    'Sends the amount to the destination, which learns the payment’s key from the payment itself; so there is no ' +
    'proof that it was meant. The route is found, tried, and found anew from what failures teach, until the ' +
    'payment arrives, no way is left, or retry_for is over. The choice of route is randomised within the fee ' +
    'limit. The route is also made to look longer than it is: the recipient is given a little more time and a little ' +
    'more money, at most 1/1000 of the amount and a quarter of the fee limit, which amount_msat of the answer ' +
    'includes. ' +
    'It goes in one part if any route carries it, and is split only if none does and the recipient announced that ' +
    'it takes several parts. ' +
    'While it runs, `paystatus` shows every attempt. A payment that a restart of the service interrupts makes no ' +
    'further attempt: it is complete if what it had sent arrives, else failed with -1, for `listpays`, `paystatus`, ' +
    '`waitsendpay` and a repeated request with its idempotency_key alike. ' +
    'Errors: 203 the destination refused; 205 no route; 206 only ' +
    'routes beyond the fee or delay limit (data: fee, feepercent, delay of the best); 210 time ran out, and ' +
    'nothing is in flight. Use xkeysend instead.',
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
