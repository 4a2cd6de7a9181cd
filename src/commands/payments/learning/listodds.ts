/** `listodds`: shows predicted probabilities and outcomes of attempts. */
import { arrived } from '../../../payments/books/arrival.ts';
import type { StoredAttempt } from '../../../payments/books/journal.ts';
import { field, optional, withDefault } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { u32, u64 } from '../../../rpc/param-types.ts';
import { defineCommand } from '../../context.ts';

/**
 * Default number of attempts: enough for narrow confidence intervals in ten bins, and few enough to be read in a
 * fraction of a second.
 */
const DEFAULT_LIMIT = 10_000;

/** Not in Core Lightning. The result shows how good this node's predictions are. */
export const listodds = defineCommand({
  name: 'listodds',
  summary: 'Show the predicted probability and the outcome of attempts.',
  description:
    'Shows attempts with a known outcome, in order of creation, to compare predicted probabilities with ' +
    'results. An attempt has arrived if it reached the recipient, even if the recipient rejected it. ' +
    'Attempts in flight are omitted, and so are attempts that were never sent, unless our own node refused ' +
    'them, and attempts of `sendpay` and `sendonion`, for which nothing is predicted. Without `start`, the last ' +
    '`limit` attempts are considered.',
  category: 'payments',
  readOnly: true,
  params: {
    start: optional(u64, 'Id of the first attempt to consider.'),
    limit: withDefault(u32, DEFAULT_LIMIT, 'Maximum number of attempts to consider.'),
  },
  result: {
    odds: field(
      'array',
      'Objects with id, created_at, amount_msat, probability_ppm, uncorrected_ppm (if odds were learned: the probability before ' +
        'the correction by earlier outcomes), hops and arrived.',
    ),
  },
  async handler({ start, limit }, { payments: { journal } }) {
    await journal.written();
    const after = Math.max(0, journal.lastAttemptIndex - limit);
    const first =
      start === undefined ? after + 1 : Math.max(1, Math.min(Number(start), Number.MAX_SAFE_INTEGER));
    return { odds: new JsonList(rows(journal.attempts({ by: 'created', start: first }), limit)) };
  },
});

async function* rows(attempts: AsyncIterable<StoredAttempt>, limit: number) {
  let left = limit;
  if (left === 0) return;
  for await (const { payment, attempt } of attempts) {
    const hasArrived = arrived(attempt);
    if (hasArrived !== undefined && payment.request.kind !== 'sendpay') {
      yield {
        id: attempt.createdIndex,
        created_at: attempt.createdAtMs / 1000,
        amount_msat: attempt.amountMsat,
        probability_ppm: attempt.probabilityPpm,
        ...(attempt.uncorrectedPpm !== undefined && { uncorrected_ppm: attempt.uncorrectedPpm }),
        hops: attempt.path.length,
        arrived: hasArrived,
      };
    }
    if (--left === 0) return;
  }
}
