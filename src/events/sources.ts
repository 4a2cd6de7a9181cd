/**
 * The sources of events: they convert notifications of the parts of the service to events. A payment object changes
 * while the payment runs, and contains secrets. So an event copies only public members.
 */
import type { OwnInvoiceEvent } from '../invoices/index.ts';
import type { Layer } from '../layers/layer.ts';
import type { LayerWatcher } from '../layers/layer-book.ts';
import type { Clock } from '../model/clock.ts';
import type { FetchEventListener } from '../offers/fetch-event.ts';
import type { Attempt, Payment } from '../payments/payment.ts';
import type { PaymentLifecycleListener } from '../payments/services.ts';
import type { AttemptChanged, EventBody, PaymentFacts, PaymentResult } from './event.ts';

/** Publishes an event to the stream. */
export type Publish = (body: EventBody) => void;

/** Milliseconds for which changes of a layer are collected into one event. */
const GATHER_LAYERS_MS = 200;

/** The event for the current state of a payment. */
export function paymentStanding(paid: Payment): EventBody {
  const payment = factsOf(paid);
  if (paid.status === 'pending') return { type: 'payment', status: 'pending', payment, isResumed: true };
  return { type: 'payment', status: paid.status, payment, result: resultOf(paid) };
}

/** Makes a listener that publishes events of payments and their attempts. */
export function paymentEvents(publish: Publish): PaymentLifecycleListener {
  return (event) => {
    const payment = factsOf(event.payment);
    switch (event.kind) {
      case 'began':
        publish({ type: 'payment', status: 'pending', payment, isResumed: event.isResumed });
        break;
      case 'waiting':
        publish({ type: 'payment', status: 'waiting', payment, height: event.height });
        break;
      case 'ended':
        publish({
          type: 'payment',
          status: event.payment.status === 'complete' ? 'complete' : 'failed',
          payment,
          result: resultOf(event.payment),
        });
        break;
      default: {
        const { attempt } = event;
        publish(attemptEvent(payment, attempt));
        if (attempt.learned.length === 0) break;
        publish({ type: 'learned', payment, partId: attempt.partId, lessons: attempt.learned });
      }
    }
  };
}

/** Makes a listener that publishes fetches of invoices. */
export function fetchEvents(publish: Publish): FetchEventListener {
  return (event) => {
    if (event.kind === 'began') publish({ type: 'fetch', status: 'began', fetch: event.fetch });
    else {
      const { fetch, tookMs, steps, end } = event;
      publish({ type: 'fetch', status: 'ended', fetch, tookMs, steps, end });
    }
  };
}

/** Makes a listener that publishes events of our own invoices. */
export function invoiceEvents(publish: Publish): (event: OwnInvoiceEvent) => void {
  return ({ kind, invoice: { label, createdIndex, paymentHash, amountMsat, expiresAt, paid } }) => {
    const invoice = { label, createdIndex, paymentHash, amountMsat, expiresAt };
    if (kind === 'expired') publish({ type: 'invoice', status: 'expired', invoice });
    else if (paid !== undefined) publish({ type: 'invoice', status: 'paid', invoice, paid });
  };
}

/**
 * Publishes changes of layers. Changes of one layer are collected for a while, and published at the latest before the
 * layer's removal.
 */
export class LayerEvents implements LayerWatcher {
  readonly #publish: Publish;
  readonly #clock: Clock;
  readonly #changes = new Map<Layer, number>();
  #stopTimer: (() => void) | undefined;

  constructor(publish: Publish, clock: Clock) {
    this.#publish = publish;
    this.#clock = clock;
  }

  created(layer: Layer): void {
    this.#tell(layer, 'created', 0);
  }

  changed(layer: Layer): void {
    this.#changes.set(layer, (this.#changes.get(layer) ?? 0) + 1);
    this.#stopTimer ??= this.#clock.after(GATHER_LAYERS_MS, () => this.flush());
  }

  removed(layer: Layer): void {
    this.#tellChanges(layer, this.#changes.get(layer));
    this.#tell(layer, 'removed', 0);
  }

  /** Publishes collected changes, and ends the timer. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const [layer, changes] of this.#changes) this.#tellChanges(layer, changes);
  }

  #tellChanges(layer: Layer, changes: number | undefined): void {
    if (changes === undefined) return;
    this.#changes.delete(layer);
    this.#tell(layer, 'changed', changes);
  }

  #tell({ name, persistent }: Layer, status: 'created' | 'changed' | 'removed', changes: number): void {
    this.#publish({ type: 'layer', status, name, isPersistent: persistent, changes });
  }
}

function factsOf({ id, createdIndex, request, paymentHash, askedBy, createdAtMs }: Payment): PaymentFacts {
  const { kind, destination, amountMsat, label } = request;
  return { id, createdIndex, kind, paymentHash, destination, amountMsat, label, askedBy, createdAtMs };
}

function resultOf({ attempts, createdAtMs, completedAtMs, failure }: Payment): PaymentResult {
  const standing = attempts.filter(({ status }) => status !== 'failed');
  return {
    completedAtMs: completedAtMs ?? createdAtMs,
    deliveredMsat: standing.reduce((sum, { amountMsat }) => sum + amountMsat, 0n),
    sentMsat: standing.reduce((sum, { amountSentMsat }) => sum + amountSentMsat, 0n),
    attempts: attempts.length,
    parts: standing.length,
    failure,
  };
}

function attemptEvent(payment: PaymentFacts, attempt: Attempt): AttemptChanged {
  const { status, createdIndex, partId, path, amountMsat, amountSentMsat, probabilityPpm } = attempt;
  const { createdAtMs, completedAtMs, failure, ownNode } = attempt;
  return {
    type: 'attempt',
    status,
    payment,
    createdIndex,
    ...(ownNode !== undefined && { ownNode }),
    partId,
    path,
    amountMsat,
    amountSentMsat,
    probabilityPpm,
    createdAtMs,
    completedAtMs,
    failure,
  };
}
