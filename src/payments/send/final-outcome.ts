/** Waits for the outcome of a payment, whichever daemon completes it. */

import { LeaseLost, PaidElsewhere } from '../../store/payment-leases.ts';
import type { KeyHolder } from '../books/idempotency-keys.ts';
import { InvoiceTaken } from '../books/invoice-guard.ts';
import type { Journal } from '../books/journal.ts';
import type { Payment } from '../payment.ts';
import { singleUseRequest } from '../plan/invoice-terms.ts';
import { requireSame } from '../same-request.ts';
import { isDisowned, type Takeover } from './takeover.ts';

/**
 * Resolves to the payment once it is complete or failed.
 * @param takeover undefined unless the journal is in a database that several daemons can share
 * @throws any error with which the payment's `answered` rejects, or of `Takeover.follow`; InvoiceTaken when another
 *   daemon is paying the same invoice or single-use request; PaymentRefused when another daemon used the idempotency
 *   key for a different request
 */
export async function finalOutcome(
  { live, payment }: KeyHolder,
  journal: Journal,
  takeover: Takeover | undefined,
): Promise<Payment> {
  if (live === undefined) {
    return payment.status === 'pending' ? ((await takeover?.follow(payment)) ?? payment) : payment;
  }
  try {
    await (takeover?.whileAnswered(live.answered, payment) ?? live.answered);
    return payment;
  } catch (error) {
    if (takeover === undefined || !isDisowned(error)) throw error;
    const { idempotencyKey: key } = payment.request;
    const other = error instanceof LeaseLost ? payment : key && (await journal.paymentOfKey(key));
    if (!other) throw error instanceof PaidElsewhere ? await takenBy(payment, error, journal) : error;
    requireSame(other.request, payment.request);
    return takeover.follow(other);
  }
}

/**
 * The error for the caller if another daemon started to pay the same invoice, or the same single-use request, at the
 * same time: `InvoiceTaken`, as for a request that arrives later. If the other payment has failed meanwhile, the
 * original error is returned, and the caller may retry.
 */
async function takenBy(
  { paymentHash, request }: Payment,
  error: PaidElsewhere,
  journal: Journal,
): Promise<Error> {
  const { what } = error;
  const { standing } =
    what === 'invoice'
      ? await journal.paymentsOfHash(paymentHash)
      : await journal.paymentsOfRequest(singleUseRequest(request.asked)!);
  return standing === undefined ? error : new InvoiceTaken(standing, what);
}
