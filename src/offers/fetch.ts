/**
 * Fetching an invoice: one signed request, sent over one way after the other until an answer comes or the time
 * is up.
 *
 *     candidates   the offer's paths in order, or its issuer where there are none
 *     a way        a route over the graph to the candidate's first node; else a connection to it
 *     re-sending   the same request in a fresh onion, over the next candidate or around the nodes used before;
 *                  issuers answer a repeated request with the same invoice
 *
 * One deadline runs from the call to the answer. A candidate that cannot be reached is not tried again; when
 * none can be, the fetch fails at once. The first answer decides, whichever way it came.
 */
import type { BlindedPath } from '../bolt/blinded-path.ts';
import { decodeInvoiceError, type Invoice } from '../bolt/bolt12-invoice.ts';
import { createInvoiceRequest } from '../bolt/bolt12-invoice-request.ts';
import { offerId } from '../bolt/bolt12-merkle.ts';
import { expectedInvoiceNodeId } from '../bolt/bolt12-offer.ts';
import {
  invoiceBasetime,
  nextPeriod,
  type Period,
  recurrenceOf,
  requestedPeriod,
} from '../bolt/bolt12-recurrence.ts';
import { toHex } from '../bolt/bytes.ts';
import type { MessageContent } from '../bolt/onion-message.ts';
import { WireError } from '../bolt/wire-error.ts';
import { FulguriteError } from '../model/errors.ts';
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import { type Changes, changesOf } from './changes.ts';
import { type Clock, secondsOf } from './clock.ts';
import { checkFetchParameters, type FetchParameters, refused, requestFields } from './fetch-parameters.ts';
import { type FetchStep, FetchSteps, routeText } from './fetch-steps.ts';
import { readFetchedInvoice } from './invoice-check.ts';
import { freshSecret, type MessageRoute, type OnionMessenger } from './messenger.ts';
import type { PayerKeys } from './payer-keys.ts';
import type { Series, SeriesStore } from './series.ts';

export interface FetchedInvoice {
  readonly invoice: Invoice;
  readonly changes: Changes;
  /** Of a recurring offer, unless it ends. */
  readonly nextPeriod: Period | undefined;
}

export interface FetcherOptions {
  readonly messenger: OnionMessenger;
  readonly payerKeys: PayerKeys;
  readonly series: SeriesStore;
  readonly clock: Clock;
  readonly chainHash: Uint8Array;
  /** Whether we may connect to nodes for a fetch (not `fetchinvoice-noconnect`). */
  readonly mayConnect: boolean;
}

/** Metadata of a request that gives none: unguessable, because the payer key follows from it. */
const METADATA_BYTES = 16;
/** Times that one request is sent at most; then only the answer is waited for. */
const MAX_SENDS = 8;
/** Silence after which another way is tried: a quarter of the time, within these bounds. */
const RESEND_SHARE = 4;
const RESEND_MS = { least: 1000, most: 10_000 } as const;
/** Fetches under way at once. */
const MAX_FETCHES = 1000;

interface Candidate {
  readonly index: number | undefined;
  readonly path: BlindedPath | undefined;
  readonly target: string;
  /** Of the issuer, without a path. */
  readonly nodeId: Uint8Array | undefined;
  /** Why it cannot be reached; nothing changes that within one fetch. */
  failure?: string;
}

type Answer = { readonly candidate: Candidate; readonly step: FetchStep; readonly content: MessageContent };

/** What is the same for all sends of a fetch. */
interface Fetching {
  readonly parameters: FetchParameters;
  readonly request: Uint8Array;
  readonly candidates: readonly Candidate[];
  readonly steps: FetchSteps;
  readonly avoid: Set<number>;
  readonly cancels: (() => void)[];
  /** Called by the first answer. */
  answer: (answer: Answer) => void;
}

export class InvoiceFetcher {
  readonly #options: FetcherOptions;
  #running = 0;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  /**
   * @throws FulguriteError invalidParams, offerExpired before anything is sent; offerUnreachable, issuerError,
   * offerTimedOut with `data.steps`; busy, storeFailed.
   */
  async fetch(parameters: FetchParameters): Promise<FetchedInvoice> {
    const { clock } = this.#options;
    checkFetchParameters(parameters, secondsOf(clock));
    if (this.#running >= MAX_FETCHES) throw new FulguriteError('busy', 'too many fetches under way');
    this.#running++;
    try {
      return await this.#fetchOnce(parameters);
    } finally {
      this.#running--;
    }
  }

  async #fetchOnce(parameters: FetchParameters): Promise<FetchedInvoice> {
    const { clock } = this.#options;
    const series = this.#seriesOf(parameters);
    const fetching: Fetching = {
      parameters,
      request: this.#makeRequest(parameters, series),
      candidates: candidatesOf(parameters),
      steps: new FetchSteps(clock),
      avoid: new Set(),
      cancels: [],
      answer: () => undefined,
    };
    try {
      const answer = await this.#ask(fetching);
      return await this.#accept(answer, fetching, series);
    } catch (error) {
      throw withSteps(error, fetching.steps);
    } finally {
      for (const cancel of fetching.cancels) cancel();
    }
  }

  /** The series so far. A start that contradicts it is refused: periods would be counted anew. */
  #seriesOf({ offer, recurrenceLabel: label, recurrenceStart }: FetchParameters): Series | undefined {
    if (label === undefined) return undefined;
    const series = this.#options.series.find(offerId(offer.bytes), label);
    if (series?.start !== undefined && recurrenceStart !== undefined && series.start !== recurrenceStart) {
      throw refused('recurrence_start', `recurrence_start of this label is ${series.start}`);
    }
    return series;
  }

  #makeRequest(parameters: FetchParameters, series: Series | undefined): Uint8Array {
    const { payerKeys, chainHash } = this.#options;
    const { offer, recurrenceLabel: label } = parameters;
    const metadata =
      label === undefined
        ? (parameters.payerMetadata ?? freshSecret().subarray(0, METADATA_BYTES))
        : payerKeys.seriesMetadata(offerId(offer.bytes), label);
    const start = startOf(parameters, series);
    const fields = requestFields(parameters, { metadata, chainHash, start });
    return createInvoiceRequest(offer.bytes, fields, payerKeys.secretKey(metadata));
  }

  /** The first answer. @throws FulguriteError offerUnreachable, offerTimedOut */
  #ask(fetching: Fetching): Promise<Answer> {
    const { clock } = this.#options;
    if (fetching.parameters.timeoutMs === 0) return Promise.reject(timedOut(fetching));
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (action: () => void): void => {
        if (isOver) return;
        isOver = true;
        action();
      };
      fetching.answer = (answer) => end(() => resolve(answer));
      const timeOut = (): void => end(() => reject(timedOut(fetching)));
      fetching.cancels.push(clock.after(fetching.parameters.timeoutMs, timeOut));
      this.#sendAll(fetching, () => isOver).catch((error) => end(() => reject(error)));
    });
  }

  /** Sends over one way after the other, with a pause after each that left. */
  async #sendAll(fetching: Fetching, isOver: () => boolean): Promise<void> {
    const { clock } = this.#options;
    const { candidates, parameters } = fetching;
    const pauseMs = Math.min(RESEND_MS.most, Math.max(RESEND_MS.least, parameters.timeoutMs / RESEND_SHARE));
    let sends = 0;
    for (let turn = 0; sends < MAX_SENDS && !isOver(); turn++) {
      const open = candidates.filter(({ failure }) => failure === undefined);
      if (open.length === 0) {
        if (sends === 0) throw unreachable(fetching);
        return;
      }
      const candidate = candidates[turn % candidates.length] as Candidate;
      if (candidate.failure !== undefined) continue;
      if (!(await this.#sendOnce(fetching, candidate, isOver))) continue;
      sends++;
      await new Promise<void>((wake) => fetching.cancels.push(clock.after(pauseMs, wake), wake));
    }
  }

  /** Whether the request left; if not, the candidate says why. */
  async #sendOnce(fetching: Fetching, candidate: Candidate, isOver: () => boolean): Promise<boolean> {
    const { messenger } = this.#options;
    const { steps, avoid, request } = fetching;
    const step = steps.begin(candidate.target, candidate.index);
    try {
      const { path, nodeId } = candidate;
      const introduction = path === undefined ? (nodeId as Uint8Array) : messenger.introduction(path);
      const route = await this.#reach(introduction, avoid, step);
      if (isOver()) return false;
      step.route = routeText(route);
      for (const id of route.slice(0, -1)) avoid.add(messenger.indexOf(id));
      const secret = freshSecret();
      const deliver = (content: MessageContent): void => {
        steps.end(step, 'answered');
        fetching.answer({ candidate, step, content });
      };
      fetching.cancels.push(messenger.awaitReply(secret, deliver));
      const content = { invoiceRequest: request, replyPath: messenger.replyPath(route, secret) };
      await messenger.send(route, path, content);
      if (step.outcome !== 'answered') steps.end(step, 'sent');
      return true;
    } catch (error) {
      if (!(error instanceof FulguriteError || error instanceof WireError)) throw error;
      if (error instanceof FulguriteError && error.name === 'busy') throw error;
      candidate.failure = error.message;
      steps.end(step, 'unreachable', error.message);
      return false;
    }
  }

  /** A route to the node, or a connection to it. @throws FulguriteError */
  async #reach(target: Uint8Array, avoid: ReadonlySet<number>, step: FetchStep): Promise<MessageRoute> {
    const { messenger, mayConnect } = this.#options;
    const route = messenger.findRoute(target, { avoid });
    if (route !== undefined) return route;
    if (!mayConnect) {
      const why = 'fetchinvoice-noconnect set: not initiating a new connection';
      throw new FulguriteError('offerUnreachable', why);
    }
    const direct = await messenger.connect(target);
    step.connected = true;
    return direct;
  }

  async #accept(answer: Answer, fetching: Fetching, series: Series | undefined): Promise<FetchedInvoice> {
    const { clock } = this.#options;
    const { offer, recurrenceLabel } = fetching.parameters;
    const { invoice: bytes, invoiceError } = answer.content;
    if (invoiceError !== undefined) throw refusedByIssuer(invoiceError);
    if (bytes === undefined) {
      throw new FulguriteError('issuerError', 'Neither invoice nor invoice_request_failed in reply');
    }
    const invoice = readFetchedInvoice(bytes, {
      request: fetching.request,
      offer: offer.fields,
      nodeId: expectedInvoiceNodeId(offer.fields, answer.candidate.index ?? 0),
      nowSeconds: secondsOf(clock),
      seriesBasetime: series?.basetime,
    });
    const next = periodAfter(invoice);
    if (recurrenceLabel !== undefined) await this.#remember(fetching.parameters, invoice, series);
    return { invoice, changes: changesOf(offer.fields, invoice.fields), nextPeriod: next };
  }

  /** On disk before the answer: the next fetch of the series has to know it. */
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

/** Paths in the offer's order; the issuer itself only where there are none (BOLT 12). */
function candidatesOf({ offer: { fields } }: FetchParameters): Candidate[] {
  const issuer = fields.offerIssuerId;
  if (fields.offerPaths === undefined) {
    const nodeId = issuer as Uint8Array;
    return [{ index: undefined, path: undefined, target: toHex(nodeId), nodeId }];
  }
  return fields.offerPaths.map((path, index) => {
    const { firstNode } = path;
    const isId = firstNode instanceof Uint8Array;
    const target = isId ? toHex(firstNode) : formatShortChannelIdDir(firstNode);
    return { index, path, target, nodeId: undefined };
  });
}

/** Where periods are counted from a base, a series starts with period 0 unless it is told otherwise. */
function startOf(
  { offer, recurrenceStart }: FetchParameters,
  series: Series | undefined,
): number | undefined {
  if (recurrenceOf(offer.fields)?.base === undefined) return undefined;
  return recurrenceStart ?? series?.start ?? 0;
}

/** @throws FulguriteError issuerError for a period beyond the calendar. */
function periodAfter({ fields }: Invoice): Period | undefined {
  const recurrence = recurrenceOf(fields);
  const basetime = invoiceBasetime(fields);
  const { counter, start } = requestedPeriod(fields);
  if (recurrence === undefined || basetime === undefined || counter === undefined) return undefined;
  try {
    return nextPeriod(recurrence, basetime, counter, start);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new FulguriteError('issuerError', `Incorrect invoice_recurrence_basetime field: ${error.message}`, {
      field: 'invoice_recurrence_basetime',
      reason: error.message,
    });
  }
}

function refusedByIssuer(bytes: Uint8Array): FulguriteError {
  const message = 'Remote node sent failure message';
  try {
    const { erroneousField, suggestedValue, error = '' } = decodeInvoiceError(bytes);
    return new FulguriteError('issuerError', message, {
      ...(erroneousField !== undefined && { erroneous_field: erroneousField }),
      ...(suggestedValue !== undefined && { suggested_value: toHex(suggestedValue) }),
      error,
    });
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return new FulguriteError('issuerError', message, { invoice_error_hex: toHex(bytes) });
  }
}

function unreachable({ candidates }: Fetching): FulguriteError {
  const last = candidates.at(-1) as Candidate;
  const where = last.path === undefined ? '' : 'blinded path at ';
  const message = `Failed: could not route or connect directly to ${where}${last.target}: ${last.failure}`;
  return new FulguriteError('offerUnreachable', message);
}

function timedOut({ parameters }: Fetching): FulguriteError {
  const timeout = parameters.timeoutMs / 1000;
  return new FulguriteError('offerTimedOut', 'Timeout waiting for response', { timeout });
}

/** The error with the story of the fetch; other errors as they are. */
function withSteps(error: unknown, steps: FetchSteps): unknown {
  if (!(error instanceof FulguriteError)) return error;
  if (!['offerUnreachable', 'issuerError', 'offerTimedOut'].includes(error.name)) return error;
  return new FulguriteError(error.name, error.message, { ...error.data, steps: steps.list() });
}
