/**
 * Decides whether a payment that an earlier process or another daemon started makes further attempts.
 *
 * A payment does so only if it has an idempotency key. Its caller can then repeat the request and get the outcome of
 * the payment, so further attempts never pay twice. Without a key, the caller may already have made the same payment
 * again.
 *
 * Everything that limits the payment is in the journal: amount, fee limit, deadline, and all attempts with their
 * failures. An attempt without an outcome counts as in flight, so its amount is not sent again before the attempt has
 * failed.
 */
import type { Payment } from '../payment.ts';
import type { Services } from '../services.ts';

/** Whether the payment is continued. If not, only its attempts in flight are followed. */
export function isContinued(
  { attempts, request, createdAtMs, status }: Payment,
  { book, clock }: Pick<Services, 'book' | 'clock'>,
): boolean {
  const { kind, idempotencyKey, circle, invoice, layers, retryForS } = request;
  if (status !== 'pending' || attempts.length === 0) return false;
  if (idempotencyKey === undefined || kind === 'sendpay') return false;
  // A circle was planned for balances that have changed since then. The release of a static invoice is not in the
  // journal.
  if (circle !== undefined || invoice?.held !== undefined) return false;
  if (clock.nowMs() >= createdAtMs + 1000 * retryForS) return false;
  // A layer that is not persistent is gone after a restart, and unknown to other daemons.
  return layers.every((name) => book.layerIdByName(name) !== undefined);
}
