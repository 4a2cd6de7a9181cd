/** Payments and attempts as the payment commands answer them, and what they report while one runs. */
import { randomBytes } from 'node:crypto';
import { toHex } from '../../bolt/bytes.ts';
import { ERRORS } from '../../model/errors.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { Attempt, Payment } from '../../payments/payment.ts';
import type { PaymentEvent, PaymentListener } from '../../payments/services.ts';
import type { Call } from '../../rpc/call.ts';
import { JsonText } from '../../rpc/json-token.ts';
import type { NodeContext } from '../context.ts';
import { attemptData, routingFailureData } from './attempt-json.ts';
import { failureInWords, paymentError } from './failure-words.ts';

/** 64 bits nobody chose. */
export function randomSeed(): bigint {
  return randomBytes(8).readBigUInt64BE();
}

/** UNIX seconds with nine decimals, as text: a number of that many digits does not fit a double. */
export function preciseTime(ms: number): JsonText {
  const whole = Math.floor(ms);
  return new JsonText(`${Math.floor(whole / 1000)}.${String(whole % 1000).padStart(3, '0')}000000`);
}

export const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** @throws FulguriteError when it failed: what its caller is told. */
export function requireComplete(payment: Payment): void {
  if (payment.status !== 'complete') throw paymentError(payment);
}

/** What arrived and what it took, over the parts that settled and those that surely will. */
export function totals(payment: Payment): { amountMsat: bigint; sentMsat: bigint; isPartial: boolean } {
  const counted = payment.attempts.filter(({ status }) => status !== 'failed');
  return {
    amountMsat: counted.reduce((sum, { amountMsat }) => sum + amountMsat, 0n),
    sentMsat: counted.reduce((sum, { amountSentMsat }) => sum + amountSentMsat, 0n),
    isPartial: counted.some(({ status }) => status === 'sent'),
  };
}

/** One attempt as a row of `listsendpays`. */
export function sendpayJson(payment: Payment, attempt: Attempt): object {
  const status = STATUS[attempt.status];
  return {
    created_index: attempt.createdIndex,
    id: attempt.createdIndex,
    payment_hash: toHex(payment.paymentHash),
    groupid: payment.groupId,
    updated_index: attempt.updatedIndex,
    partid: attempt.partId === 0 ? undefined : attempt.partId,
    destination: payment.request.destination,
    amount_msat: attempt.amountMsat,
    amount_sent_msat: attempt.amountSentMsat,
    created_at: wholeSeconds(attempt.createdAtMs),
    completed_at: attempt.completedAtMs === undefined ? undefined : wholeSeconds(attempt.completedAtMs),
    status,
    payment_preimage: status === 'complete' ? toHex(payment.preimage) : undefined,
    label: payment.request.label,
  };
}

export const STATUS = { sent: 'pending', settled: 'complete', failed: 'failed' } as const;

/** One payment as a row of `listpays`. */
export function payJson(payment: Payment): object {
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
    preimage: status === 'complete' ? toHex(payment.preimage) : undefined,
    amount_msat: living.length === 0 ? undefined : amountMsat,
    amount_sent_msat: sentMsat,
    number_of_parts: living.length > 1 ? living.length : undefined,
    created_index: attempts[0]?.createdIndex,
    updated_index: Math.max(0, ...updates) || undefined,
  };
}

/** One payment with all its attempts, as `paystatus` shows it. */
export function payStatusJson(payment: Payment, nowMs: number): object {
  const { request } = payment;
  const failure = failureInWords(payment);
  return {
    label: request.label,
    amount_msat: request.amountMsat,
    destination: request.destination,
    payment_hash: toHex(payment.paymentHash),
    status: payment.status,
    seed: request.seed,
    failure: failure && { code: ERRORS[failure.error].code, message: failure.message },
    attempts: payment.attempts.map((attempt) => attemptStatus(payment, attempt, nowMs)),
  };
}

function attemptStatus(payment: Payment, attempt: Attempt, nowMs: number): object {
  const { failure, completedAtMs, status } = attempt;
  const { route, learned, probability_ppm, amount_msat, amount_sent_msat } = attemptData(attempt);
  return {
    strategy: attempt === payment.attempts[0] ? 'Initial attempt' : 'Another route, from what was learned',
    start_time: new Date(attempt.createdAtMs).toISOString(),
    age_in_seconds: Math.max(0, wholeSeconds(nowMs - attempt.createdAtMs)),
    end_time: completedAtMs === undefined ? undefined : new Date(completedAtMs).toISOString(),
    state: status === 'sent' ? 'pending' : 'completed',
    success:
      status === 'settled'
        ? { id: attempt.createdIndex, payment_preimage: toHex(payment.preimage) }
        : undefined,
    failure: failure && {
      message: failure.message,
      code: failure.isFinal ? 203 : 204,
      data: { id: attempt.createdIndex, ...routingFailureData(failure) },
    },
    partid: attempt.partId,
    amount_msat,
    amount_sent_msat,
    probability_ppm,
    route,
    learned,
  };
}

/**
 * Tells the caller of a payment how it goes, if it asked for notifications: a line, and the attempt as errors
 * list it. At level `debug`, failures of single attempts too: clients of Core Lightning print what is more urgent
 * in front of the answer, where a program expects nothing but JSON.
 */
export function reporterFor(call: Call<NodeContext>): PaymentListener | undefined {
  if (!call.session.notifications) return undefined;
  return (event) => {
    const details = event.kind === 'waiting' ? undefined : { attempt: attemptData(event.attempt) };
    call.notify('debug', lineFor(event), details);
  };
}

function lineFor(event: PaymentEvent): string {
  if (event.kind === 'waiting') return `waiting for block ${event.height}, which the recipient has seen`;
  const { attempt } = event;
  const route = attempt.path.map(({ shortChannelIdDir }) => formatShortChannelIdDir(shortChannelIdDir));
  const name = `attempt ${attempt.partId}`;
  if (event.kind === 'settled') return `${name} settled`;
  if (event.kind === 'failed') {
    const where = attempt.failure?.erringIndex === undefined ? '' : ` at node ${attempt.failure.erringIndex}`;
    return `${name} ${attempt.failure?.message ?? 'failed'}${where}; ${attempt.learned.join('; ') || 'nothing learned'}`;
  }
  const fee = attempt.amountSentMsat - attempt.amountMsat;
  const odds = (attempt.probabilityPpm / 10_000).toFixed(1);
  return `${name}: ${attempt.amountMsat}msat, fee ${fee}msat, ${odds} % likely, over ${route.join(' ')}`;
}
