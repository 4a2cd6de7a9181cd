/** `listpays`: shows payments, each with its parts added up. */
import { toHex } from '../../../bolt/bytes.ts';
import type { Payment } from '../../../payments/payment.ts';
import { field, type ParsedParams } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { defineCommand } from '../../context.ts';
import { isHeld, payJson } from './payment-json.ts';
import { checkListParams, LIST_PARAMS, represents, selected, storedAttempts } from './payment-lists.ts';

/** Matches Core Lightning's command. Shows what is on disk, after waiting for all changes made so far. */
export const listpays = defineCommand({
  name: 'listpays',
  summary: 'Show payments and their outcomes.',
  description:
    'Shows one row per payment with at least one attempt, ordered by first attempt or by latest change. A ' +
    'payment is complete when its first part has arrived. It has failed only when none of its parts is in ' +
    'flight. Use `index`, `start` and `limit` to page through long histories. Without `index`, payments that wait until ' +
    'the recipient of a static invoice comes online follow at the end, with `pending_reason`.',
  category: 'payments',
  readOnly: true,
  params: LIST_PARAMS,
  result: {
    pays: field(
      'array',
      'Objects with destination, payment_hash, status, created_at, completed_at, label, bolt11 or bolt12, ' +
        'description, invreq_payer_note, invreq_id, preimage, amount_msat, ' +
        'amount_sent_msat, nodes (with several nodes: node, amount_msat and amount_sent_msat of each), number_of_parts, ' +
        'created_index, updated_index, pending_reason. Both indexes count attempts, as in `listsendpays`. In `getpayment` and events, created_index is the number of the payment.',
    ),
  },
  async handler(params, { payments }) {
    const { journal } = payments;
    checkListParams(params);
    await journal.written();
    const { status, limit, index } = params;
    const found = storedAttempts(journal, params, { paymentStatus: status });
    const rows = selected(found, limit, ({ payment, attempt }) => {
      if (!represents(payment, attempt, index)) return undefined;
      return status === undefined || payment.status === status ? payJson(payment) : undefined;
    });
    const waiting = [...payments.live()].filter((payment) => isHeld(payment) && isAsked(payment, params));
    return { pays: JsonList.inPages(followedBy(rows, waiting.map(payJson))) };
  },
});

/** Whether the parameters select a payment without attempts, which has no index. */
function isAsked(
  { paymentHash }: Payment,
  { bolt11, payment_hash, status, index }: ParsedParams<typeof LIST_PARAMS>,
): boolean {
  if (bolt11 !== undefined || index !== undefined) return false;
  if (payment_hash !== undefined && payment_hash !== toHex(paymentHash)) return false;
  return status === undefined || status === 'pending';
}

async function* followedBy<T>(pages: AsyncIterable<Iterable<T>>, last: readonly T[]) {
  yield* pages;
  yield last;
}
