/**
 * A webhook: the address to which events of payments and invoices are posted, and the secret that signs them. Events
 * are signed as defined by Standard Webhooks (github.com/standard-webhooks/standard-webhooks, "Signature scheme"):
 *
 *     webhook-signature: v1,base64(HMAC-SHA256(secret, "ID.TIMESTAMP.BODY"))
 *
 * So receivers can check signatures with existing libraries.
 */
import { createHmac } from 'node:crypto';

/** Events that a webhook can select: a payment began, is complete, or failed; an invoice was paid, or has expired. */
export const WEBHOOK_EVENTS = ['pending', 'complete', 'failed', 'invoice_paid', 'invoice_expired'] as const;

/** An event that a webhook can select. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Whether an event belongs to an invoice. There is no event for the creation of an invoice. */
export function isOfInvoice(event: WebhookEvent): boolean {
  return event === 'invoice_paid' || event === 'invoice_expired';
}

/** A webhook. Times are UNIX milliseconds. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** `whsec_`, followed by 24 to 64 bytes in base64. */
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAtMs: number;
}

/** The prefix of every secret. */
export const SECRET_PREFIX = 'whsec_';

/** The headers of one event. @param timestampS time of this attempt, in UNIX seconds */
export function signedHeaders(
  secret: string,
  id: string,
  timestampS: number,
  body: string,
): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': `v1,${signature}`,
  };
}
