/** `listpayments`: shows payments, including those that failed without an attempt. */
import { toHex } from '../../../bolt/bytes.ts';
import { ERRORS } from '../../../model/errors.ts';
import type { Payment, PaymentKind } from '../../../payments/payment.ts';
import { field, optional, withDefault } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { u32, u64 } from '../../../rpc/param-types.ts';
import { recordedPlace } from '../../../store/outlines.ts';
import { defineCommand } from '../../context.ts';
import { failureInWords } from '../failure-words.ts';
import { totals } from './payment-json.ts';
import { selected } from './payment-lists.ts';

/** Default number of rows: as many as a person would read. */
const DEFAULT_LIMIT = 50;

/**
 * Not in Core Lightning. `listpays` matches Core Lightning's command, which omits payments without attempts and the
 * reasons for failures.
 */
export const listpayments = defineCommand({
  name: 'listpayments',
  summary: 'Show the latest payments, with the reason for each failure or refusal.',
  description:
    'Shows one row per payment, including payments without a route. `listpays` shows only payments with at ' +
    'least one attempt. `created_index` follows the order in which payments were recorded, across all daemons ' +
    'of a fleet: a payment is recorded with its first attempt, or when it is refused. A program that continues ' +
    'with `start` set to one more than the last `created_index` misses none. `number` identifies the payment in ' +
    'events and in `getpayment`, which shows the attempts. Without `start`, the list shows the last `limit` ' +
    'payments.',
  category: 'payments',
  readOnly: true,
  params: {
    start: optional(u64, 'First payment to show, by its created_index.'),
    limit: withDefault(u32, DEFAULT_LIMIT, 'Maximum number of payments to show.'),
  },
  result: {
    payments: field(
      'array',
      'Objects with id, created_index, number, command, payment_hash, destination, amount_msat, amount_sent_msat once it is ' +
        'complete, label, status, created_at, completed_at, attempts (their number), and failure.',
    ),
  },
  async handler({ start, limit }, { payments }) {
    const { journal } = payments;
    await journal.written();
    const live = new Map([...payments.live()].map((payment) => [payment.id, payment]));
    const pages = journal.recorded(
      start === undefined ? { last: limit } : { start: Math.min(Number(start), Number.MAX_SAFE_INTEGER) },
    );
    const rows = selected(pages, limit, (stored) => {
      const { kind } = stored.request;
      return kind === 'probe' ? undefined : rowOf(live.get(stored.id) ?? stored, kind, recordedPlace(stored));
    });
    return { payments: JsonList.inPages(rows) };
  },
});

function rowOf(payment: Payment, command: Exclude<PaymentKind, 'probe'>, place: number) {
  const { id, createdIndex, request, paymentHash, status, createdAtMs, completedAtMs, attempts } = payment;
  const failure = failureInWords(payment);
  return {
    id,
    created_index: place,
    number: createdIndex,
    command,
    payment_hash: toHex(paymentHash),
    destination: request.destination,
    amount_msat: request.amountMsat,
    amount_sent_msat: status === 'complete' ? totals(payment).sentMsat : undefined,
    label: request.label,
    status,
    created_at: createdAtMs / 1000,
    completed_at: completedAtMs === undefined ? undefined : completedAtMs / 1000,
    attempts: attempts.length,
    failure: failure && { code: ERRORS[failure.error].code, message: failure.message },
  };
}
