/**
 * Payments whose caller gives the route of each part (`sendpay`, `sendonion`). The parts of a group form one payment:
 * the first part starts it, and further parts join it while one of them is in flight.
 *
 * As in Core Lightning's `sendpay`, whether a part may be sent depends on earlier parts with the same payment hash, so
 * that a hash is never paid twice:
 *
 *   the same part has arrived or is in flight         its row is returned again
 *   a part with its number failed in the same group   refused
 *   a different part has arrived                      refused
 *   a different group is in flight                    refused
 *   the parts in flight add up to the total           refused
 */
import { equalBytes } from '../../bolt/bytes.ts';
import type { Route } from '../../engine/question/route.ts';
import { type ErrorName, ReasonedError } from '../../model/errors.ts';
import type { Attempt, Payment, PaymentRequest } from '../payment.ts';

/** A part to send along the caller's route. */
export interface GivenPart {
  readonly request: PaymentRequest;
  /** Default: one more than the highest group id with this payment hash. */
  readonly groupId: bigint | undefined;
  /** Number of the part. 0 for a payment in one part. */
  readonly partId: number;
  readonly route: Route;
}

/** Why earlier parts of the same payment hash prevent sending a part. */
export type PartRefusal =
  | { readonly kind: 'otherAmount'; readonly state: PartState; readonly before: bigint; readonly now: bigint }
  | { readonly kind: 'otherRecipient'; readonly state: PartState; readonly before: string }
  | { readonly kind: 'otherGroup'; readonly groupId: bigint }
  | { readonly kind: 'otherNumbering'; readonly inParts: boolean }
  | { readonly kind: 'otherTotal'; readonly before: bigint; readonly now: bigint }
  | { readonly kind: 'numberUsed'; readonly groupId: bigint; readonly partId: number }
  | { readonly kind: 'partsArrived' }
  /** The payment secret differs, so the recipient would not accept the parts together. */
  | { readonly kind: 'otherSecret' }
  /** The payment has an onion built by the caller, and such a payment can have only one part in flight. */
  | { readonly kind: 'oneOnion' }
  | { readonly kind: 'wholeInFlight'; readonly inFlightMsat: bigint; readonly totalMsat: bigint };

/** The state of an earlier part with the same number. */
export type PartState = 'complete' | 'pending';

const ERRORS_OF = {
  otherAmount: 'hashUsed',
  otherRecipient: 'hashUsed',
  otherGroup: 'waitTimedOut',
  otherNumbering: 'waitTimedOut',
  otherTotal: 'invalidParams',
  numberUsed: 'hashUsed',
  partsArrived: 'hashUsed',
  otherSecret: 'invalidParams',
  oneOnion: 'notSupported',
  wholeInFlight: 'waitTimedOut',
} as const satisfies Record<PartRefusal['kind'], ErrorName>;

/** Thrown when a part is not sent. */
export class PartRefused extends ReasonedError<PartRefusal> {
  constructor(refusal: PartRefusal) {
    super(ERRORS_OF[refusal.kind], refusal);
  }
}

/** What to do with a part. */
export type PartPlan =
  | { readonly kind: 'begin'; readonly groupId: bigint }
  | { readonly kind: 'join'; readonly payment: Payment }
  /** The same part was sent before. */
  | { readonly kind: 'repeat'; readonly payment: Payment; readonly attempt: Attempt };

/**
 * Decides what to do with a part.
 * @param earlier all payments with the same hash, in order of creation
 * @throws PartRefused
 */
export function planPart(part: GivenPart, earlier: readonly Payment[]): PartPlan {
  const groupId =
    part.groupId ?? earlier.reduce((last, one) => (one.groupId > last ? one.groupId : last), 0n) + 1n;
  const parts = earlier.flatMap((payment) => payment.attempts.map((attempt) => ({ payment, attempt })));
  const same = (attempt: Attempt): boolean => attempt.partId === part.partId;
  const arrived = parts.find(({ attempt }) => attempt.status === 'settled' && same(attempt));
  if (arrived !== undefined) return repeated(part, arrived.payment, arrived.attempt, 'complete');
  let inFlightMsat = 0n;
  let joined: Payment | undefined;
  for (const { payment, attempt } of parts) {
    if (attempt.status === 'sent') {
      if (payment.groupId !== groupId)
        throw new PartRefused({ kind: 'otherGroup', groupId: payment.groupId });
      if ((attempt.partId === 0) !== (part.partId === 0)) {
        throw new PartRefused({ kind: 'otherNumbering', inParts: attempt.partId !== 0 });
      }
      if (same(attempt)) return repeated(part, payment, attempt, 'pending');
      requireTotal(part, payment);
      inFlightMsat += attempt.amountMsat;
      joined = payment;
    } else if (same(attempt) && payment.groupId === groupId) {
      throw new PartRefused({ kind: 'numberUsed', groupId, partId: part.partId });
    }
  }
  if (parts.some(({ attempt }) => attempt.status === 'settled'))
    throw new PartRefused({ kind: 'partsArrived' });
  if (joined === undefined) return { kind: 'begin', groupId };
  const { amountMsat: totalMsat } = part.request;
  if (inFlightMsat >= totalMsat) throw new PartRefused({ kind: 'wholeInFlight', inFlightMsat, totalMsat });
  requireSameSet(part.request, joined.request);
  return { kind: 'join', payment: joined };
}

function repeated(part: GivenPart, payment: Payment, attempt: Attempt, state: PartState): PartPlan {
  const { amountMsat } = part.route;
  if (attempt.amountMsat !== amountMsat) {
    throw new PartRefused({ kind: 'otherAmount', state, before: attempt.amountMsat, now: amountMsat });
  }
  const { destination } = payment.request;
  if (destination !== part.request.destination) {
    throw new PartRefused({ kind: 'otherRecipient', state, before: destination });
  }
  return { kind: 'repeat', payment, attempt };
}

function requireTotal({ request }: GivenPart, payment: Payment): void {
  const before = payment.request.amountMsat;
  if (before !== request.amountMsat) {
    throw new PartRefused({ kind: 'otherTotal', before, now: request.amountMsat });
  }
}

/** @throws PartRefused when two parts cannot form one payment, because of an onion or different payment secrets */
function requireSameSet(now: PaymentRequest, before: PaymentRequest): void {
  if (now.onion !== undefined || before.onion !== undefined) throw new PartRefused({ kind: 'oneOnion' });
  if (!equalBytes(secretOf(now), secretOf(before))) throw new PartRefused({ kind: 'otherSecret' });
}

const secretOf = ({ invoice }: PaymentRequest): Uint8Array => invoice?.paymentSecret ?? new Uint8Array(0);
