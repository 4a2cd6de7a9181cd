/**
 * What the journal must never say together, at whatever moment the process ended. The outcome of an attempt
 * and its meaning for the payment are one transaction. A payment with an HTLC in flight is never failed.
 */

/** A payment of the journal: its status and those of its attempts. */
export interface JournaledPayment {
  readonly label: string;
  readonly status: string;
  readonly attempts: readonly string[];
}

/** What is wrong with a journal that a crash left. Empty when nothing is. */
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

/** The same, and what else is wrong when everything in flight has come to its end. */
export function contradictionsAfterRecovery(payments: readonly JournaledPayment[]): string[] {
  const unfinished = payments.filter(
    ({ status, attempts }) => status === 'pending' || attempts.includes('sent'),
  );
  const left = unfinished.map(({ label, status }) => `${label}: ${status}, and not at its end`);
  return [...contradictions(payments), ...left];
}
