/**
 * Computes the places of payments and attempts in lists, and pages of outlines (rows reduced to what lists show), in
 * the same way for every store.
 */
import type { AttemptRow, PaymentOutlineRow, PaymentRecord, PaymentRow } from './payment-record.ts';
import type { OutlineFilter, StoredOutlineRow } from './payment-repository.ts';

/** The place of an attempt in a list order. Undefined for `updated` until the attempt first changes. */
export function placeOf(
  { createdIndex, createdOrder, updatedIndex }: AttemptPlaces,
  by: 'created' | 'updated',
): number | undefined {
  return by === 'created' ? (createdOrder ?? createdIndex) : updatedIndex;
}

/** The place of a payment in the order in which payments were recorded. */
export function recordedPlace({ createdOrder, createdIndex }: PaymentPlace): number {
  return createdOrder ?? createdIndex;
}

/** Sorts payments by place. */
export function inPlaces(records: PaymentRecord[]): PaymentRecord[] {
  return records.sort((one, other) => recordedPlace(one.payment) - recordedPlace(other.payment));
}

type PaymentPlace = Pick<PaymentRow, 'createdIndex' | 'createdOrder'>;
type AttemptPlaces = Pick<AttemptRow, 'createdIndex' | 'createdOrder' | 'updatedIndex'>;

/**
 * Implements `PaymentRepository.outlines` on rows in memory.
 * @param payments must have a requested status, and include those of all requested attempts, each with all its attempts
 */
export function firstOutlines(
  payments: readonly PaymentOutlineRow[],
  by: 'created' | 'updated',
  start: number,
  span: number,
  limit: number,
  { attemptStatus }: OutlineFilter,
): StoredOutlineRow[] {
  const found: StoredOutlineRow[] = [];
  for (const payment of payments) {
    for (const attempt of payment.attempts) {
      const index = placeOf(attempt, by);
      const isInRange = index !== undefined && index >= start && index < start + span;
      const isOfState = attemptStatus === undefined || attempt.status === attemptStatus;
      if (isInRange && isOfState) found.push({ attempt, payment });
    }
  }
  found.sort((one, other) => placeOf(one.attempt, by)! - placeOf(other.attempt, by)!);
  return found.slice(0, limit);
}
