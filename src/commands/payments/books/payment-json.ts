/** Payments and attempts as the payment commands return them, and the notifications sent during a payment. */
import { randomBytes } from 'node:crypto';
import { toHex } from '../../../bolt/bytes.ts';
import { ERRORS } from '../../../model/errors.ts';
import { formatShortChannelIdDir } from '../../../model/short-channel-id.ts';
import type { Attempt, AttemptOutline, Payment, PaymentOutline } from '../../../payments/payment.ts';
import type { PaymentOrder } from '../../../payments/payment-engine.ts';
import type { PaymentEvent, PaymentListener } from '../../../payments/services.ts';
import type { Call } from '../../../rpc/command.ts';
import { field, optionalField } from '../../../rpc/command.ts';
import { JsonText } from '../../../rpc/json-token.ts';
import type { NodeContext } from '../../context.ts';
import { failureInWords, paymentError } from '../failure-words.ts';
import { attemptData, routingFailureData } from './attempt-json.ts';
import { failureText, learnedText } from './attempt-words.ts';

/** A random 64-bit seed, for a payment whose caller gave no seed. */
export function randomSeed(): bigint {
  return randomBytes(8).readBigUInt64BE();
}

/**
 * UNIX seconds with nine decimals, as Core Lightning writes them. Text, because a double cannot hold so many digits.
 */
export function preciseTime(ms: number): JsonText {
  const whole = Math.floor(ms);
  return new JsonText(`${Math.floor(whole / 1000)}.${String(whole % 1000).padStart(3, '0')}000000`);
}

/** Milliseconds as whole seconds, rounded down. */
export const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** Requires that the payment is complete. @throws FulguriteError for the caller, if the payment failed */
export function requireComplete(payment: Payment): void {
  if (payment.status !== 'complete') throw paymentError(payment);
}

/**
 * Sums over the parts that have arrived or are in flight. Once a part has succeeded, the others will succeed too,
 * because the recipient had all of them when it released the preimage.
 */
export function totals(payment: PaymentOutline): {
  amountMsat: bigint;
  sentMsat: bigint;
  isPartial: boolean;
} {
  const counted = payment.attempts.filter(({ status }) => status !== 'failed');
  return {
    amountMsat: counted.reduce((sum, { amountMsat }) => sum + amountMsat, 0n),
    sentMsat: counted.reduce((sum, { amountSentMsat }) => sum + amountSentMsat, 0n),
    isPartial: counted.some(({ status }) => status === 'sent'),
  };
}

/** The preimage of a completed payment. */
export function preimageHex({ preimage }: Pick<Payment, 'preimage'>): string | undefined {
  return preimage && toHex(preimage);
}

/** The members that lists show of a payment's invoice. All are undefined if there is no invoice. */
export function invoiceJson({ request: { invoice } }: Pick<Payment, 'request'>) {
  // `sendpay` may pay a hash without an invoice. The text is then empty.
  const text = invoice?.text || undefined;
  return {
    bolt11: invoice?.format === 'bolt11' ? text : undefined,
    bolt12: invoice?.format === 'bolt12' ? text : undefined,
    description: invoice?.description,
    invreq_payer_note: invoice?.payerNote,
    invreq_id: invoice?.invoiceRequestId && toHex(invoice.invoiceRequestId),
  };
}

/** The result of `xpay` and `xkeysend`. */
export const XPAY_RESULT = {
  payment_preimage: field('secret', 'Proof that the payment arrived.'),
  amount_msat: field('msat', 'Amount received by the recipient.'),
  amount_sent_msat: field('msat', 'Amount sent, including fees.'),
  failed_parts: field('u32', 'Number of failed attempts.'),
  successful_parts: field('u32', 'Number of attempts that succeeded or are still in flight.'),
};

/** A complete payment as the result of `xpay` and `xkeysend`. */
export function xpayJson(payment: Payment) {
  const { amountMsat, sentMsat } = totals(payment);
  const failed = payment.attempts.filter(({ status }) => status === 'failed').length;
  return {
    payment_preimage: preimageHex(payment),
    amount_msat: amountMsat,
    amount_sent_msat: sentMsat,
    failed_parts: failed,
    successful_parts: payment.attempts.length - failed,
  };
}

/** The result of `keysend` and `pay`. */
export const PAY_RESULT = {
  destination: optionalField('pubkey', 'Node id of the recipient.'),
  payment_hash: field('hash', 'SHA-256 of the preimage.'),
  created_at: field('number', 'UNIX time of the request.'),
  parts: field('u32', 'Number of attempts.'),
  amount_msat: field('msat', 'Amount received by the recipient.'),
  amount_sent_msat: field('msat', 'Amount sent, including fees.'),
  warning_partial_completion: optionalField('string', 'Present if some parts are still in flight.'),
  payment_preimage: field('secret', 'Proof that the payment arrived.'),
  status: field('string', '`complete`'),
};

/** A complete payment as the result of `keysend` and `pay`. */
export function payResultJson(payment: Payment) {
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
    payment_preimage: preimageHex(payment),
    status: 'complete',
  };
}

/** The index of an attempt in creation order. */
const placeOf = ({ createdOrder, createdIndex }: AttemptOutline): number => createdOrder ?? createdIndex;

/** The index of a payment that has attempts: the index of its first attempt. */
const firstPlace = ({ attempts }: PaymentOutline): number => Math.min(...attempts.map(placeOf));

/** Whether a list in creation order shows the payment at this attempt. */
export const isFirstPlace = (payment: PaymentOutline, attempt: AttemptOutline): boolean =>
  placeOf(attempt) === firstPlace(payment);

/** An attempt as a row of `listsendpays`. */
export function sendpayJson(payment: PaymentOutline, attempt: AttemptOutline) {
  const status = STATUS[attempt.status];
  return {
    created_index: placeOf(attempt),
    id: attempt.createdIndex,
    payment_hash: toHex(payment.paymentHash),
    groupid: payment.groupId,
    updated_index: attempt.updatedIndex,
    partid: attempt.partId === 0 ? undefined : attempt.partId,
    node: attempt.ownNode,
    destination: payment.request.destination,
    amount_msat: attempt.amountMsat,
    amount_sent_msat: attempt.amountSentMsat,
    created_at: wholeSeconds(attempt.createdAtMs),
    completed_at: attempt.completedAtMs === undefined ? undefined : wholeSeconds(attempt.completedAtMs),
    status,
    payment_preimage: status === 'complete' ? preimageHex(payment) : undefined,
    label: payment.request.label,
    ...invoiceJson(payment),
  };
}

/** The first members of `sendpayJson`, which identify the attempt, as members of a result. */
export const ATTEMPT_ID_RESULT = {
  created_index: field('u64', 'Index of the attempt in `listsendpays`, in order of creation.'),
  id: field('u64', 'Number of the attempt, as in events and errors.'),
  payment_hash: field('hash', 'SHA-256 of the preimage.'),
  groupid: field('u64', 'Group of parts.'),
  updated_index: optionalField(
    'u64',
    'Index of the latest change of this attempt, counted over all attempts.',
  ),
  partid: optionalField('u64', 'Part number, omitted if 0.'),
};

/** Core Lightning's names for the states of an attempt. */
export const STATUS = { sent: 'pending', settled: 'complete', failed: 'failed' } as const;

/** The reverse of `STATUS`. */
export const STATE = { pending: 'sent', complete: 'settled', failed: 'failed' } as const;

/** Whether the payment is waiting for the recipient of its static invoice to release it, and nothing was sent yet. */
export const isHeld = ({ request, attempts, status }: PaymentOutline): boolean =>
  request.invoice?.held !== undefined && attempts.length === 0 && status === 'pending';

/** A payment as a row of `listpays`. */
export function payJson(payment: PaymentOutline) {
  const { attempts, status } = payment;
  const done = attempts.filter((attempt) => attempt.status === 'settled').map((a) => a.completedAtMs!);
  const living = attempts.filter((attempt) => attempt.status !== 'failed');
  const updates = attempts.map(({ updatedIndex }) => updatedIndex ?? 0);
  const { amountMsat, sentMsat } = totals(payment);
  return {
    destination: payment.request.destination,
    payment_hash: toHex(payment.paymentHash),
    status,
    created_at: wholeSeconds(attempts[0]?.createdAtMs ?? payment.createdAtMs),
    completed_at: done.length === 0 ? undefined : wholeSeconds(Math.min(...done)),
    label: payment.request.label,
    ...invoiceJson(payment),
    preimage: status === 'complete' ? preimageHex(payment) : undefined,
    amount_msat: living.length === 0 ? undefined : amountMsat,
    amount_sent_msat: sentMsat,
    nodes: shares(living),
    number_of_parts: living.length > 1 ? living.length : undefined,
    created_index: attempts.length === 0 ? undefined : firstPlace(payment),
    updated_index: Math.max(0, ...updates) || undefined,
    pending_reason: isHeld(payment) ? WAITING_FOR_RECIPIENT : undefined,
  };
}

/** How much each of our nodes sent. Undefined with a single node. */
function shares(attempts: readonly AttemptOutline[]) {
  const sums = new Map<string, { amountMsat: bigint; sentMsat: bigint }>();
  for (const { ownNode, amountMsat, amountSentMsat } of attempts) {
    if (ownNode === undefined) continue;
    const sum = sums.get(ownNode) ?? { amountMsat: 0n, sentMsat: 0n };
    sums.set(ownNode, { amountMsat: sum.amountMsat + amountMsat, sentMsat: sum.sentMsat + amountSentMsat });
  }
  if (sums.size === 0) return undefined;
  return [...sums].map(([node, sum]) => ({
    node,
    amount_msat: sum.amountMsat,
    amount_sent_msat: sum.sentMsat,
  }));
}

/** A payment with all its attempts, as `paystatus` shows it. */
export function payStatusJson(payment: Payment, nowMs: number) {
  const { request } = payment;
  const failure = failureInWords(payment);
  return {
    label: request.label,
    ...invoiceJson(payment),
    amount_msat: request.amountMsat,
    destination: request.destination,
    payment_hash: toHex(payment.paymentHash),
    status: payment.status,
    seed: request.seed,
    failure: failure && { code: ERRORS[failure.error].code, message: failure.message },
    attempts: payment.attempts.map((attempt) => attemptStatus(payment, attempt, nowMs)),
  };
}

function attemptStatus(payment: Payment, attempt: Attempt, nowMs: number) {
  const { failure, completedAtMs, status } = attempt;
  const { route, learned, probability_ppm, amount_msat, amount_sent_msat } = attemptData(attempt);
  return {
    strategy:
      attempt === payment.attempts[0] ? 'Initial attempt' : 'Trying another route, using what was learned',
    start_time: new Date(attempt.createdAtMs).toISOString(),
    age_in_seconds: Math.max(0, wholeSeconds(nowMs - attempt.createdAtMs)),
    end_time: completedAtMs === undefined ? undefined : new Date(completedAtMs).toISOString(),
    state: status === 'sent' ? ('pending' as const) : ('completed' as const),
    success:
      status === 'settled' ? { id: attempt.createdIndex, payment_preimage: preimageHex(payment) } : undefined,
    failure: failure && {
      message: failureText(failure),
      code: failure.isFinal ? 203 : 204,
      data: { id: attempt.createdIndex, ...routingFailureData(failure) },
    },
    partid: attempt.partId,
    node: attempt.ownNode,
    amount_msat,
    amount_sent_msat,
    probability_ppm,
    route,
    learned,
  };
}

/**
 * How to execute a payment for this call: the client that requested it, and the listener that reports progress to the
 * client.
 */
export function orderOf(call: Call<NodeContext>): PaymentOrder {
  return {
    listener: reporterFor(call),
    client: call.session.client ?? call.session,
    keyScope: call.session.keyScope,
    askedBy: call.requestId,
  };
}

/**
 * A listener that reports progress to the caller of a payment: a line of text, and the attempt in the same form as in
 * errors. Undefined if the caller has not enabled notifications. Even failed attempts are reported at level `debug`,
 * because Core Lightning's clients print higher levels before the result, and programs that read their output expect
 * only JSON.
 */
function reporterFor(call: Call<NodeContext>): PaymentListener | undefined {
  if (!call.session.notifications) return undefined;
  return (event) => {
    const payment_hash = toHex(event.payment.paymentHash);
    const details = event.kind === 'waiting' ? {} : { attempt: attemptData(event.attempt) };
    call.notify('debug', lineFor(event), { payment_hash, ...details });
  };
}

const WAITING_FOR_RECIPIENT = 'waiting for the recipient to come online';

function lineFor(event: PaymentEvent): string {
  if (event.kind === 'waiting') {
    const { height } = event;
    return height === undefined
      ? WAITING_FOR_RECIPIENT
      : `waiting for block ${height}, which the recipient has seen`;
  }
  const { attempt } = event;
  const route = attempt.path.map(({ shortChannelIdDir }) => formatShortChannelIdDir(shortChannelIdDir));
  const name = `attempt ${attempt.partId}`;
  if (event.kind === 'settled') return `${name} settled`;
  if (event.kind === 'failed') {
    const where = attempt.failure?.erringIndex === undefined ? '' : ` at node ${attempt.failure.erringIndex}`;
    const how = attempt.failure === undefined ? 'failed' : failureText(attempt.failure);
    const lessons = attempt.learned.map(learnedText).join('; ');
    return `${name} ${how}${where}; ${lessons || 'nothing learned'}`;
  }
  const fee = attempt.amountSentMsat - attempt.amountMsat;
  const odds = (attempt.probabilityPpm / 10_000).toFixed(1);
  const from = attempt.ownNode === undefined ? '' : ` from ${attempt.ownNode}`;
  return `${name}${from}: ${attempt.amountMsat}msat, fee ${fee}msat, ${odds} % likely, over ${route.join(' ')}`;
}
