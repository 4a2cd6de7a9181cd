/** `paystatus`: shows payments with all attempts, even while the payments are in progress. */
import { fromHex, toHex } from '../../../bolt/bytes.ts';
import type { Payment } from '../../../payments/payment.ts';
import { field, optional } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { hash, string, u32 } from '../../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { filteredHash } from '../invoice-string.ts';
import { payStatusJson } from './payment-json.ts';
import { selected } from './payment-lists.ts';

/** Matches Core Lightning's command, with seed, probability and lessons of each attempt added. */
export const paystatus = defineCommand({
  name: 'paystatus',
  summary: 'Show payments with each attempt: route, failure and what was learned.',
  description:
    'Shows payments in order of creation, including payments in progress. `start` and `limit` count ' +
    'payments, from 1.',
  category: 'payments',
  readOnly: true,
  deprecated: { since: 'Core Lightning v26.06', removed: 'v27.03' },
  params: {
    bolt11: optional(string, 'Only payments of this invoice, BOLT 11 or BOLT 12.'),
    payment_hash: optional(hash, 'Only this payment.'),
    start: optional(u32, 'First payment to show.'),
    limit: optional(u32, 'Maximum number of payments to show.'),
  },
  result: {
    pay: field(
      'array',
      'Objects with label, bolt11 or bolt12, description, invreq_payer_note, invreq_id, amount_msat, destination, ' +
        'payment_hash, status, seed, failure and attempts.',
    ),
  },
  async handler({ bolt11, payment_hash, start, limit }, context) {
    const paymentHash = filteredHash(bolt11, 'bolt11') ?? payment_hash;
    await context.payments.journal.written();
    const found = paymentsFrom(context, paymentHash, start ?? 1);
    const nowMs = Date.now();
    return { pay: JsonList.inPages(selected(found, limit, (payment) => payStatusJson(payment, nowMs))) };
  },
});

/**
 * Payments on disk come first, then payments in progress that are not on disk yet. A payment in progress is shown in
 * its current state, which may be newer than the state on disk.
 */
async function* paymentsFrom(
  { payments }: NodeContext,
  paymentHash: string | undefined,
  start: number,
): AsyncGenerator<Iterable<Payment>, void> {
  const live = new Map([...payments.live()].map((payment) => [payment.id, payment]));
  const filter = paymentHash === undefined ? {} : { paymentHash: fromHex(paymentHash) };
  function* asTheyAreNow(page: Iterable<Payment>): Generator<Payment, void> {
    for (const stored of page) {
      if (stored.request.kind !== 'probe') yield live.get(stored.id) ?? stored;
      live.delete(stored.id);
    }
  }
  for await (const page of payments.journal.paymentPages(filter, start - 1)) yield asTheyAreNow(page);
  const isWanted = (payment: Payment) =>
    payment.createdIndex >= start &&
    (paymentHash === undefined || toHex(payment.paymentHash) === paymentHash);
  yield [...live.values()].filter(isWanted);
}
