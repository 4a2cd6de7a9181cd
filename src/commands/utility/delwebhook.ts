/** `delwebhook`: deletes a webhook. */
import { required } from '../../rpc/command.ts';
import { atMost, string } from '../../rpc/param-types.ts';
import { badParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { WEBHOOK_RESULT, webhookJson } from './webhook-json.ts';

const MAX_ID_CHARACTERS = 64;

/** Not in Core Lightning. */
export const delwebhook = defineCommand({
  name: 'delwebhook',
  summary: 'Remove a webhook and its queued events.',
  description: 'An event that is being posted may still arrive.',
  category: 'utility',
  params: { webhook_id: required(atMost(string, MAX_ID_CHARACTERS), 'Id of the webhook.') },
  result: WEBHOOK_RESULT,
  async handler({ webhook_id }, { webhooks }) {
    const webhook = await webhooks.remove(webhook_id);
    if (webhook === undefined) throw badParameter('webhook_id', 'unknown webhook', webhook_id);
    return webhookJson({ webhook });
  },
});
