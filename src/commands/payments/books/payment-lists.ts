/** Parameters and paging that the lists of payments and attempts share. */
import { fromHex } from '../../../bolt/bytes.ts';
import type { OutlineList, StoredOutline } from '../../../payments/books/journal.ts';
import type { AttemptOutline, PaymentOutline } from '../../../payments/payment.ts';
import { optional, type ParsedParams } from '../../../rpc/command.ts';
import { hash, oneOf, string, u32, u64 } from '../../../rpc/param-types.ts';
import { refusedParameter } from '../../../rpc/params.ts';
import type { NodeContext } from '../../context.ts';
import { filteredHash } from '../invoice-string.ts';
import { isFirstPlace } from './payment-json.ts';

/** Parameters of Core Lightning's `listpays` and `listsendpays`, in its positional order. */
export const LIST_PARAMS = {
  bolt11: optional(string, 'Only payments of this invoice, BOLT 11 or BOLT 12.'),
  payment_hash: optional(hash, 'Only payments with this hash.'),
  status: optional(
    oneOf(['pending', 'complete', 'failed'], 'should be an invoice status'),
    'Only entries in this state.',
  ),
  index: optional(oneOf(['created', 'updated'], 'should be created or updated'), 'The order of the list.'),
  start: optional(u64, 'First index to show.'),
  limit: optional(u32, 'Maximum number of entries to show.'),
};

type ListParams = ParsedParams<typeof LIST_PARAMS>;

/** @throws FulguriteError -32602 for parameters that exclude each other. */
export function checkListParams({ bolt11, payment_hash, index, start, limit }: ListParams): void {
  if (bolt11 !== undefined && payment_hash !== undefined) {
    throw refusedParameter('payment_hash', 'Can only specify one of {bolt11} or {payment_hash}');
  }
  requireIndex(index, start, limit);
  if (start !== undefined && (bolt11 !== undefined || payment_hash !== undefined)) {
    throw refusedParameter('start', 'Cannot use start with bolt11 or payment_hash');
  }
}

/** Paging requires an `index`, as in Core Lightning. @throws FulguriteError -32602 */
export function requireIndex(
  index: string | undefined,
  start: bigint | undefined,
  limit: number | undefined,
): void {
  if (start !== undefined && index === undefined)
    throw refusedParameter('start', 'Can only specify {start} with {index}');
  if (limit !== undefined && index === undefined)
    throw refusedParameter('limit', 'Can only specify {limit} with {index}');
}

/**
 * Attempts in the requested order, or, for an invoice or a hash, in order of creation. Each has its payment. They are
 * read from disk one page at a time.
 * @param states the states on disk that attempts and their payments must have. Ignored for an invoice or a hash, which
 *   has few attempts
 * @throws FulguriteError -32602 if the text of the invoice is not an invoice
 */
export function storedAttempts(
  journal: NodeContext['payments']['journal'],
  { bolt11, payment_hash, index, start }: ListParams,
  states: Pick<OutlineList, 'paymentStatus' | 'attemptStatus'>,
): AsyncGenerator<Iterable<StoredOutline>, void> {
  const paymentHash = filteredHash(bolt11, 'bolt11') ?? payment_hash;
  if (paymentHash !== undefined) return attemptsOfHash(journal, fromHex(paymentHash));
  const from = start === undefined || start < 1n ? 1 : Number(start);
  return journal.outlines({
    by: index ?? 'created',
    start: Math.min(from, Number.MAX_SAFE_INTEGER),
    ...states,
  });
}

async function* attemptsOfHash(
  journal: NodeContext['payments']['journal'],
  paymentHash: Uint8Array,
): AsyncGenerator<Iterable<StoredOutline>, void> {
  for await (const payment of journal.payments({ paymentHash })) {
    yield payment.attempts.map((attempt) => ({ payment, attempt }));
  }
}

/**
 * The first `limit` defined results of `select` over the elements of all pages. Results are computed on demand, so each
 * page must be consumed before the next.
 */
export async function* selected<T, U>(
  pages: AsyncIterable<Iterable<T>>,
  limit: number | undefined,
  select: (element: T) => U | undefined,
): AsyncGenerator<Iterable<U>, void> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  function* chosen(page: Iterable<T>): Generator<U, void> {
    for (const element of page) {
      if (left <= 0) return;
      const value = select(element);
      if (value === undefined) continue;
      left--;
      yield value;
    }
  }
  for await (const page of pages) {
    if (left <= 0) return;
    yield chosen(page);
  }
}

/**
 * Whether the list shows the payment at this attempt. A list shows each payment once: in creation order at its first
 * attempt, and in update order at the attempt that changed last.
 */
export function represents(
  payment: PaymentOutline,
  attempt: AttemptOutline,
  index: ListParams['index'],
): boolean {
  if (index !== 'updated') return isFirstPlace(payment, attempt);
  return payment.attempts.every(({ updatedIndex }) => (updatedIndex ?? 0) <= attempt.updatedIndex!);
}
