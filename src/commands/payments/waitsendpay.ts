/** `waitsendpay`: waits until an attempt has finished. */
import { fromHex, toHex } from '../../bolt/bytes.ts';
import { realClock } from '../../model/clock.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Attempt, Payment } from '../../payments/payment.ts';
import { field, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import { hash, u32, u64 } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { ATTEMPT_ID_RESULT, sendpayJson } from './books/payment-json.ts';
import { attemptError } from './caller-routes/attempt-error.ts';

/**
 * Maximum wait in seconds, even with a longer timeout: two weeks, about as long as 2016 blocks, the maximum delay of
 * `xpay`.
 */
const LONGEST_WAIT_S = 14 * 24 * 3600;

/** Matches Core Lightning's command, with its error numbers. */
export const waitsendpay = defineCommand({
  name: 'waitsendpay',
  summary: 'Wait until an attempt succeeds or fails.',
  description:
    'Waits until the attempt has finished, and returns it in the form of `listsendpays`. Errors: 200 timed ' +
    'out while the attempt is still in flight. 202 it failed, and the failure message could not be ' +
    'decrypted. 203 the destination rejected it permanently. 204 a node on the route failed it. 208 no such ' +
    'attempt.',
  category: 'payments',
  readOnly: true,
  params: {
    payment_hash: required(hash, 'Payment hash of the payment.'),
    timeout: optional(u32, 'Maximum number of seconds to wait. Default and maximum: 14 days.'),
    partid: withDefault(u64, 0n, 'Number of the part.'),
    groupid: optional(u64, 'Group of parts. Default: the latest.'),
  },
  result: {
    ...ATTEMPT_ID_RESULT,
    node: optionalField('string', 'With several nodes: name of the node that sent the part.'),
    destination: field('pubkey', 'Node id of the destination.'),
    amount_msat: field('msat', 'Amount that arrived.'),
    amount_sent_msat: field('msat', 'Amount sent.'),
    created_at: field('u64', 'UNIX time of creation.'),
    completed_at: field('u64', 'UNIX time of completion.'),
    status: field('string', '`complete`'),
    payment_preimage: field('secret', 'Proof that the part arrived.'),
    label: optionalField('string', 'The label of the payment.'),
    bolt11: optionalField('string', 'The BOLT 11 invoice.'),
    bolt12: optionalField('string', 'The BOLT 12 invoice.'),
    description: optionalField('string', 'The description of the invoice.'),
    invreq_payer_note: optionalField('string', 'The note for the issuer.'),
    invreq_id: optionalField('hash', 'Id of our own invoice request that the invoice answered.'),
  },
  async handler(params, context) {
    const endsAtMs = performance.now() + Math.min(params.timeout ?? LONGEST_WAIT_S, LONGEST_WAIT_S) * 1000;
    for (let isSecondLook = false; ; ) {
      const { payment, attempt } = await find(params, context);
      if (attempt.status !== 'sent') await context.payments.journal.readPlaces(payment);
      if (attempt.status === 'settled') return sendpayJson(payment, attempt);
      if (attempt.status === 'failed') throw attemptError(payment, attempt);
      const change = context.payments.nextChange(payment);
      // The attempt may have finished while it was being read, so it is read a second time.
      if (change !== undefined || isSecondLook) await changeOrTimeout(change, endsAtMs);
      isSecondLook = change === undefined;
    }
  },
});

interface PartChoice {
  readonly payment_hash: string;
  readonly partid: bigint;
  readonly groupid: bigint | undefined;
}

async function find(
  { payment_hash, partid, groupid }: PartChoice,
  { payments }: NodeContext,
): Promise<{ payment: Payment; attempt: Attempt }> {
  await payments.journal.written();
  const live = [...payments.live()].filter(({ paymentHash }) => toHex(paymentHash) === payment_hash);
  let found: { payment: Payment; attempt: Attempt } | undefined;
  // The parts of a group may belong to several payments, if one failed before the next was sent (given-route.ts).
  const look = (payment: Payment): void => {
    if (groupid !== undefined && payment.groupId !== groupid) return;
    const attempt = payment.attempts.findLast(({ partId }) => BigInt(partId) === partid);
    if (attempt !== undefined && !(found && found.attempt.createdIndex > attempt.createdIndex)) {
      found = { payment, attempt };
    }
  };
  for (const payment of live) look(payment);
  if (found !== undefined) return found;
  for await (const stored of payments.journal.payments({ paymentHash: fromHex(payment_hash) })) look(stored);
  if (found === undefined) {
    const message = `Never attempted payment part ${partid} for '${payment_hash}'`;
    throw new FulguriteError('noSuchPayment', message, { payment_hash, partid });
  }
  return found;
}

async function changeOrTimeout(change: Promise<void> | undefined, endsAtMs: number): Promise<void> {
  const leftMs = endsAtMs - performance.now();
  if (change === undefined || leftMs <= 0)
    throw new FulguriteError('waitTimedOut', 'Timed out while waiting');
  let callOff = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    callOff = realClock.after(leftMs, resolve);
  });
  await Promise.race([change, over]);
  callOff();
}
