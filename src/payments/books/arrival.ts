/** Whether an attempt's HTLC reached the recipient, for comparison with its predicted probability. */
import type { Attempt } from '../payment.ts';

/**
 * True when the HTLC reached the recipient. Then the route worked, even if the recipient refused. False if a node on
 * the route failed it, or the failing node is unknown. Undefined while the HTLC is in flight, and when it never left,
 * unless our own node refused it: then the route remains untested.
 */
export function arrived({ status, failure }: Pick<Attempt, 'status' | 'failure'>): boolean | undefined {
  if (status !== 'failed') return status === 'settled' ? true : undefined;
  if (failure?.notSent !== undefined && failure.notSent.kind !== 'byNode') return undefined;
  return failure?.isFinal === true;
}
