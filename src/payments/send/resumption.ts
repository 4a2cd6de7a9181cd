/**
 * Whether a payment that an earlier process or another daemon started makes further attempts.
 *
 * It does if it has an idempotency key. Its caller can then ask again and gets the outcome of this payment, so a
 * further attempt never pays for a request that was repeated meanwhile. Without a key, the caller may have made the
 * same payment again already.
 *
 * Everything that limits it is in the journal: amount, fee limit, deadline, and all attempts with their failures. An
 * attempt without an outcome counts as in flight, so its amount is not sent again before it has failed.
 */
import type { Payment } from '../payment.ts';
import type { Services } from '../services.ts';

/** Whether the payment is continued. Otherwise only its attempts in flight are followed. */
export function isContinued(
  { attempts, request, createdAtMs, status }: Payment,
  { book, clock }: Pick<Services, 'book' | 'clock'>,
): boolean {
  const { kind, idempotencyKey, circle, invoice, layers, retryForS } = request;
  if (status !== 'pending' || attempts.length === 0) return false;
  if (idempotencyKey === undefined || kind === 'sendpay') return false;
  // A circle moves a balance that has changed since. The release of a static invoice is not in the journal.
  if (circle !== undefined || invoice?.held !== undefined) return false;
  if (clock.nowMs() >= createdAtMs + 1000 * retryForS) return false;
  // A layer that is not persistent is gone after a restart, and unknown to other daemons.
  return layers.every((name) => book.layerIdByName(name) !== undefined);
}
