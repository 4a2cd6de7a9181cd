/** Chooses the attempts of a page of outlines, the same way for every store. */
import type { PaymentOutlineRow } from './payment-record.ts';
import type { OutlineFilter, StoredOutlineRow } from './payment-repository.ts';

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
  const key = by === 'created' ? 'createdIndex' : 'updatedIndex';
  const found: StoredOutlineRow[] = [];
  for (const payment of payments) {
    for (const attempt of payment.attempts) {
      const index = attempt[key];
      const isInRange = index !== undefined && index >= start && index < start + span;
      const isOfState = attemptStatus === undefined || attempt.status === attemptStatus;
      if (isInRange && isOfState) found.push({ attempt, payment });
    }
  }
  found.sort((one, other) => one.attempt[key]! - other.attempt[key]!);
  return found.slice(0, limit);
}
