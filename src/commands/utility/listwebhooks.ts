/** `listwebhooks`: shows the webhooks and the state of their deliveries. */
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { deliveryJson } from './webhook-json.ts';

/** Not in Core Lightning. */
export const listwebhooks = defineCommand({
  name: 'listwebhooks',
  summary: 'List webhooks and their deliveries.',
  description: 'Lists the webhooks of this service, oldest first, without their secrets.',
  category: 'utility',
  readOnly: true,
  params: {},
  result: {
    webhooks: field(
      'array',
      'Objects with webhook_id, url, events, created_at, waiting, delivered, failures, dropped, last_delivered_at?, ' +
        'last_problem?, next_attempt_at?',
    ),
  },
  handler: (_params, { webhooks }) => ({ webhooks: webhooks.list().map(deliveryJson) }),
});
