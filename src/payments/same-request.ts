/**
 * Tells whether a request that repeats an idempotency key is the same request as the first one with that key.
 * Only then is the first outcome given again. If it were given to a different request too, that request would
 * never be carried out, and its caller would not notice.
 */
import type { PaymentRequest, PaymentTarget } from './payment.ts';
import { PaymentRefused } from './refusal.ts';
import { differingParts } from './request-parts.ts';

/** @throws PaymentRefused that names every difference, when the key was used for another payment. */
export function requireSame(first: PaymentRequest, second: PaymentTarget): void {
  const differing = differingParts(first, second);
  if (differing.length > 0) throw new PaymentRefused({ kind: 'otherRequest', differing });
}
