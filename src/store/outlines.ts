/** Chooses the attempts of a page of outlines, the same way for every store. */
import type { AttemptRow, PaymentOutlineRow } from './payment-record.ts';
import type { OutlineFilter, StoredOutlineRow } from './payment-repository.ts';

/** The index of an attempt in an order. Undefined with `updated` before its first change. */
export function placeOf(
  { createdIndex, createdOrder, updatedIndex }: AttemptPlaces,
  by: 'created' | 'updated',
): number | undefined {
  return by === 'created' ? (createdOrder ?? createdIndex) : updatedIndex;
}

type AttemptPlaces = Pick<AttemptRow, 'createdIndex' | 'createdOrder' | 'updatedIndex'>;

/**
 * The first `limit` attempts that were asked for; see `PaymentRepository.outlines`.
 * @param payments at least those of these attempts, each with all its attempts
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
