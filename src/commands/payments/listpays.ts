/** `listpays`: payments, each with what its parts amount to. */
import { field } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { defineCommand } from '../context.ts';
import { payJson } from './payment-json.ts';
import { checkListParams, LIST_PARAMS, represents, selected, storedAttempts } from './payment-lists.ts';

export const listpays = defineCommand({
  name: 'listpays',
  summary: 'Show payments and what became of them.',
  description:
    'One row per payment that was attempted, in the order of its first attempt, or of its latest change. A payment ' +
    'is complete with its first part that arrived, and failed only when nothing of it is in flight any more. ' +
    '`index`, `start` and `limit` page through long histories.',
  category: 'payments',
  readOnly: true,
  params: LIST_PARAMS,
  result: {
    pays: field(
      'array',
      'Objects of destination, payment_hash, status, created_at, completed_at, label, preimage, amount_msat, ' +
        'amount_sent_msat, number_of_parts, created_index, updated_index.',
    ),
  },
  async handler(params, { payments: { journal } }) {
    checkListParams(params);
    await journal.written();
    const { status, limit, index } = params;
    const rows = selected(storedAttempts(journal, params), limit, ({ payment, attempt }) => {
      if (!represents(payment, attempt, index)) return undefined;
      return status === undefined || payment.status === status ? payJson(payment) : undefined;
    });
    return { pays: new JsonList(rows) };
  },
});
