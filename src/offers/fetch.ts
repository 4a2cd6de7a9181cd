/**
 * Fetches an invoice. The parameters are checked, the request is signed and delivered to the issuer (`Delivery`), and
 * the answer is checked field by field before it can be paid. The series of a recurring offer is on disk before the
 * fetch returns.
 */
import { decodeInvoiceError, type Invoice } from '../bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../bolt/invoice/bolt12-invoice-request.ts';
import { offerId } from '../bolt/invoice/bolt12-merkle.ts';
import { expectedInvoiceNodeId } from '../bolt/invoice/bolt12-offer.ts';
import { invoiceBasetime, type Period, recurrenceOf } from '../bolt/invoice/bolt12-recurrence.ts';
import { WireError } from '../bolt/wire-error.ts';
import { secondsOf } from '../model/clock.ts';
import { FulguriteError } from '../model/errors.ts';
import { AnswerTimes } from './answer-times.ts';
import { type Changes, changesOf } from './changes.ts';
import { Delivery, type DeliveryOptions, type FetchReply } from './delivery.ts';
import type { FetchAnswer, FetchEnd, FetchEventListener, FetchFacts } from './fetch-event.ts';
import { FetchFailed } from './fetch-failure.ts';
import {
  type CancelParameters,
  checkCancelParameters,
  checkFetchParameters,
  type FetchParameters,
  requestFields,
} from './fetch-parameters.ts';
import { periodAfter, readFetchedInvoice } from './invoice-check.ts';
import { freshSecret } from './messenger.ts';
import type { PayerKeys } from './payer-keys.ts';
import { OfferRefused } from './refusal.ts';
import type { Series, SeriesStore } from './series.ts';
import { readFetchedStaticInvoice } from './static-invoice-check.ts';

/** An invoice that passed every check, and how it differs from the offer. */
export interface FetchedInvoice {
  readonly invoice: Invoice;
  readonly changes: Changes;
  /** The next period of a recurring offer. Absent if the series is over. */
  readonly nextPeriod: Period | undefined;
}

/** What the fetcher needs from the node. */
export interface FetcherOptions extends DeliveryOptions {
  readonly payerKeys: PayerKeys;
  readonly series: SeriesStore;
  readonly chainHash: Uint8Array;
  /** Notified of every fetch. Default: no listener. */
  readonly onEvent?: FetchEventListener | undefined;
}

/**
 * Number of random bytes used as metadata if the caller gives none. Metadata must be unguessable, because the payer key
 * is derived from it.
 */
const METADATA_BYTES = 16;
const MAX_FETCHES = 1000;

interface Fetching {
  readonly parameters: FetchParameters;
  readonly request: Uint8Array;
  readonly series: Series | undefined;
}

/** A fetch whose start was reported. */
interface Begun {
  readonly fetch: FetchFacts;
  readonly beganMs: number;
  readonly steps: Delivery['steps'];
}

/** Fetches invoices for offers. */
export class InvoiceFetcher {
  readonly #options: FetcherOptions & { readonly answerTimes: AnswerTimes };
  #running = 0;
  #begun = 0;

  constructor(options: FetcherOptions) {
    this.#options = { ...options, answerTimes: new AnswerTimes() };
  }

  /** Checks everything that can be checked before sending. @throws OfferRefused */
  async check(parameters: FetchParameters): Promise<void> {
    await this.#checked(parameters);
  }

  /** Checks a cancellation before it is sent. @throws OfferRefused */
  async checkCancel(parameters: CancelParameters): Promise<void> {
    await this.#checkedCancel(parameters);
  }

  /** Checks the parameters. @returns the stored state of the series, if there is one */
  #checked(parameters: FetchParameters): Promise<Series | undefined> {
    checkFetchParameters(parameters, secondsOf(this.#options.clock));
    this.#options.messenger.requireMessages();
    return this.#seriesOf(parameters);
  }

  #checkedCancel(parameters: CancelParameters): Promise<Series | undefined> {
    checkCancelParameters(parameters);
    this.#options.messenger.requireMessages();
    return this.#seriesOf(parameters);
  }

  /**
   * Fetches an invoice for an offer.
   * @throws OfferRefused before anything is sent; FetchFailed with the ways that were tried; FulguriteError busy,
   *   storeFailed, workerDied, shuttingDown
   */
  async fetch(parameters: FetchParameters): Promise<FetchedInvoice> {
    if (this.#running >= MAX_FETCHES) throw new OfferRefused({ kind: 'tooManyFetches' });
    this.#running++;
    try {
      return await this.#fetchOnce(parameters, await this.#checked(parameters));
    } finally {
      this.#running--;
    }
  }

  /**
   * Informs the issuer that we want no invoice for this period or any later one. Resolves to the request once it has
   * been sent. There is no reply.
   * @throws as `fetch`
   */
  async cancel(parameters: CancelParameters): Promise<Uint8Array> {
    const request = this.#makeRequest(parameters, await this.#checkedCancel(parameters), true);
    const { offer, timeoutMs } = parameters;
    const content = { invoiceRequest: request };
    const delivery = new Delivery(this.#options, { to: offer.fields, content, timeoutMs, isAnswered: false });
    try {
      await delivery.run();
    } catch (error) {
      throw withSteps(error, delivery);
    }
    return request;
  }

  async #fetchOnce(parameters: FetchParameters, series: Series | undefined): Promise<FetchedInvoice> {
    const request = this.#makeRequest(parameters, series);
    const { offer, timeoutMs } = parameters;
    const delivery = new Delivery(this.#options, {
      to: offer.fields,
      content: { invoiceRequest: request },
      timeoutMs,
      isAnswered: true,
    });
    const begun = this.#tellBegin(parameters, delivery);
    try {
      const fetched = await this.#accept(await delivery.run(), { parameters, request, series });
      const { invoice, changes } = fetched;
      const amountMsat = invoice.fields.invoiceAmountMsat as bigint;
      this.#tellEnd(begun, { status: 'answered', amountMsat }, { invoice, changes });
      return fetched;
    } catch (error) {
      const told = withSteps(error, delivery);
      this.#tellEnd(begun, failedEnd(told));
      throw told;
    }
  }

  /** Reports that a fetch began. `undefined` if there is no listener. */
  #tellBegin({ offer, amountMsat, timeoutMs }: FetchParameters, { steps }: Delivery): Begun | undefined {
    const { onEvent, clock } = this.#options;
    if (onEvent === undefined) return undefined;
    const beganMs = clock.monotonicMs();
    const fetch: FetchFacts = {
      number: ++this.#begun,
      offerId: offerId(offer.bytes),
      amountMsat,
      timeoutMs,
    };
    onEvent({ kind: 'began', fetch, offer, steps });
    return { fetch, beganMs, steps };
  }

  /** Reports how a fetch ended. */
  #tellEnd(begun: Begun | undefined, end: FetchEnd, answer?: FetchAnswer): void {
    if (begun === undefined) return;
    const { fetch, beganMs, steps } = begun;
    const tookMs = this.#options.clock.monotonicMs() - beganMs;
    this.#options.onEvent?.({ kind: 'ended', fetch, tookMs, steps: steps.list(), end, answer });
  }

  /** The stored state of the series. A different start period is refused, because it would shift all periods. */
  async #seriesOf({
    offer,
    recurrenceLabel: label,
    recurrenceStart,
  }: FetchParameters): Promise<Series | undefined> {
    if (label === undefined) return undefined;
    const series = await this.#options.series.find(offerId(offer.bytes), label);
    if (series?.start !== undefined && recurrenceStart !== undefined && series.start !== recurrenceStart) {
      throw new OfferRefused({ kind: 'otherStart', start: series.start });
    }
    return series;
  }

  #makeRequest(parameters: FetchParameters, series: Series | undefined, isCancelled = false): Uint8Array {
    const { payerKeys, chainHash } = this.#options;
    const { offer, recurrenceLabel: label } = parameters;
    const metadata =
      label === undefined
        ? (parameters.payerMetadata ?? freshSecret().subarray(0, METADATA_BYTES))
        : payerKeys.seriesMetadata(offerId(offer.bytes), label);
    const start = startOf(parameters, series);
    const fields = requestFields(parameters, { metadata, chainHash, start, isCancelled });
    return createInvoiceRequest(offer.bytes, fields, payerKeys.secretKey(metadata));
  }

  async #accept(
    { content, pathIndex = 0 }: FetchReply,
    { parameters, request, series }: Fetching,
  ): Promise<FetchedInvoice> {
    const { offer, recurrenceLabel } = parameters;
    const { invoice: bytes, invoiceError, staticInvoice } = content;
    if (invoiceError !== undefined) throw refusedByIssuer(invoiceError);
    if (staticInvoice !== undefined) {
      const expected = { request, invoiceNodeId: expectedInvoiceNodeId(offer.fields, pathIndex) };
      const nowSeconds = secondsOf(this.#options.clock);
      const read = readFetchedStaticInvoice(staticInvoice, { ...expected, nowSeconds });
      throw new FetchFailed({ kind: 'staticInvoice', staticInvoice: read, request });
    }
    if (bytes === undefined) {
      throw new FetchFailed({ kind: 'noInvoice' });
    }
    const invoice = readFetchedInvoice(bytes, {
      request,
      offer: offer.fields,
      invoiceNodeId: expectedInvoiceNodeId(offer.fields, pathIndex),
      nowSeconds: secondsOf(this.#options.clock),
      seriesBasetime: series?.basetime,
    });
    const next = periodAfter(invoice.fields);
    if (recurrenceLabel !== undefined) await this.#remember(parameters, invoice, series);
    return { invoice, changes: changesOf(offer.fields, invoice.fields), nextPeriod: next };
  }

  /** Stores the series before the fetch returns, because the next fetch of the series needs it. */
  async #remember(
    parameters: FetchParameters,
    { fields }: Invoice,
    series: Series | undefined,
  ): Promise<void> {
    this.#options.series.save({
      offerId: offerId(parameters.offer.bytes),
      label: parameters.recurrenceLabel as string,
      start: startOf(parameters, series),
      basetime: invoiceBasetime(fields) as bigint,
      counter: parameters.recurrenceCounter as number,
    });
    await this.#options.series.durable();
  }
}

/**
 * The first period of a series, which is 0 if neither the caller nor an earlier fetch has set it. Undefined unless
 * periods are counted from a base.
 */
function startOf(
  { offer, recurrenceStart }: FetchParameters,
  series: Series | undefined,
): number | undefined {
  if (recurrenceOf(offer.fields)?.base === undefined) return undefined;
  return recurrenceStart ?? series?.start ?? 0;
}

function refusedByIssuer(bytes: Uint8Array): FetchFailed {
  try {
    const { erroneousField, suggestedValue, error = '' } = decodeInvoiceError(bytes);
    return new FetchFailed({ kind: 'issuerError', erroneousField, suggestedValue, error });
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return new FetchFailed({ kind: 'unreadableError', bytes });
  }
}

/** Converts an error to the end of the fetch that threw it. */
function failedEnd(error: unknown): FetchEnd {
  const name = error instanceof FulguriteError ? error.name : 'internal';
  return { status: 'failed', error: name, ...(error instanceof FetchFailed && { failure: error.reason }) };
}

/** Adds the ways that were tried to a FetchFailed, unless the request was too long. Returns other errors unchanged. */
function withSteps(error: unknown, { steps }: Delivery): unknown {
  if (!(error instanceof FetchFailed) || error.reason.kind === 'requestTooLong') return error;
  return new FetchFailed(error.reason, steps.list());
}
