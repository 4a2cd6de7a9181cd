/**
 * A trial on live traffic: each payment uses either the usual settings or the settings on trial, with equal
 * probability, until a sequential test (sequential-test.ts) decides which settings succeed more often. From then on,
 * all payments use the better settings, or the usual ones if there is no difference. Off by default.
 *
 * The settings of a payment follow from its random id, so they need not be journaled. Payments that reveal nothing
 * about the settings are not counted: probes, payments whose caller gave the route, and payments that failed because
 * the recipient or our own node refused them, the invoice expired, the recipient of a static invoice did not release
 * them, or a restart interrupted them.
 */
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { Payment, PaymentKind } from '../payment.ts';
import { type Arm, SequentialTest } from './sequential-test.ts';

/** Kinds of payments that are not counted: a probe pays nothing, and a `sendpay` makes no searches. */
const UNCOUNTED_KINDS: ReadonlySet<PaymentKind> = new Set(['probe', 'sendpay']);
const UNCOUNTED: ReadonlySet<unknown> = new Set([
  'recipientRefused',
  'ownNodeRefused',
  'interrupted',
  'invoiceExpired',
  'notReleased',
]);

/** If a recipient does not answer with more than this probability, it probably does not answer. */
const DOUBTFUL_FROM = 0.5;

/** A trial of settings of the objective. */
export class Trial {
  readonly knobs: ObjectiveKnobs;
  readonly test = new SequentialTest();
  readonly #onVerdict: (trial: Trial) => void;
  /** The ids of payments in progress to recipients that probably do not answer. */
  readonly #doubtful = new Set<string>();

  /** @param onVerdict called once, when there is a verdict */
  constructor(knobs: ObjectiveKnobs, onVerdict: (trial: Trial) => void = () => undefined) {
    this.knobs = knobs;
    this.#onVerdict = onVerdict;
  }

  /** Which settings a payment uses now. */
  armOf({ id }: Pick<Payment, 'id'>): Arm {
    const { verdict } = this.test;
    if (verdict === 'open') return (Number.parseInt(id.at(-1)!, 16) & 1) === 0 ? 'usual' : 'trial';
    return verdict === 'better' ? 'trial' : 'usual';
  }

  /** The settings for the searches of a payment. Undefined for the usual ones. */
  knobsOf(payment: Pick<Payment, 'id'>): ObjectiveKnobs | undefined {
    return this.armOf(payment) === 'trial' ? this.knobs : undefined;
  }

  /** Notes how probable it is, before anything was sent, that the recipient does not answer. */
  began({ id }: Pick<Payment, 'id'>, awayChance: number): void {
    if (awayChance > DOUBTFUL_FROM) this.#doubtful.add(id);
  }

  /** Counts a finished payment, unless it reveals nothing about the settings. */
  ended(payment: Pick<Payment, 'id' | 'status' | 'failure' | 'request'>): void {
    const isDoubtful = this.#doubtful.delete(payment.id);
    const { status, failure, request } = payment;
    if (this.test.verdict !== 'open' || status === 'pending' || UNCOUNTED_KINDS.has(request.kind)) return;
    if (failure !== undefined && 'obstacle' in failure && UNCOUNTED.has(failure.obstacle)) return;
    this.test.observe(this.armOf(payment), status === 'complete', isDoubtful);
    // This payment may have led to the verdict.
    if ((this.test.verdict as string) !== 'open') this.#onVerdict(this);
  }
}
