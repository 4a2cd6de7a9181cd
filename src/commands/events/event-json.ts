/**
 * Events as clients receive them. Times are UNIX seconds, amounts are msat. Attempts, parts and lessons have the same
 * form as in the `data` of errors.
 */
import { toHex } from '../../bolt/bytes.ts';
import type {
  AttemptChanged,
  FetchChanged,
  Figures,
  InvoiceChanged,
  NodeEvent,
  PaymentFacts,
  PaymentResult,
} from '../../events/index.ts';
import { ERRORS } from '../../model/errors.ts';
import type { PaymentFailure } from '../../payments/payment.ts';
import { fetchFailureWords, stepData } from '../offers/fetch-failure-words.ts';
import { attemptData } from '../payments/books/attempt-json.ts';
import { learnedText } from '../payments/books/attempt-words.ts';

/**
 * The subject of an event. A later event with the same subject replaces an earlier one, which may then be dropped.
 * Undefined for events that must never be dropped.
 */
export function eventSubject(event: NodeEvent): string | undefined {
  switch (event.type) {
    case 'payment':
      return `payment ${event.payment.id}`;
    case 'attempt':
      return `attempt ${event.createdIndex}`;
    case 'fetch':
      return `fetch ${event.fetch.number}`;
    case 'invoice':
      return `invoice ${toHex(event.invoice.paymentHash)}`;
    case 'stats':
      return 'stats';
    default:
      return undefined;
  }
}

/**
 * An event as an object.
 * @param isSimulated whether the network, and so its money, is simulated
 */
export function eventJson(event: NodeEvent, isSimulated: boolean): object {
  return {
    type: event.type,
    time: event.atMs / 1000,
    ...bodyOf(event),
    ...(isSimulated && event.type !== 'layer' && { simulated: true }),
  };
}

function bodyOf(event: NodeEvent): object {
  switch (event.type) {
    case 'payment':
      return paymentBody(event);
    case 'attempt':
      return attemptBody(event);
    case 'learned':
      return {
        payment: paymentObject(event.payment),
        partid: event.partId,
        learned: event.lessons.map(learnedText),
      };
    case 'layer':
      return {
        layer: event.name,
        status: event.status,
        persistent: event.isPersistent,
        changes: event.changes,
      };
    case 'fetch':
      return fetchBody(event);
    case 'invoice':
      return invoiceBody(event);
    case 'stats':
      return figuresObject(event.figures);
  }
}

function paymentBody(event: Extract<NodeEvent, { type: 'payment' }>): object {
  const payment = paymentObject(event.payment);
  if (event.status === 'waiting') return { status: event.status, payment, height: event.height };
  if (event.status === 'pending') {
    return { status: event.status, payment, resumed: event.isResumed ? true : undefined };
  }
  return { status: event.status, payment, ...resultObject(event.result) };
}

function paymentObject(payment: PaymentFacts): object {
  return {
    id: payment.id,
    created_index: payment.createdIndex,
    command: payment.kind,
    payment_hash: toHex(payment.paymentHash),
    destination: payment.destination,
    amount_msat: payment.amountMsat,
    label: payment.label,
    created_at: payment.createdAtMs / 1000,
  };
}

function resultObject(result: PaymentResult): object {
  return {
    completed_at: result.completedAtMs / 1000,
    amount_msat: result.deliveredMsat,
    amount_sent_msat: result.sentMsat,
    attempts: result.attempts,
    parts: result.parts,
    failure: result.failure && failureWord(result.failure),
  };
}

const OBSTACLES = {
  recipientRefused: 'recipient_refused',
  noRoute: 'no_route',
  outOfTime: 'out_of_time',
  outOfAttempts: 'out_of_attempts',
  invoiceExpired: 'invoice_expired',
  notReleased: 'not_released',
  interrupted: 'interrupted',
  ownNodeRefused: 'own_node_refused',
  givenRouteFailed: 'given_route_failed',
} as const;

/** The reason for a payment's failure, as a word. Journals of older versions contain the error message instead. */
function failureWord(failure: PaymentFailure): string {
  return 'obstacle' in failure ? OBSTACLES[failure.obstacle] : failure.message;
}

function attemptBody(event: AttemptChanged): object {
  return {
    payment: paymentObject(event.payment),
    id: event.createdIndex,
    attempt: attemptData({ ...event, learned: [] }),
  };
}

function fetchBody(event: FetchChanged): object {
  const { number, offerId, amountMsat, timeoutMs } = event.fetch;
  const fetch = {
    number,
    offer_id: toHex(offerId),
    amount_msat: amountMsat,
    timeout: timeoutMs / 1000,
  };
  if (event.status === 'began') return { status: 'pending', fetch };
  const { end, steps, tookMs } = event;
  const told = { fetch, took_ms: tookMs, steps: steps.map(stepData) };
  if (end.status === 'answered') return { status: 'complete', ...told, amount_msat: end.amountMsat };
  const { error, failure } = end;
  const { message, data } =
    failure === undefined ? { message: ERRORS[error].meaning } : fetchFailureWords(failure);
  return { status: 'failed', ...told, failure: { code: ERRORS[error].code, message, data } };
}

/** The body of an invoice event, with members as in `listinvoices`. */
function invoiceBody(event: InvoiceChanged): object {
  const { label, createdIndex, paymentHash, amountMsat, expiresAt } = event.invoice;
  const invoice = {
    label,
    created_index: createdIndex,
    payment_hash: toHex(paymentHash),
    amount_msat: amountMsat,
    expires_at: expiresAt,
  };
  if (event.status === 'expired') return { status: event.status, invoice };
  const { receivedMsat, paidAt, payIndex } = event.paid;
  return {
    status: event.status,
    invoice,
    ...{ amount_received_msat: receivedMsat, paid_at: paidAt, pay_index: payIndex },
  };
}

function figuresObject(figures: Figures): object {
  return {
    payments_in_flight: figures.paymentsInFlight,
    payments_complete: figures.paymentsComplete,
    payments_failed: figures.paymentsFailed,
    htlcs_in_flight: figures.htlcsInFlight,
    htlcs_in_flight_msat: figures.htlcsInFlightMsat,
    attempts_settled: figures.attemptsSettled,
    attempts_failed: figures.attemptsFailed,
    fetches_in_flight: figures.fetchesInFlight,
    searches_answered: figures.searchesAnswered,
    searches_queued: figures.searchesQueued,
    searches_running: figures.searchesRunning,
    workers: figures.workers,
    workers_replaced: figures.workersReplaced,
    search_ms_p50: rounded(figures.searchMsP50),
    search_ms_p99: rounded(figures.searchMsP99),
    commits: figures.commits,
    commit_ms_p50: rounded(figures.commitMsP50),
    commit_ms_p99: rounded(figures.commitMsP99),
    blockheight: figures.blockHeight,
    resident_bytes: figures.residentBytes,
  };
}

const rounded = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 1000) / 1000;
