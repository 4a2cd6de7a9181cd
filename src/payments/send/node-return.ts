/**
 * Waits while our node restarts. Refusals by the node during that time do not affect a payment in progress, because the
 * payment is not their cause.
 */
import type { Clock } from '../../model/clock.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { Pauses } from './pauses.ts';

/**
 * Resolves once the node can pay again and the peers of its channels are back, the time is over, or the pauses are
 * ended.
 * @param waitMs maximum wait in milliseconds
 * @returns whether the node can pay
 */
export async function nodeReturned(
  network: Pick<NetworkPort, 'nodeBehind' | 'settled' | 'refreshed'>,
  clock: Clock,
  pauses: Pauses,
  waitMs: number,
): Promise<boolean> {
  const endsAtMs = clock.monotonicMs() + waitMs;
  if (!(await pauses.until(() => network.nodeBehind()?.problem === undefined, endsAtMs))) return false;
  await network.settled?.();
  await network.refreshed?.();
  return true;
}
