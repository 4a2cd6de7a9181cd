/**
 * Contradictions that the journal must never contain, whenever the process ends. The outcome of an attempt
 * and its effect on the payment are written in one transaction. A payment with an HTLC in flight never has
 * the status failed.
 */

/** A payment of the journal: its status and the status of each attempt. */
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

/**
 * Contradictions in a journal after everything in flight has ended. Then payments and attempts without an
 * outcome count, too.
 */
export function contradictionsAfterRecovery(payments: readonly JournaledPayment[]): string[] {
  const unfinished = payments.filter(
    ({ status, attempts }) => status === 'pending' || attempts.includes('sent'),
  );
  const left = unfinished.map(({ label, status }) => `${label}: ${status}, and not at its end`);
  return [...contradictions(payments), ...left];
}
