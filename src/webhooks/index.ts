/** The entry point of webhooks. */
export { NamedHosts } from './named-hosts.ts';
export { Outbox, type PaymentEventText, type WebhookState } from './outbox.ts';
export { SECRET_PREFIX, WEBHOOK_EVENTS, type Webhook, type WebhookEvent } from './webhook.ts';
