/** The outcome of a payment, whether this daemon or another one completes it. */

import { LeaseLost, PaidElsewhere } from '../../store/payment-leases.ts';
import type { KeyHolder } from '../books/idempotency-keys.ts';
import { InvoiceTaken } from '../books/invoice-guard.ts';
import type { Journal } from '../books/journal.ts';
import type { Payment } from '../payment.ts';
import { singleUseRequest } from '../plan/invoice-terms.ts';
import { requireSame } from '../same-request.ts';
import { isDisowned, type Takeover } from './takeover.ts';

/**
 * The payment once it is over.
 * @param takeover undefined unless several daemons share the journal
 * @throws what `answered` of the payment rejects with; InvoiceTaken when another daemon pays the same invoice
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
 * The error when another daemon started to pay the same invoice, or the same single-use request, at the same moment.
 * It is the same error as for a request a moment later. If that payment has failed meanwhile, the error itself says
 * what happened, and the caller may retry.
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
