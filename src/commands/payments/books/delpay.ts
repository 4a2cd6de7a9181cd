/** `delpay`: removes a finished payment from the journal. */
import { fromHex } from '../../../bolt/bytes.ts';
import { FulguriteError } from '../../../model/errors.ts';
import type { Attempt, Payment } from '../../../payments/payment.ts';
import { field, optional, required } from '../../../rpc/command.ts';
import { hash, oneOf, u64 } from '../../../rpc/param-types.ts';
import { refusedParameter } from '../../../rpc/params.ts';
import { defineCommand } from '../../context.ts';
import { STATUS, sendpayJson } from './payment-json.ts';

/** Matches Core Lightning's command. A payment with an attempt in flight is never removed. */
export const delpay = defineCommand({
  name: 'delpay',
  summary: 'Delete a completed or failed payment.',
  description:
    'Deletes all payments with this hash from the journal, or only the attempt given by `partid` and `groupid`. ' +
    'Returns what was deleted. Errors: 208 no such payment. 211 a payment is not in the given state.',
  category: 'payments',
  params: {
    payment_hash: required(hash, 'Payment hash of the payment.'),
    status: required(oneOf(['complete', 'failed'], 'should be complete or failed'), 'State of the payment.'),
    partid: optional(u64, 'Only this part. Requires groupid.'),
    groupid: optional(u64, 'Only this group of parts. Requires partid.'),
  },
  result: { payments: field('array', 'The deleted attempts, in the form of `listsendpays`.') },
  async handler({ payment_hash, status, partid, groupid }, { payments }) {
    if ((partid === undefined) !== (groupid === undefined)) {
      throw refusedParameter('partid', 'Must set both partid and groupid, or neither');
    }
    const { journal } = payments;
    await journal.durable();
    const found: { payment: Payment; attempts: readonly Attempt[] }[] = [];
    for await (const payment of journal.payments({ paymentHash: fromHex(payment_hash) })) {
      const attempts = payment.attempts.filter(
        ({ partId }) => partid === undefined || (BigInt(partId) === partid && payment.groupId === groupid),
      );
      found.push({ payment, attempts });
    }
    const named = found.filter(({ attempts }) => partid === undefined || attempts.length > 0);
    if (named.length === 0) {
      const message = `Unknown payment with payment_hash: ${payment_hash}`;
      throw new FulguriteError('noSuchPayment', message, { payment_hash });
    }
    for (const { payment, attempts } of named) {
      requireStatus(payment_hash, partid === undefined ? payment.status : statusOf(attempts), status);
      if (payment.attempts.some((attempt) => attempt.status === 'sent')) {
        requireStatus(payment_hash, 'pending', status);
      }
    }
    for (const { payment, attempts } of named)
      journal.remove(payment, partid === undefined ? undefined : attempts);
    await journal.durable();
    return { payments: named.flatMap(({ payment, attempts }) => rows(payment, attempts)) };
  },
});

const rows = (payment: Payment, attempts: readonly Attempt[]) =>
  attempts.map((attempt) => sendpayJson(payment, attempt));

const statusOf = (attempts: readonly Attempt[]): string => STATUS[attempts[0]!.status];

function requireStatus(paymentHash: string, actual: string, wanted: string): void {
  if (actual === wanted) return;
  throw new FulguriteError(
    'paymentStatusUnexpected',
    `Payment with hash ${paymentHash} has ${actual} status but it should be ${wanted}`,
    { payment_hash: paymentHash, status: actual },
  );
}
