/**
 * A trial on live traffic: each payment is paid with the usual settings or with those on trial, with equal probability,
 * until a sequential test (sequential-test.ts) decides which of them succeed more often. From then on all payments use
 * the better ones, or the usual ones if there is no difference. Off by default.
 *
 * A payment's random id determines its settings, so they need not be journaled. Payments that say nothing about the
 * settings are not counted: those that the recipient or our own node refused, those of an earlier process, those whose
 * caller gave the route, and probes.
 */
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { Payment, PaymentKind } from '../payment.ts';
import { type Arm, SequentialTest } from './sequential-test.ts';

/** Payments without a search, or that pay nothing. */
const UNCOUNTED_KINDS: ReadonlySet<PaymentKind> = new Set(['probe', 'sendpay']);
const UNCOUNTED: ReadonlySet<unknown> = new Set([
  'recipientRefused',
  'ownNodeRefused',
  'interrupted',
  'invoiceExpired',
  'notReleased',
]);

/** A trial of settings of the objective. */
export class Trial {
  readonly knobs: ObjectiveKnobs;
  readonly test = new SequentialTest();
  readonly #onVerdict: (trial: Trial) => void;

  /** @param onVerdict called once */
  constructor(knobs: ObjectiveKnobs, onVerdict: (trial: Trial) => void = () => undefined) {
    this.knobs = knobs;
    this.#onVerdict = onVerdict;
  }

  /** The settings that a payment uses now. */
  armOf({ id }: Pick<Payment, 'id'>): Arm {
    const { verdict } = this.test;
    if (verdict === 'open') return (Number.parseInt(id.at(-1)!, 16) & 1) === 0 ? 'usual' : 'trial';
    return verdict === 'better' ? 'trial' : 'usual';
  }

  /** The settings for the searches of a payment. Undefined: the usual ones. */
  knobsOf(payment: Pick<Payment, 'id'>): ObjectiveKnobs | undefined {
    return this.armOf(payment) === 'trial' ? this.knobs : undefined;
  }

  /** Counts a finished payment. */
  ended(payment: Pick<Payment, 'id' | 'status' | 'failure' | 'request'>): void {
    const { status, failure, request } = payment;
    if (this.test.verdict !== 'open' || status === 'pending' || UNCOUNTED_KINDS.has(request.kind)) return;
    if (failure !== undefined && 'obstacle' in failure && UNCOUNTED.has(failure.obstacle)) return;
    this.test.observe(this.armOf(payment), status === 'complete');
    // `observe` may have reached the verdict.
    if ((this.test.verdict as string) !== 'open') this.#onVerdict(this);
  }
}
