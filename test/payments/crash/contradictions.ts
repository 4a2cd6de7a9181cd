/**
 * Combinations that the journal must never contain, at any moment at which the process may end. The outcome
 * of an attempt and its effect on the payment are one transaction. A payment with an HTLC in flight is never
 * failed.
 */

/** A payment of the journal: its status and that of its attempts. */
export interface JournaledPayment {
  readonly label: string;
  readonly status: string;
  readonly attempts: readonly string[];
}

/** Contradictions in a journal after a crash. Empty if there are none. */
export function contradictions(payments: readonly JournaledPayment[]): string[] {
  const wrong: string[] = [];
  for (const { label, status, attempts } of payments) {
    const isSettled = attempts.includes('settled');
    if (status === 'pending' && isSettled) wrong.push(`${label}: a settled attempt in a pending payment`);
    if (status === 'failed' && isSettled) wrong.push(`${label}: a settled attempt in a failed payment`);
    if (status === 'complete' && !isSettled)
      wrong.push(`${label}: a complete payment without a settled attempt`);
    if (status === 'failed' && attempts.includes('sent'))
      wrong.push(`${label}: a failed payment with an HTLC in flight`);
  }
  return wrong;
}

/** The same, plus payments and attempts without outcome after everything in flight has ended. */
export function contradictionsAfterRecovery(payments: readonly JournaledPayment[]): string[] {
  const unfinished = payments.filter(
    ({ status, attempts }) => status === 'pending' || attempts.includes('sent'),
  );
  const left = unfinished.map(({ label, status }) => `${label}: ${status}, and not at its end`);
  return [...contradictions(payments), ...left];
}
