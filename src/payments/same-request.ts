/**
 * Checks whether a request with a used idempotency key is the same request as the first one with that key. Only then is
 * the first outcome returned. If a different request also got this outcome, it would never run, and its caller would
 * not notice.
 */
import type { PaymentRequest, PaymentTarget } from './payment.ts';
import { PaymentRefused } from './refusal.ts';
import { differingParts } from './request-parts.ts';

/** @throws PaymentRefused with all differences, if the key was used for a different payment */
export function requireSame(first: PaymentRequest, second: PaymentTarget): void {
  const differing = differingParts(first, second);
  if (differing.length > 0) throw new PaymentRefused({ kind: 'otherRequest', differing });
}
