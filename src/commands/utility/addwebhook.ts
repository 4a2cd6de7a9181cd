/** `addwebhook`: posts payment and invoice events to a receiver. */
import { randomBytes } from 'node:crypto';
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, required } from '../../rpc/command.ts';
import { arrayOf, atMost, oneOf, string } from '../../rpc/param-types.ts';
import { badParameter } from '../../rpc/params.ts';
import { SECRET_PREFIX, WEBHOOK_EVENTS, type Webhook } from '../../webhooks/index.ts';
import { defineCommand } from '../context.ts';
import { WEBHOOK_RESULT, webhookJson } from './webhook-json.ts';

const MAX_URL_CHARACTERS = 2048;
const MAX_SECRET_CHARACTERS = 200;
const MAX_WEBHOOKS = 20;
const SECRET_BYTES = { made: 32, least: 24, most: 64 };

/** Not in Core Lightning. */
export const addwebhook = defineCommand({
  name: 'addwebhook',
  summary: 'Post events of payments and invoices to a URL.',
  description:
    'Payments that start from now on are reported by POST requests with a JSON body, as in the event stream. Each event is ' +
    'posted at least once, until the receiver answers with a 2xx status. Events of one payment or invoice stay in ' +
    'order. Pauses after failures grow from 1 second to a day. If too many payments and invoices wait, events of ' +
    'further ones are dropped; `listwebhooks` counts them. Requests are signed according to Standard Webhooks: the ' +
    'header webhook-signature is `v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. Invoice ' +
    'events are posted only for invoices made by `invoice` on LND and the simulated network. The host must be named ' +
    'in the option `webhook-host`.',
  category: 'utility',
  params: {
    url: required(atMost(string, MAX_URL_CHARACTERS), 'An https:// or http:// address.'),
    events: optional(
      arrayOf(oneOf([...WEBHOOK_EVENTS], 'unknown event'), WEBHOOK_EVENTS.length),
      `Events to post: ${WEBHOOK_EVENTS.join(', ')}. Default: all but pending.`,
    ),
    secret: optional(
      atMost(string, MAX_SECRET_CHARACTERS),
      `The secret for signatures: \`${SECRET_PREFIX}\` and ${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes in base64. ` +
        'Default: random.',
    ),
  },
  result: {
    ...WEBHOOK_RESULT,
    secret: field('string', 'The secret for signatures. It is not shown again.'),
  },
  async handler({ url, events, secret }, { webhooks, webhookHosts }) {
    const objection = URL.canParse(url) ? webhookHosts.objection(new URL(url)) : 'should be a URL';
    if (objection !== undefined) throw badParameter('url', objection, url);
    if (secret !== undefined && !isSecret(secret)) {
      const { least, most } = SECRET_BYTES;
      throw badParameter(
        'secret',
        `should be ${SECRET_PREFIX} followed by ${least} to ${most} bytes in base64`,
      );
    }
    if (webhooks.list().length >= MAX_WEBHOOKS) {
      throw new FulguriteError('busy', `There are ${MAX_WEBHOOKS} webhooks already`);
    }
    const webhook: Webhook = {
      id: randomBytes(16).toString('hex'),
      url,
      secret: secret ?? SECRET_PREFIX + randomBytes(SECRET_BYTES.made).toString('base64'),
      events:
        events === undefined ? WEBHOOK_EVENTS.filter((event) => event !== 'pending') : [...new Set(events)],
      createdAtMs: Date.now(),
    };
    await webhooks.add(webhook);
    return { ...webhookJson({ webhook }), secret: webhook.secret };
  },
});

function isSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const base64 = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isWhole && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most;
}
