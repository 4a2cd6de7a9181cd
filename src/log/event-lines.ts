/**
 * Writes log lines for events: at level `info` for each finished attempt, payment and fetch, and for each change of an
 * invoice; at level `debug` also for their beginnings, for lessons and for layers.
 *
 * A person who only maintains the log must not learn whom we pay, or over which channels. So a line contains hashes,
 * nodes and channels only if its part of the service is logged at `debug`, or if the operator requests them
 * (`--log-private`). Lines cannot contain secrets, because events contain none (see `src/events/event.ts`).
 */
import { toHex } from '../bolt/bytes.ts';
import { attemptReason, failureText, learnedText } from '../commands/payments/books/attempt-words.ts';
import type {
  AttemptChanged,
  FetchChanged,
  InvoiceChanged,
  LayerChanged,
  LessonsLearned,
  NodeEvent,
  PaymentBegan,
  PaymentEnded,
  PaymentFacts,
  PaymentWaits,
} from '../events/index.ts';
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { PaymentFailure } from '../payments/payment.ts';
import type { LogFields } from '../rpc/log.ts';
import type { NodeLog } from './node-log.ts';

/** Options of `eventLines`. */
export interface EventLineOptions {
  readonly log: Pick<NodeLog, 'of' | 'isWritten'>;
  /** Whether lines at `info` contain hashes, nodes and channels. */
  readonly isPrivate: boolean;
}

/** Creates the listener that logs events. */
export function eventLines({ log, isPrivate }: EventLineOptions): (event: NodeEvent) => void {
  const payments = log.of('payments');
  const layers = log.of('layers');
  const offers = log.of('offers');
  const whole = (subsystem: string): boolean => isPrivate || log.isWritten('debug', subsystem);
  return (event) => {
    switch (event.type) {
      case 'payment':
        if (event.status === 'pending' || event.status === 'waiting') {
          if (log.isWritten('debug', 'payments')) payments.debug(...paymentLine(event));
        } else if (log.isWritten('info', 'payments')) {
          payments.info(...endedLine(event, whole('payments')));
        }
        break;
      case 'attempt':
        if (event.status === 'sent') {
          if (log.isWritten('debug', 'payments')) payments.debug(...sentLine(event));
        } else if (log.isWritten('info', 'payments')) {
          payments.info(...attemptLine(event, whole('payments')));
        }
        break;
      case 'learned':
        if (log.isWritten('debug', 'payments')) payments.debug(...learnedLine(event));
        break;
      case 'layer':
        if (log.isWritten('debug', 'layers')) layers.debug(...layerLine(event));
        break;
      case 'fetch':
        if (event.status === 'ended') {
          if (log.isWritten('info', 'offers')) offers.info(...fetchLine(event, whole('offers')));
        } else if (log.isWritten('debug', 'offers')) offers.debug(...fetchBeganLine(event));
        break;
      case 'invoice':
        if (log.isWritten('info', 'payments')) payments.info(...invoiceLine(event, whole('payments')));
        break;
      case 'stats':
        break;
    }
  };
}

type Line = readonly [message: string, fields: LogFields];

const nameOf = ({ kind, createdIndex }: PaymentFacts): string => `${kind} ${createdIndex}`;

const idsOf = ({ paymentHash, destination }: PaymentFacts): LogFields => ({
  payment_hash: toHex(paymentHash),
  destination,
});

function paymentLine(event: PaymentBegan | PaymentWaits): Line {
  const { payment, status } = event;
  const fields = { payment: payment.createdIndex, amount_msat: payment.amountMsat, req: payment.askedBy };
  if (status === 'waiting') {
    const what = event.height === undefined ? 'its recipient to come online' : `block ${event.height}`;
    return [`${nameOf(payment)} waits for ${what}`, { ...fields, height: event.height }];
  }
  const how = event.isResumed ? 'resumed after a restart' : 'begins';
  return [`${nameOf(payment)} ${how}`, { ...fields, ...idsOf(payment) }];
}

function endedLine({ status, payment, result }: PaymentEnded, isWhole: boolean): Line {
  const { deliveredMsat, sentMsat, attempts, parts, failure, completedAtMs } = result;
  const ms = completedAtMs - payment.createdAtMs;
  const reason = failure && reasonOf(failure);
  const how = failure === undefined ? 'complete' : `failed: ${reason}`;
  return [
    `${nameOf(payment)} ${how}`,
    {
      payment: payment.createdIndex,
      status,
      amount_msat: payment.amountMsat,
      fee_msat: failure === undefined ? sentMsat - deliveredMsat : undefined,
      parts: failure === undefined ? parts : undefined,
      attempts,
      ms,
      reason,
      req: payment.askedBy,
      ...(isWhole && idsOf(payment)),
    },
  ];
}

/** The name of the obstacle or error that made the payment fail. */
function reasonOf(failure: PaymentFailure): string {
  return 'obstacle' in failure ? failure.obstacle : failure.error;
}

const routeOf = ({ path }: AttemptChanged): string =>
  path.map(({ shortChannelIdDir }) => formatShortChannelIdDir(shortChannelIdDir)).join(',');

function attemptFields(event: AttemptChanged): LogFields {
  const { partId, path, amountMsat, amountSentMsat, probabilityPpm, ownNode } = event;
  return {
    part: partId,
    node: ownNode,
    amount_msat: amountMsat,
    fee_msat: amountSentMsat - amountMsat,
    hops: path.length,
    probability: probabilityPpm / 1e6,
  };
}

function sentLine(event: AttemptChanged): Line {
  const text = `${nameOf(event.payment)} part ${event.partId} sent`;
  const { createdIndex, askedBy } = event.payment;
  return [text, { payment: createdIndex, ...attemptFields(event), route: routeOf(event), req: askedBy }];
}

function attemptLine(event: AttemptChanged, isWhole: boolean): Line {
  const { status, payment, partId, failure, createdAtMs, completedAtMs } = event;
  const reason = failure && attemptReason(failure);
  const where =
    failure?.erringIndex === undefined ? '' : ` at node ${failure.erringIndex} of ${event.path.length}`;
  return [
    `${nameOf(payment)} part ${partId} ${reason === undefined ? status : `failed${where}: ${reason}`}`,
    {
      payment: payment.createdIndex,
      ...attemptFields(event),
      status,
      reason,
      at: failure?.erringIndex,
      ms: (completedAtMs ?? createdAtMs) - createdAtMs,
      req: payment.askedBy,
      ...(isWhole && { route: routeOf(event), told: failure && failureText(failure), ...idsOf(payment) }),
    },
  ];
}

function learnedLine({ payment, partId, lessons }: LessonsLearned): Line {
  const text = `learned from ${nameOf(payment)} part ${partId}: ${lessons.map(learnedText).join('; ')}`;
  return [text, { payment: payment.createdIndex, part: partId }];
}

function invoiceLine(event: InvoiceChanged, isWhole: boolean): Line {
  const { createdIndex, amountMsat, label, paymentHash } = event.invoice;
  return [
    `invoice ${createdIndex} ${event.status}`,
    {
      invoice: createdIndex,
      amount_msat: event.status === 'paid' ? event.paid.receivedMsat : amountMsat,
      ...(isWhole && { label, payment_hash: toHex(paymentHash) }),
    },
  ];
}

function layerLine({ name, status, changes, isPersistent }: LayerChanged): Line {
  return [`layer ${status}`, { layer: name, persistent: isPersistent, changes: changes || undefined }];
}

function fetchBeganLine({ fetch }: FetchChanged): Line {
  const { number, amountMsat, offerId, timeoutMs } = fetch;
  const fields = { fetch: number, amount_msat: amountMsat, timeout_ms: timeoutMs, offer_id: toHex(offerId) };
  return [`fetch ${number} begins`, fields];
}

function fetchLine(
  { fetch, tookMs, steps, end }: FetchChanged & { status: 'ended' },
  isWhole: boolean,
): Line {
  const { number, offerId } = fetch;
  const isAnswered = end.status === 'answered';
  const reason = isAnswered ? undefined : (end.failure?.kind ?? end.error);
  return [
    `fetch ${number} ${isAnswered ? 'answered' : `failed: ${reason}`}`,
    {
      fetch: number,
      status: end.status,
      amount_msat: isAnswered ? end.amountMsat : undefined,
      ways: steps.length,
      ms: tookMs,
      reason,
      ...(isWhole && { offer_id: toHex(offerId) }),
    },
  ];
}
