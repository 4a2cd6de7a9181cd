/**
 * The third outcome of a payment beside complete and failed: not known yet. Its caller must not take it for failed, since an
 * HTLC may still arrive. The next start of the service, or another daemon, finds out.
 */
import { ReasonedError } from '../model/errors.ts';
import type { Payment } from './payment.ts';

/** Why the caller gets no outcome: the service stops, or a defect of ours ended the run. */
export interface OpenOutcome {
  readonly kind: 'stopping' | 'defect';
  readonly payment: Payment;
}

/** Thrown to the caller of a payment whose outcome is not known yet. */
export class OutcomeOpen extends ReasonedError<OpenOutcome> {
  constructor(reason: OpenOutcome) {
    super(reason.kind === 'stopping' ? 'shuttingDown' : 'internal', reason);
  }
}
