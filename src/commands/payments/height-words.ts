/**
 * The error of a payment whose recipient saw a longer chain than we did. The recipient then refuses an HTLC
 * whose expiry we counted from our own height, and says its own height in the failure (BOLT 4,
 * `incorrect_or_unknown_payment_details`). It may refuse whatever follows for another reason, which only hides the
 * first one.
 */
import { decodeFailure } from '../../bolt/onion/failure.ts';
import type { Attempt, AttemptFailure } from '../../payments/payment.ts';

/** Block heights at which an attempt was refused. */
export interface HeightsApart {
  /** The height that the recipient told. */
  readonly recipient: number;
  /** Our height when the attempt was planned. It is the smaller one. */
  readonly own: number;
}

/** The heights at the latest attempt that the recipient refused because of them. Undefined if none was. */
export function heightsApart(attempts: readonly Attempt[]): HeightsApart | undefined {
  for (const { failure, height: own } of attempts.toReversed()) {
    const recipient = failure && toldHeight(failure);
    if (recipient !== undefined && recipient > own) return { recipient, own };
  }
  return undefined;
}

/** The same in words. It is unknown here which of the two heights is correct. */
export function heightsText({ recipient, own }: HeightsApart): string {
  return (
    `the recipient is at block height ${recipient}, but we are at ${own}: ` +
    'our node is behind, or the recipient is ahead'
  );
}

/** The height that the recipient itself says in a failure. */
function toldHeight({ isFinal, failcodename, rawMessage }: AttemptFailure): number | undefined {
  const isAboutHeight = isFinal && failcodename === 'incorrect_or_unknown_payment_details';
  return isAboutHeight && rawMessage !== undefined ? decodeFailure(rawMessage).fields.height : undefined;
}
