/**
 * The error of a payment whose recipient knows a longer chain than ours. The recipient refuses HTLCs whose expiry was
 * computed from our block height, and reports its own height in the failure (BOLT 4,
 * `incorrect_or_unknown_payment_details`). Later refusals for other reasons must not hide this reason.
 */
import { decodeFailure } from '../../bolt/onion/failure.ts';
import type { Attempt, AttemptFailure } from '../../payments/payment.ts';

/** The two differing block heights that caused a refusal. */
export interface HeightsApart {
  /** The height that the recipient reported. */
  readonly recipient: number;
  /** Our height when the attempt was planned. It is lower than the recipient's. */
  readonly own: number;
}

/** The heights of the latest attempt that was refused because they differ. Undefined if there was no such attempt. */
export function heightsApart(attempts: readonly Attempt[]): HeightsApart | undefined {
  for (const { failure, height: own } of attempts.toReversed()) {
    const recipient = failure && toldHeight(failure);
    if (recipient !== undefined && recipient > own) return { recipient, own };
  }
  return undefined;
}

/** Both heights as text. We cannot know which of them is correct. */
export function heightsText({ recipient, own }: HeightsApart): string {
  return (
    `the recipient is at block height ${recipient}, but we are at ${own}: ` +
    'either our node lags behind the chain, or the height of the recipient is wrong'
  );
}

/** The block height that the recipient reports in a failure. */
function toldHeight({ isFinal, failcodename, rawMessage }: AttemptFailure): number | undefined {
  const isAboutHeight = isFinal && failcodename === 'incorrect_or_unknown_payment_details';
  return isAboutHeight && rawMessage !== undefined ? decodeFailure(rawMessage).fields.height : undefined;
}
