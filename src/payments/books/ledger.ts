/**
 * The movements of our money: one for each part that arrived, in the order of arrival, and then one for each part in
 * flight. Failed parts moved nothing in the end; they are listed only if requested.
 *
 *     what left the channels = sum of what arrived + sum of fees + sum of what is in flight
 *
 * Movements are numbered by `updatedIndex`, the number of the change that ended a part. A reader that continues after
 * the last number it has seen misses no movement, and sees none twice, as long as one daemon uses the database.
 */

import type { AttemptOutline, PaymentOutline } from '../payment.ts';
import type { Journal } from './journal.ts';

/** The kind of a movement: a settled part of a payment or of a transfer, a failed part, or a part in flight. */
export type MovementKind = 'payment' | 'transfer' | 'refund' | 'inFlight';

/** One part of a payment, and the kind of its movement. */
export interface Movement {
  readonly kind: MovementKind;
  readonly payment: PaymentOutline;
  readonly attempt: AttemptOutline;
}

/** The requested movements. */
export interface LedgerRange {
  /** Number of the first movement, from 1. */
  readonly start: number;
  /** Maximum number of finished movements. */
  readonly limit: number;
  /** Movements that ended before this time are left out. UNIX milliseconds. */
  readonly sinceMs: number;
  /** Whether to list failed parts. */
  readonly withRefunds: boolean;
}

/** Movements of a range. */
export interface Ledger {
  readonly movements: readonly Movement[];
  /** Start of the next range. Undefined if this range reached the end; it then also contains the parts in flight. */
  readonly next: number | undefined;
}

type LedgerJournal = Pick<Journal, 'written' | 'outlines'>;

/** Reads movements. Parts in flight come last. @throws FulguriteError storeFailed */
export async function readLedger(journal: LedgerJournal, range: LedgerRange): Promise<Ledger> {
  const { start, limit, sinceMs, withRefunds } = range;
  await journal.written();
  const inFlight = new Map<number, Movement>();
  for await (const page of journal.outlines({ by: 'created', attemptStatus: 'sent' })) {
    for (const { payment, attempt } of page) {
      if (attempt.status === 'sent')
        inFlight.set(attempt.createdIndex, { kind: 'inFlight', payment, attempt });
    }
  }
  const ended = new Map<number, Movement>();
  for await (const page of journal.outlines({ by: 'updated', start })) {
    for (const { payment, attempt } of page) {
      const { createdIndex, status, completedAtMs = 0, updatedIndex } = attempt;
      // An attempt that ended after the first query is no longer in flight.
      if (status !== 'sent') inFlight.delete(createdIndex);
      const isWanted = status === 'settled' || (status === 'failed' && withRefunds);
      if (!isWanted || completedAtMs < sinceMs || ended.has(createdIndex)) continue;
      if (ended.size === limit) return { movements: [...ended.values()], next: updatedIndex };
      ended.set(createdIndex, { kind: status === 'settled' ? kindOf(payment) : 'refund', payment, attempt });
    }
  }
  return { movements: [...ended.values(), ...inFlight.values()], next: undefined };
}

/** A transfer or a rebalance only moves money between our own nodes or channels. Only its fee is spent. */
const kindOf = ({ request }: PaymentOutline): MovementKind =>
  request.isTransfer === true || request.circle !== undefined ? 'transfer' : 'payment';

/** The msat that a movement took from our channels: amount and fee; only the fee for a transfer; 0 for a refund. */
export function lostMsat({ kind, attempt: { amountMsat, amountSentMsat } }: Movement): bigint {
  if (kind === 'refund') return 0n;
  return kind === 'transfer' ? amountSentMsat - amountMsat : amountSentMsat;
}

/** Sums of movements, in msat. */
export interface LedgerSums {
  readonly paidMsat: bigint;
  readonly feesMsat: bigint;
  readonly inFlightMsat: bigint;
}

/** Adds up movements. Refunds count as 0, because their money came back. */
export function ledgerSums(movements: Iterable<Movement>): LedgerSums {
  let [paidMsat, feesMsat, inFlightMsat] = [0n, 0n, 0n];
  for (const { kind, attempt } of movements) {
    const { amountMsat, amountSentMsat } = attempt;
    if (kind === 'inFlight') inFlightMsat += amountSentMsat;
    if (kind !== 'payment' && kind !== 'transfer') continue;
    if (kind === 'payment') paidMsat += amountMsat;
    feesMsat += amountSentMsat - amountMsat;
  }
  return { paidMsat, feesMsat, inFlightMsat };
}
