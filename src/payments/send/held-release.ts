/**
 * The wait of a payment for the recipient of its static invoice (bolts#1149). The payment is on disk, with its preimage,
 * before the recipient hears of it. Until the release nothing is sent, so a payment that ends here has paid nothing.
 */
import type { Payment } from '../payment.ts';
import type { Services } from '../services.ts';
import type { Pauses } from './pauses.ts';

/** What a wait for the recipient came to. */
export type Release = 'released' | 'asked' | 'unasked';

/**
 * Waits until the recipient releases the payment.
 * @param untilMs UNIX milliseconds
 * @returns `asked` or `unasked` when the time is over, or the pauses are ended: whether its server was reached
 * @throws what the journal throws when the payment cannot be stored
 */
export async function released(
  payment: Payment,
  { journal, clock, requestRelease }: Services,
  pauses: Pauses,
  untilMs: number,
): Promise<Release> {
  journal.put(payment, []);
  await journal.durable(payment);
  if (pauses.isEnded) return 'unasked';
  const leftMs = Math.max(0, untilMs - clock.nowMs());
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
