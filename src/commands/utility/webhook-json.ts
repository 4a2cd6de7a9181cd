/** Webhooks as commands return them, and payment and invoice events as they are posted. */
import { toHex } from '../../bolt/bytes.ts';
import { type EventBody, type PaymentFacts, paymentStanding } from '../../events/index.ts';
import type { Payment } from '../../payments/payment.ts';
import { field } from '../../rpc/command.ts';
import { toJson } from '../../rpc/json-write.ts';
import type { PaymentEventText, WebhookState } from '../../webhooks/index.ts';
import { eventJson } from '../events/event-json.ts';
import { wholeSeconds } from '../payments/books/payment-json.ts';

/** Members shared by the webhook commands. */
export const WEBHOOK_RESULT = {
  webhook_id: field('string', 'Id of the webhook.'),
  url: field('string', 'Where events are posted.'),
  events: field('array', 'Events that are posted.'),
  created_at: field('u64', 'UNIX time.'),
};

/** A webhook without its secret. */
export function webhookJson({ webhook }: Pick<WebhookState, 'webhook'>) {
  const { id, url, events, createdAtMs } = webhook;
  return { webhook_id: id, url, events, created_at: wholeSeconds(createdAtMs) };
}

/** A webhook without its secret, with the state of its deliveries. */
export function deliveryJson(state: WebhookState) {
  const { waiting, delivered, failures, dropped, lastDeliveredAtMs, lastProblem, nextAtMs } = state;
  return {
    ...webhookJson(state),
    ...{ waiting, delivered, failures, dropped },
    last_delivered_at: lastDeliveredAtMs && wholeSeconds(lastDeliveredAtMs),
    last_problem: lastProblem,
    next_attempt_at: nextAtMs && wholeSeconds(nextAtMs),
  };
}

/**
 * A payment or invoice event in the form that is posted to webhooks. Undefined for other events, and while a payment
 * waits.
 */
export function webhookEvent(
  atMs: number,
  body: EventBody,
  isSimulated: boolean,
): PaymentEventText | undefined {
  const json = (): string => toJson(eventJson({ id: 0, atMs, ...body }, isSimulated));
  if (body.type === 'invoice') {
    const { paymentHash, createdIndex } = body.invoice;
    const paymentId = `invoice-${toHex(paymentHash)}`;
    return { paymentId, createdIndex, event: `invoice_${body.status}`, body: json() };
  }
  if (body.type !== 'payment' || body.status === 'waiting') return undefined;
  const { id: paymentId, createdIndex }: PaymentFacts = body.payment;
  return { paymentId, createdIndex, event: body.status, body: json() };
}

/** The event that reports the current state of a payment in the journal. */
export const standingEvent = (payment: Payment, isSimulated: boolean): PaymentEventText =>
  webhookEvent(payment.completedAtMs ?? payment.createdAtMs, paymentStanding(payment), isSimulated)!;
