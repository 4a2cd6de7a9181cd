/** Whether the HTLC of an attempt reached the recipient: what the stated probability is compared with. */
import type { Attempt } from '../payment.ts';

/**
 * True when the recipient had the HTLC. Then the route worked, also when the recipient refused. False if a node
 * on the route failed it, or the failing node is unknown. Undefined while the HTLC is on its way, and when it
 * never left, unless our own node refused it: then nothing can be said of the route.
 */
export function arrived({ status, failure }: Pick<Attempt, 'status' | 'failure'>): boolean | undefined {
  if (status !== 'failed') return status === 'settled' ? true : undefined;
  if (failure?.notSent !== undefined && failure.notSent.kind !== 'byNode') return undefined;
  return failure?.isFinal === true;
}
