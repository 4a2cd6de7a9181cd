/** Totals of what payments in progress lock. */

import type { Payment } from '../payment.ts';

/** What is in progress. The sum is what the HTLCs take from our channels, fees included. */
export interface InFlight {
  readonly payments: number;
  readonly htlcs: number;
  readonly htlcsMsat: bigint;
  /** When the oldest of these HTLCs was sent, in UNIX milliseconds. Undefined without any. */
  readonly oldestHtlcAtMs: number | undefined;
}

/** Totals over payments in progress: payments without an outcome, and the HTLCs of all with the amounts they lock. */
export function inFlightOf(payments: Iterable<Payment>): InFlight {
  const sum = { payments: 0, htlcs: 0, htlcsMsat: 0n };
  let oldestHtlcAtMs: number | undefined;
  for (const { status: outcome, request, attempts } of payments) {
    if (outcome === 'pending' && request.kind !== 'probe') sum.payments++;
    for (const { status, amountSentMsat, createdAtMs } of attempts) {
      if (status !== 'sent') continue;
      sum.htlcs++;
      sum.htlcsMsat += amountSentMsat;
      oldestHtlcAtMs = Math.min(oldestHtlcAtMs ?? createdAtMs, createdAtMs);
    }
  }
  return { ...sum, oldestHtlcAtMs };
}
