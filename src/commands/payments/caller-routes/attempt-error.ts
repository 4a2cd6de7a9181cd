/** The error for a failed attempt, with Core Lightning's numbers and texts. */
import { FulguriteError } from '../../../model/errors.ts';
import { formatShortChannelId } from '../../../model/short-channel-id.ts';
import type { Attempt, AttemptFailure, Payment } from '../../../payments/payment.ts';
import { routingFailureData } from '../books/attempt-json.ts';
import { failureText } from '../books/attempt-words.ts';
import { sendpayJson } from '../books/payment-json.ts';

/**
 * The error: 202 if the failure could not be decrypted, 203 if the recipient refused permanently, 204 for other
 * failures, -32003 if a disk error prevented sending.
 */
export function attemptError(payment: Payment, attempt: Attempt): FulguriteError {
  const { failure } = attempt;
  const data = {
    ...sendpayJson(payment, attempt),
    ...(failure && { ...lastChannel(attempt, failure), ...routingFailureData(failure) }),
  };
  if (failure?.failcode === undefined) {
    return new FulguriteError('unreadableFailure', 'Malformed error reply', data);
  }
  const { notSent } = failure;
  if (notSent?.kind === 'refused' && notSent.error === 'storeFailed') {
    return new FulguriteError('storeFailed', failureText(failure), data);
  }
  const isPermanent = failure.isFinal && (failure.failcode & 0x4000) !== 0;
  return new FulguriteError(isPermanent ? 'recipientRefused' : 'routeFailed', failureText(failure), data);
}

/**
 * The channel that Core Lightning names if the recipient failed the attempt: the channel that leads to the recipient.
 */
function lastChannel({ path }: Attempt, { isFinal, erringIndex }: AttemptFailure) {
  const last = path.at(-1);
  if (!isFinal || last === undefined || erringIndex !== path.length) return {};
  const { shortChannelId, direction } = last.shortChannelIdDir;
  return { erring_channel: formatShortChannelId(shortChannelId), erring_direction: direction };
}
