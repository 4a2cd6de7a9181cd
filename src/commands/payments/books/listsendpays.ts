/** `listsendpays`: shows the attempts of all payments. */
import { field } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { defineCommand } from '../../context.ts';
import { STATE, STATUS, sendpayJson } from './payment-json.ts';
import { checkListParams, LIST_PARAMS, selected, storedAttempts } from './payment-lists.ts';

/** Matches Core Lightning's command. Shows what is on disk, after waiting for all changes made so far. */
export const listsendpays = defineCommand({
  name: 'listsendpays',
  summary: 'Show the attempts that were sent.',
  description:
    'Shows one row per attempt, ordered by creation or by latest change. A payment without a route has no ' +
    'attempts. Use `index`, `start` and `limit` to page through long histories. If daemons share a database, ' +
    'both indexes follow the order of commits of all daemons, and `id` is the number assigned by the daemon.',
  category: 'payments',
  readOnly: true,
  params: LIST_PARAMS,
  result: {
    payments: field(
      'array',
      'Objects with created_index, id, payment_hash, groupid, updated_index, partid, node (with several nodes), ' +
        'destination, amount_msat, amount_sent_msat, created_at, completed_at, status, payment_preimage, label, bolt11 or bolt12, description, ' +
        'invreq_payer_note, invreq_id.',
    ),
  },
  async handler(params, { payments: { journal } }) {
    checkListParams(params);
    await journal.written();
    const { status, limit } = params;
    const found = storedAttempts(journal, params, { attemptStatus: status && STATE[status] });
    const rows = selected(found, limit, ({ payment, attempt }) =>
      status === undefined || STATUS[attempt.status] === status ? sendpayJson(payment, attempt) : undefined,
    );
    return { payments: JsonList.inPages(rows) };
  },
});
