/**
 * The error that the caller of a failed payment gets. The rules below determine its code. Its `data` contains
 * everything that is known: the attempts, the most informative failure, and why there was no further route.
 *
 *   recipient refused, or its refusal is the most informative failure   203
 *   no route within the fee or delay limit, but one beyond              206, with its cost
 *   no route                                                            205
 *   time or attempts ran out                                            210
 *   the invoice expired first                                           207
 *   the recipient of a static invoice did not release the payment       -32011
 *   the process stopped meanwhile                                       −1
 *   our own node refuses the payment                                    214, with its message
 *   our own node is paying this hash for another caller                 200
 *   our own node has paid this hash for another caller                  219, with the preimage
 *   our own node is unreachable                                         -32006
 *   the route given by the caller failed                                204
 *
 * xpay and xkeysend keep the codes and texts that clients of Core Lightning expect: 209 for failures after the first
 * attempt.
 */

import { toHex } from '../../bolt/bytes.ts';
import { decodeFailure } from '../../bolt/onion/failure.ts';
import { KEYSEND_PREIMAGE_TYPE } from '../../bolt/onion/payload.ts';
import { type ErrorName, FulguriteError } from '../../model/errors.ts';
import { REFUSALS } from '../../model/refusals.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { RefusalCause } from '../../network/port.ts';
import { hasNotLeft, keyWithoutScope } from '../../payments/books/idempotency-keys.ts';
import type { InvoiceTaken } from '../../payments/books/invoice-guard.ts';
import type { OutcomeOpen } from '../../payments/outcome-open.ts';
import type {
  Attempt,
  AttemptFailure,
  FailureInWords,
  NoRouteInWords,
  NotSent,
  Obstacle,
  Payment,
  PaymentRequest,
} from '../../payments/payment.ts';
import type { NoPlan } from '../../payments/plan/no-plan.ts';
import { asError, type ClientError } from '../client-error.ts';
import { attemptData, routingFailureData } from './books/attempt-json.ts';
import { failureText, learnedText } from './books/attempt-words.ts';
import { heightsApart, heightsText } from './height-words.ts';
import { noPlanInWords } from './no-plan-words.ts';

/** Maximum number of attempts that an error lists. If there are more, it lists the last ones. */
const MAX_LISTED = 50;

/**
 * The failure of a failed payment. Undefined for any other payment. Journals of older versions already contain it as
 * text.
 */
export function failureInWords(payment: Payment): FailureInWords | undefined {
  const { failure } = payment;
  if (failure === undefined || 'error' in failure) return failure;
  return paymentFailure(payment, failure.obstacle, failure.noPlan ?? failure.noRoute);
}

/** The failure of a payment as the error that its caller gets. */
export function paymentError(payment: Payment): FulguriteError {
  return asError(failureInWords(payment) ?? { error: 'unspecified', message: 'It failed' });
}

/** The error for a payment whose outcome is still unknown. Its `data.status` is `pending`. */
export function openOutcomeError({ name, reason: { kind, payment } }: OutcomeOpen): FulguriteError {
  const why =
    kind === 'stopping'
      ? 'the service is stopping'
      : 'this service stopped following it after an error; see the log';
  const { idempotencyKey } = payment.request;
  return new FulguriteError(name, `The outcome of the payment is not known yet: ${why}`, {
    status: 'pending',
    payment_hash: toHex(payment.paymentHash),
    ...(idempotencyKey !== undefined && {
      idempotency_key: keyWithoutScope(idempotencyKey) ?? idempotencyKey,
    }),
  });
}

/** Whether an error means that the outcome of a payment is still unknown. */
export const isOpenOutcome = ({ data }: FulguriteError): boolean => data?.status === 'pending';

/** The error when the invoice is already being paid, or has been paid. */
export function takenError({ payment, by }: InvoiceTaken): FulguriteError {
  if (by === 'request') return requestTakenError(payment);
  const counted = payment.attempts.filter(({ status }) => status !== 'failed');
  const data = {
    payment_hash: toHex(payment.paymentHash),
    status: payment.status,
    amount_msat: counted.reduce((sum, { amountMsat }) => sum + amountMsat, 0n),
    amount_sent_msat: counted.reduce((sum, { amountSentMsat }) => sum + amountSentMsat, 0n),
  };
  if (payment.status !== 'complete') {
    return new FulguriteError('waitTimedOut', 'Payment of this invoice is under way already', data);
  }
  const message = 'Already paid this invoice successfully';
  return new FulguriteError('alreadyPaid', message, {
    ...data,
    payment_preimage: payment.preimage && toHex(payment.preimage),
  });
}

/** The error when another payment already uses our single-use request, with Core Lightning's message. */
function requestTakenError({ paymentHash, status }: Payment): FulguriteError {
  const hash = toHex(paymentHash);
  const state = status === 'complete' ? `already paid with ${hash}` : `already in progress with ${hash}`;
  return new FulguriteError('invoiceRequestUnusable', `Single-use invoice_request ${state}`, {
    payment_hash: hash,
    status,
  });
}

/**
 * The failure of a payment whose attempts have all finished and that makes no more attempts. `obstacle` is the reason
 * why it makes no more. In a journal of an earlier version, `noPlan` already is an error with a text.
 */
export function paymentFailure(
  payment: Payment,
  obstacle: Obstacle,
  noPlan: NoPlan | NoRouteInWords | undefined,
): FailureInWords {
  const reason = mostInformative(payment.attempts);
  const attempts = payment.attempts.slice(-MAX_LISTED).map(attemptData);
  const told = isOlder(payment.request) ? keysendError : xkeysendError;
  const noRoute = noPlan !== undefined && 'kind' in noPlan ? noPlanInWords(noPlan, payment.request) : noPlan;
  const { error, message, data } =
    ownRefusalError(payment, obstacle) ??
    notReleasedError(payment, obstacle) ??
    told({ payment, obstacle, noRoute, reason });
  const own = reason && ownChannelBinding(reason, data?.binding);
  return {
    error,
    message: own === undefined ? message : `${message} (our channel ${own.of} said: ${own.words})`,
    data: {
      ...data,
      // If nothing was sent, the same request may be repeated, even with its key.
      ...(error === 'storeFailed' && { retry: payment.attempts.every(hasNotLeft) }),
      ...own?.data,
      ...(reason && routingFailureData(reason)),
      attempts,
    },
  };
}

type ByNode = Extract<NotSent, { kind: 'byNode' }>;

/** The refusal of an attempt by our own node or channel. Undefined if the attempt failed in a different way. */
const byNode = ({ notSent }: AttemptFailure): ByNode | undefined =>
  notSent?.kind === 'byNode' ? notSent : undefined;

/** The error if a refusal by our own node ended the payment. */
function ownRefusalError({ attempts, paymentHash }: Payment, obstacle: Obstacle): ClientError | undefined {
  if (obstacle !== 'ownNodeRefused') return undefined;
  const refusals = attempts.map(({ failure }) => failure && byNode(failure));
  const last = refusals.findLast((refusal) => refusal?.cause !== undefined && OF_THE_NODE.has(refusal.cause));
  if (last?.cause === 'nodeAway')
    return { error: 'nodeAway', message: `Nothing more was sent: ${last.reason}` };
  const payment_hash = toHex(paymentHash);
  if (last?.cause === 'underWayElsewhere')
    return { error: 'waitTimedOut', message: last.reason, data: { payment_hash, status: 'pending' } };
  if (last?.cause === 'paidElsewhere') {
    const data = { payment_hash, status: 'complete', payment_preimage: last.preimage };
    return {
      error: 'alreadyPaid',
      message: `The attached node has already paid this hash: ${last.reason}`,
      data,
    };
  }
  return { error: 'declined', message: last?.reason ?? 'The attached node declined the payment' };
}

/** The error if the recipient of a static invoice did not release the payment, so that nothing was sent. */
function notReleasedError({ request, failure }: Payment, obstacle: Obstacle): ClientError | undefined {
  if (obstacle !== 'notReleased') return undefined;
  const { retryForS, invoice } = request;
  const isUnasked = failure !== undefined && 'isUnasked' in failure && failure.isUnasked === true;
  const what = isUnasked
    ? `No message reached the recipient's server within ${retryForS} seconds`
    : `The recipient did not come online and release the payment within ${retryForS} seconds`;
  return {
    error: 'recipientOffline',
    message: `${what}, so the static invoice could not be paid. Nothing was paid`,
    data: { retry_for: retryForS, expires_at: invoice?.expiresAt, asked: !isUnasked },
  };
}

/** Causes that are not about a channel, because the node itself refused. */
const OF_THE_NODE: ReadonlySet<RefusalCause> = new Set([
  'declined',
  'nodeAway',
  'paidElsewhere',
  'underWayElsewhere',
]);

/** The causes, with their names for clients. */
const CAUSES: Readonly<Record<RefusalCause, string>> = {
  balance: 'balance',
  inFlightLimit: 'in_flight_limit',
  htlcSlots: 'htlc_slots',
  dust: 'dust',
  tooSmall: 'too_small',
  expiry: 'expiry',
  peerAway: 'peer_away',
  nodeAway: 'node_away',
  declined: 'declined',
  paidElsewhere: 'paid_elsewhere',
  underWayElsewhere: 'under_way_elsewhere',
  neverLeft: 'never_left',
};

interface OwnChannelBinding {
  /** The channel direction as text. */
  readonly of: string;
  readonly words: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * If one of our own channels refused an attempt, that channel is reported as the cause, because it explains more than
 * the failed search. The obstacle of the search is a consequence of the refusal, and is added as `search`.
 */
function ownChannelBinding(reason: AttemptFailure, ofSearch: unknown): OwnChannelBinding | undefined {
  const { cause, reason: words } = byNode(reason) ?? {};
  const { erringChannel } = reason;
  if (cause === undefined || words === undefined || erringChannel === undefined) return undefined;
  if (OF_THE_NODE.has(cause)) return undefined;
  const of = formatShortChannelIdDir(erringChannel);
  const binding = {
    kind: REFUSALS.ownChannel.wire,
    short_channel_id_dir: of,
    cause: CAUSES[cause],
    words,
    ...(ofSearch !== undefined && { search: ofSearch }),
  };
  return { of, words, data: { binding } };
}

interface Case {
  readonly payment: Payment;
  readonly obstacle: Obstacle;
  readonly noRoute: NoRouteInWords | undefined;
  readonly reason: AttemptFailure | undefined;
}

function keysendError({ payment, obstacle, noRoute, reason }: Case): ClientError {
  if (reason !== undefined && isRefusal(reason)) return refusalError(payment, reason);
  if (obstacle === 'noRoute' && noRoute !== undefined) {
    const { error, message, data } = noRoute;
    const text = unknownText(noRoute, `Unknown destination ${payment.request.destination}`) ?? message;
    return { error: ROUTING.has(error) ? 'routeNotFound' : error, message: text, data };
  }
  if (obstacle === 'interrupted') return interrupted();
  if (obstacle === 'invoiceExpired') return expired(payment);
  const count = payment.attempts.length;
  const what = obstacle === 'outOfTime' ? 'Timed out' : 'Gave up';
  return {
    error: 'timedOut',
    message: `${what} after ${count} attempt${count === 1 ? '' : 's'}: see \`paystatus\``,
  };
}

/** Errors of the search that `keysend` reports as the same error: no route. */
const ROUTING: ReadonlySet<ErrorName> = new Set(['routeNotFound', 'sourceCapacity', 'destinationCapacity']);

function xkeysendError({ payment, obstacle, noRoute, reason }: Case): ClientError {
  if (reason !== undefined && isRefusal(reason)) return refusalError(payment, reason);
  if (obstacle === 'interrupted') return interrupted();
  if (obstacle === 'invoiceExpired') return expired(payment);
  if (obstacle === 'givenRouteFailed') return { error: 'routeFailed', message: summaryOf(payment).trimEnd() };
  const count = payment.attempts.length;
  const summary = summaryOf(payment);
  if (obstacle === 'noRoute' && noRoute !== undefined) {
    const { error, message, data } = noRoute;
    // Attempts whose rows the store refused do not count, because they were never sent.
    if (!payment.attempts.every(hasNotLeft)) {
      const text = `Failed after ${count} attempts. ${summary}Then routing failed: ${message}`;
      return { error: 'paymentFailed', message: text, data };
    }
    const text = unknownText(noRoute, `Unknown destination node ${payment.request.destination}`) ?? message;
    return { error, message: `Failed: ${text}`, data };
  }
  const what = obstacle === 'outOfTime' ? 'Timed out' : 'Gave up';
  return { error: 'paymentFailed', message: `${what} after ${count} attempts. ${summary}`.trimEnd() };
}

/** Whether the payment came from `keysend` or `pay`. These commands for older clients have error codes of their own. */
const isOlder = ({ kind }: PaymentRequest): boolean => kind === 'keysend' || kind === 'pay';

const expired = ({ request: { invoice } }: Payment): ClientError => ({
  error: 'invoiceExpired',
  message: 'The invoice expired before the payment arrived',
  data: { expiry: invoice?.expiresAt },
});

const interrupted = (): ClientError => ({
  error: 'unspecified',
  message: 'The service was stopped during this payment and did not resume it',
});

/**
 * The text if there is no route because one end of the payment has no channel: `ofDestination` if that end is the
 * destination, otherwise that we have no channel. Undefined if there is a different reason.
 */
function unknownText({ data }: NoRouteInWords, ofDestination: string): string | undefined {
  const { kind, end } = (data.binding ?? {}) as { kind?: unknown; end?: unknown };
  if (kind !== REFUSALS.unknownNode.wire) return undefined;
  return end === 'source' ? 'We have no channel to pay over' : ofDestination;
}

/** Whether the recipient refused. A timeout while it waited for other parts (`mpp_timeout`) is not a refusal. */
const isRefusal = ({ isFinal, failcodename }: AttemptFailure): boolean =>
  isFinal && failcodename !== 'mpp_timeout';

/**
 * The error if the recipient refused. If the recipient's chain is longer than ours, the text says that first, because
 * it explains the refusal.
 */
function refusalError(payment: Payment, failure: AttemptFailure): ClientError {
  const apart = heightsApart(payment.attempts);
  if (apart === undefined) return { error: 'recipientRefused', message: refusalText(payment, failure) };
  return {
    error: 'recipientRefused',
    message: `${failureText(failure)}: ${heightsText(apart)}`,
    data: { recipient_height: apart.recipient, own_height: apart.own },
  };
}

function refusalText(payment: Payment, failure: AttemptFailure): string {
  const { request } = payment;
  const { kind, destination } = request;
  const { failcodename } = failure;
  if (failcodename === 'invalid_onion_payload' && request.invoice !== undefined) {
    return `Destination reported invalid_onion_payload (${payloadFault(failure, payment) ?? 'in the preimage of keysend'})`;
  }
  if (failcodename === 'invalid_onion_payload') {
    const cause = payloadFault(failure, payment);
    if (kind === 'xkeysend')
      return `Destination reported invalid_onion_payload (${cause ?? "likely doesn't support keysend"})`;
    const usual = "this usually means they don't support keysend.";
    return `Recipient ${destination} reported an invalid payload, ${cause ?? usual}`;
  }
  if (!isOlder(request) && failcodename === 'incorrect_or_unknown_payment_details') {
    return `Destination said it doesn't know invoice: ${failcodename}`;
  }
  return failureText(failure);
}

/**
 * What the recipient found wrong with its payload. Undefined if the faulty field is the preimage: only keysends and
 * payments of static invoices have that field, so the recipient does not accept such payments. A fault in a field that
 * the caller added, or a failure that names no field, says nothing about keysends.
 */
function payloadFault(
  { rawMessage }: AttemptFailure,
  { attempts, request: { extraTlvs, invoice } }: Payment,
): string | undefined {
  const { tlvType, offset } = rawMessage === undefined ? {} : decodeFailure(rawMessage).fields;
  if (tlvType === KEYSEND_PREIMAGE_TYPE) return undefined;
  if (extraTlvs.some(({ type }) => type === tlvType)) return `in field ${tlvType}, which extratlvs contains`;
  // No payload field has type 0. Nodes send it when they do not know which field was wrong.
  if (tlvType === undefined || tlvType === 0n) {
    const isSplitKeysend = invoice === undefined && attempts.some(({ partOfSeveral }) => partOfSeveral);
    const usual = isSplitKeysend ? '; most recipients refuse keysends in several parts' : '';
    return `without saying in which field${usual}`;
  }
  return `in field ${tlvType} at byte ${offset ?? 'unknown'}`;
}

/** The most informative failure of all attempts. If several are equally informative, the latest of them. */
function mostInformative(attempts: readonly Attempt[]): AttemptFailure | undefined {
  let best: AttemptFailure | undefined;
  for (const { failure } of attempts) {
    if (failure !== undefined && (best === undefined || weight(failure) >= weight(best))) best = failure;
  }
  return best;
}

/**
 * How informative a failure is. The most informative failures are refusals by the recipient (`isRefusal`), then other
 * messages, then failures without a message (those of our own channels, and those that LND has decoded), and last those
 * that could not be decrypted.
 */
function weight(failure: AttemptFailure): number {
  if (isRefusal(failure)) return 3;
  if (failure.rawMessage !== undefined) return 2;
  return failure.erringIndex === undefined ? 0 : 1;
}

function summaryOf({ attempts, request }: Payment): string {
  const last = attempts.findLast(({ failure }) => failure !== undefined);
  if (last === undefined) return '';
  const { failure } = last;
  const path = failure?.erringChannel && formatShortChannelIdDir(failure.erringChannel);
  const isAtTheEnd = failure?.erringIndex === last.path.length - 1;
  if (failure?.failcodename === 'invalid_onion_blinding' && isAtTheEnd) {
    return `We got an error from inside the blinded path ${path}: we assume it means insufficient capacity. `;
  }
  if (failure?.failcodename === 'mpp_timeout' && request.invoice !== undefined) {
    return `Payment of ${last.amountMsat}msat reached destination, but timed out before the rest arrived. `;
  }
  const learned = last.learned.at(-1);
  return `We got ${last.failure?.failcodename ?? 'an unreadable failure'}${learned === undefined ? '' : `: ${learnedText(learned)}`}. `;
}
