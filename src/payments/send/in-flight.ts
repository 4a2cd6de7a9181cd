/** Totals of the amounts that payments in progress lock. */

import type { Payment } from '../payment.ts';

/** Payments and HTLCs in progress. The sum is the amount that the HTLCs take from our channels, including fees. */
export interface InFlight {
  readonly payments: number;
  readonly htlcs: number;
  readonly htlcsMsat: bigint;
  /** Time in UNIX milliseconds at which the oldest of these HTLCs was sent. Undefined if there are none. */
  readonly oldestHtlcAtMs: number | undefined;
}

/**
 * Counts the payments that have no outcome yet, and the HTLCs in flight with the amounts that they lock. Probes count
 * only as HTLCs.
 */
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
