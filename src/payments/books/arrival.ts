/** Determines whether an attempt's HTLC reached the recipient, for comparison with the predicted probability. */
import type { Attempt } from '../payment.ts';

/**
 * True if the HTLC reached the recipient: the route worked, even if the recipient refused the HTLC. False if a node on
 * the route, which may be our own, failed it, or if the failing node is unknown. Undefined if the route is still
 * untested: while the HTLC is in flight, or when it never left for a reason other than a refusal by our node.
 */
export function arrived({ status, failure }: Pick<Attempt, 'status' | 'failure'>): boolean | undefined {
  if (status !== 'failed') return status === 'settled' ? true : undefined;
  if (failure?.notSent !== undefined && failure.notSent.kind !== 'byNode') return undefined;
  return failure?.isFinal === true;
}
