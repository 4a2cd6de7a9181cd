/**
 * Waits until the recipient of a static invoice releases a payment (bolts#1149). The payment is on disk, with its
 * preimage, before the recipient is contacted. Nothing is sent before the release, so a payment that ends here has paid
 * nothing.
 */
import type { Payment } from '../payment.ts';
import type { Services } from '../services.ts';
import type { Pauses } from './pauses.ts';

/**
 * The result of a wait. `asked`: a message was sent to the server of the recipient, who did not release the payment.
 * `unasked`: no message was sent.
 */
export type Release = 'released' | 'asked' | 'unasked';

/**
 * Waits until the recipient releases the payment.
 * @param waitMs maximum wait in milliseconds, including the time for storing the payment
 * @returns `asked` or `unasked` if the time is over, or the pauses are ended
 * @throws any error of the journal, if the payment cannot be stored
 */
export async function released(
  payment: Payment,
  { journal, clock, requestRelease }: Services,
  pauses: Pauses,
  waitMs: number,
): Promise<Release> {
  const endsAtMs = clock.monotonicMs() + waitMs;
  journal.put(payment, []);
  await journal.durable(payment);
  if (pauses.isEnded) return 'unasked';
  const leftMs = Math.max(0, endsAtMs - clock.monotonicMs());
  const asked = requestRelease?.(payment.request.invoice!.text, leftMs);
  let isReleased = false;
  const release = asked?.released.then(() => {
    isReleased = true;
  });
  await pauses.wait(leftMs, release);
  asked?.end();
  if (isReleased && !pauses.isEnded) return 'released';
  return asked?.isAsked() === true ? 'asked' : 'unasked';
}
