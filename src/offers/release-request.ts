/**
 * Asks the recipient of a static invoice to release a payment (bolts#1149). The message `held_htlc_available` is sent
 * over the invoice's message paths to a server, which keeps it until the recipient is online. The recipient answers
 * with `release_held_htlc`.
 *
 * Every message has a reply path with its own secret, made for this payment. A release counts only if it arrives over
 * one of these paths before the wait ends, and only once. The message is repeated with growing pauses, since a server
 * may lose it. An answer over any earlier reply path is still accepted.
 */
import { decodeStaticInvoice, staticInvoiceBytes } from '../bolt/invoice/bolt12-static-invoice.ts';
import { EMPTY_BODY } from '../bolt/onion/async-payments.ts';
import { deferred } from '../model/deferred.ts';
import { FulguriteError } from '../model/errors.ts';
import { AnswerTimes } from './answer-times.ts';
import { Delivery, type DeliveryOptions, type DeliveryRequest } from './delivery.ts';
import { OfferRefused } from './refusal.ts';

/**
 * Longest pause between two messages of one payment, in milliseconds: an hour, because a server keeps few messages for
 * each recipient.
 */
const LONGEST_PAUSE_MS = 3_600_000;
/**
 * Pause, in milliseconds, before the first retry of a message that could not be sent. It doubles with each retry, up to
 * `LONGEST_PAUSE_MS`.
 */
const UNSENT_PAUSE_MS = 5_000;
/** Maximum number of payments that wait for a release at the same time. */
const MAX_WAITS = 1_000;

/** A wait for a release, which can be ended early. */
export interface ReleaseWait {
  /** Resolves when the recipient releases the payment. Stays pending if it does not. Never rejects. */
  readonly released: Promise<void>;
  /** Whether the message was sent at least once. */
  isAsked(): boolean;
  end(): void;
}

/**
 * Sends the message, and waits for the release.
 * @param invoice the text of the static invoice, `lni1…`
 */
export function requestRelease(options: DeliveryOptions, invoice: string, timeoutMs: number): ReleaseWait {
  const { clock } = options;
  const endMs = clock.monotonicMs() + timeoutMs;
  const { invoiceMessagePaths } = decodeStaticInvoice(staticInvoiceBytes(invoice)!).fields;
  const { promise: released, resolve } = deferred();
  let isEnded = false;
  let isAsked = false;
  let delivery: Delivery | undefined;
  let stop = (): void => undefined;
  const ask = async (pauseMs: number): Promise<void> => {
    const request = deliveryOf(invoiceMessagePaths, endMs - clock.monotonicMs());
    const current = new Delivery({ ...options, answerTimes: new AnswerTimes() }, request);
    delivery = current;
    stop = () => current.end();
    try {
      await current.run();
      resolve();
    } catch (error) {
      isAsked ||= current.sends > 0;
      if (isEnded || clock.monotonicMs() + pauseMs >= endMs || !mayRetry(error)) return;
      stop = clock.after(pauseMs, () => void ask(Math.min(2 * pauseMs, LONGEST_PAUSE_MS)));
    }
  };
  void ask(UNSENT_PAUSE_MS);
  return {
    released,
    isAsked: () => isAsked || (delivery?.sends ?? 0) > 0,
    end() {
      isEnded = true;
      stop();
    },
  };
}

/** The message to the recipient, and the check that recognises its answer. */
const deliveryOf = (offerPaths: DeliveryRequest['to']['offerPaths'], timeoutMs: number): DeliveryRequest => ({
  to: { offerPaths },
  content: { heldHtlcAvailable: EMPTY_BODY },
  timeoutMs: Math.max(0, timeoutMs),
  isAnswered: true,
  isAnswer: ({ releaseHeldHtlc }) => releaseHeldHtlc !== undefined,
  longestPauseMs: LONGEST_PAUSE_MS,
});

/** Whether sending the message may succeed later. False for a request that is too long, and if the service stops. */
const mayRetry = (error: unknown): boolean =>
  error instanceof FulguriteError && error.name !== 'shuttingDown' && error.name !== 'invalidParams';

/** Awaits releases, up to a maximum number at a time. */
export class ReleaseRequests {
  readonly #options: DeliveryOptions;
  readonly #most: number;
  readonly #waits = new Set<ReleaseWait>();

  constructor(options: DeliveryOptions, most = MAX_WAITS) {
    this.#options = options;
    this.#most = most;
  }

  /**
   * Like `requestRelease`. The caller must call `end` of the wait in all cases. @throws OfferRefused when too many
   * releases are awaited
   */
  request(invoice: string, timeoutMs: number): ReleaseWait {
    if (this.#waits.size >= this.#most) throw new OfferRefused({ kind: 'tooManyReplies' });
    const wait = requestRelease(this.#options, invoice, timeoutMs);
    const counted = {
      ...wait,
      end: () => {
        this.#waits.delete(counted);
        wait.end();
      },
    };
    this.#waits.add(counted);
    return counted;
  }
}
