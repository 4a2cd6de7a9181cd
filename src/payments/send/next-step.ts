/**
 * Decides what a payment does next, given what has happened so far. The decision is a pure function, so the life of a
 * payment can be read, tested and replayed without network, clock or disk.
 *
 *   settled attempt ──▶ succeed (once)          anything in flight ──▶ await it
 *   money not yet on its way: hopeless, no route, out of time or attempts ──▶ fail, when nothing is in flight
 *     a static invoice is not released ──▶ await its release     our node is away ──▶ await it
 *     channels or money may soon return ──▶ await them           our chain too short ──▶ await the height
 *     otherwise ──▶ plan
 *
 * A payment whose caller gives the routes (`sendpay`) plans nothing: it fails once nothing is in flight. A payment with
 * an HTLC in flight never fails, because that HTLC may still settle.
 */
import type { Obstacle, Payment } from '../payment.ts';

/**
 * A payment that has made this many attempts makes no more. This bounds every loop over attempts. With a usual
 * `retry_for`, a payment never makes that many.
 */
export const MAX_ATTEMPTS = 500;

/** What a decision depends on, besides the payment. Heights are in blocks. */
export interface Circumstances {
  /** Milliseconds until the payment's deadline. 0 or less if it has passed. */
  readonly leftMs: number;
  /** UNIX time in milliseconds. */
  readonly nowMs: number;
  /** UNIX time in milliseconds at which the recipient stops accepting the payment. Infinite if there is no invoice. */
  readonly expiresAtMs: number;
  readonly height: number;
  /** The recipient refused permanently. */
  readonly isHopeless: boolean;
  /** Our own node refuses this payment over every channel. */
  readonly isDeclined: boolean;
  /** The recipient of the static invoice has not released the payment yet. */
  readonly isHeld: boolean;
  /** Our own node became unreachable before an attempt left, and may return. */
  readonly isNodeAway: boolean;
  /** The last search found no route, but what the payment lacks may soon return (expected-return.ts). */
  readonly isReturnExpected: boolean;
  /** The last search found no route, and nothing has changed since. */
  readonly isRouteless: boolean;
  readonly isInterrupted: boolean;
  /** The height that our chain must reach before the recipient accepts the payment. */
  readonly awaitHeight: number | undefined;
}

/** What to do next. `remainingMsat` is the amount not yet carried by any attempt, including the shadow amount. */
export type Step =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'fail'; readonly obstacle: Obstacle }
  | { readonly kind: 'plan'; readonly remainingMsat: bigint }
  | { readonly kind: 'awaitHeight' }
  | { readonly kind: 'awaitNode' }
  | { readonly kind: 'awaitReturn' }
  | { readonly kind: 'awaitRelease' }
  | { readonly kind: 'awaitAttempt' }
  /** The payment has an outcome, and nothing is in flight any more. */
  | { readonly kind: 'rest' };

/** Decides the next step. Call it after every change. The result depends only on the parameters. */
export function nextStep(payment: Payment, now: Circumstances): Step {
  const inFlight = payment.attempts.filter(({ status }) => status === 'sent');
  if (payment.status === 'pending' && payment.attempts.some(({ status }) => status === 'settled')) {
    return { kind: 'succeed' };
  }
  if (payment.status !== 'pending') return { kind: inFlight.length > 0 ? 'awaitAttempt' : 'rest' };
  if (payment.request.kind === 'sendpay') {
    return inFlight.length > 0 ? { kind: 'awaitAttempt' } : { kind: 'fail', obstacle: 'givenRouteFailed' };
  }
  const remainingMsat = inFlight.reduce(
    (left, { amountMsat }) => left - amountMsat,
    payment.totalMsat as bigint,
  );
  if (remainingMsat <= 0n) return { kind: 'awaitAttempt' };
  const obstacle = obstacleTo(payment, now);
  if (obstacle !== undefined) {
    return inFlight.length > 0 ? { kind: 'awaitAttempt' } : { kind: 'fail', obstacle };
  }
  if (now.isHeld) return { kind: 'awaitRelease' };
  if (now.isNodeAway) return { kind: 'awaitNode' };
  if (now.isReturnExpected) return { kind: 'awaitReturn' };
  if (now.awaitHeight !== undefined && now.height < now.awaitHeight) return { kind: 'awaitHeight' };
  return { kind: 'plan', remainingMsat };
}

function obstacleTo({ attempts }: Payment, now: Circumstances): Obstacle | undefined {
  if (now.isHopeless) return 'recipientRefused';
  if (now.isDeclined || (now.isNodeAway && now.leftMs <= 0)) return 'ownNodeRefused';
  if (now.isInterrupted) return 'interrupted';
  if (now.isRouteless) return 'noRoute';
  if (now.isHeld && now.leftMs <= 0) return 'notReleased';
  // The deadline does not apply before the first attempt, so that a payment with a `retry_for` of 0 is attempted too.
  if (attempts.length > 0 && now.leftMs <= 0) return 'outOfTime';
  if (now.nowMs >= now.expiresAtMs) return 'invoiceExpired';
  return attempts.length >= MAX_ATTEMPTS ? 'outOfAttempts' : undefined;
}
