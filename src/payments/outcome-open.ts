/**
 * A third outcome of payments, besides complete and failed: still unknown. Callers must not treat it as failed, since
 * an HTLC may still arrive. The next start of the service, or another daemon, will find out.
 */
import { ReasonedError } from '../model/errors.ts';
import type { Payment } from './payment.ts';

/** Why the outcome is unknown: the service is stopping, or a bug of ours ended the run. */
export interface OpenOutcome {
  readonly kind: 'stopping' | 'defect';
  readonly payment: Payment;
}

/** Thrown to the caller of a payment whose outcome is still unknown. */
export class OutcomeOpen extends ReasonedError<OpenOutcome> {
  constructor(reason: OpenOutcome) {
    super(reason.kind === 'stopping' ? 'shuttingDown' : 'internal', reason);
  }
}
