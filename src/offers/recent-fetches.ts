/**
 * The most recent fetches of invoices, so that clients can see how a fetch ended. They are lost at a restart. Fetches
 * in progress are never removed; there are at most a thousand.
 */
import { decodeInvoice } from '../bolt/invoice/bolt12-invoice.ts';
import { decodeOffer, type Offer } from '../bolt/invoice/bolt12-offer.ts';
import { type Clock, type Moment, momentOf } from '../model/clock.ts';
import type { FetchAnswer, FetchEnd, FetchEventListener, FetchFacts } from './fetch-event.ts';
import type { FetchStep, FetchSteps } from './fetch-steps.ts';

/** Maximum number of ended fetches kept. */
export const KEPT_FETCHES = 200;

/** One fetch: its request, the ways that were tried, and how it ended. */
export interface RecentFetch {
  readonly fetch: FetchFacts;
  readonly offer: Offer;
  readonly beganAtMs: number;
  readonly tookMs: number;
  readonly steps: readonly FetchStep[];
  /** Undefined while the fetch is in progress. */
  readonly end: FetchEnd | undefined;
  readonly answer: FetchAnswer | undefined;
}

type RunningFetch = Pick<RecentFetch, 'fetch' | 'offer'> & {
  readonly began: Moment;
  readonly steps: Pick<FetchSteps, 'list'>;
};

/**
 * A fetch that has ended, with offer and invoice as bytes. Decoded, they take three times the memory. Under load that
 * would matter most: every fetch is kept for as long as 200 others take, so V8 would copy it to the old part of its
 * heap, and collect that part more often.
 */
interface EndedFetch extends Omit<RecentFetch, 'offer' | 'answer'> {
  readonly offer: Uint8Array;
  readonly answer: (Pick<FetchAnswer, 'changes'> & { readonly invoice: Uint8Array }) | undefined;
}

function decoded({ offer, answer, ...rest }: EndedFetch): RecentFetch {
  return {
    ...rest,
    offer: decodeOffer(offer),
    answer: answer && { ...answer, invoice: decodeInvoice(answer.invoice) },
  };
}

/** Records fetches from their events. */
export class RecentFetches {
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly #kept: number;
  readonly #running = new Map<number, RunningFetch>();
  #ended: EndedFetch[] = [];

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>, kept = KEPT_FETCHES) {
    this.#clock = clock;
    this.#kept = kept;
  }

  readonly note: FetchEventListener = (event) => {
    if (event.kind === 'began') {
      const { fetch, offer, steps } = event;
      this.#running.set(fetch.number, { fetch, offer, steps, began: momentOf(this.#clock) });
      return;
    }
    const { fetch, tookMs, steps, end, answer } = event;
    const running = this.#running.get(fetch.number);
    if (running === undefined) return;
    this.#running.delete(fetch.number);
    this.#ended.push({
      ...{ fetch, beganAtMs: running.began.unixMs, tookMs, steps, end },
      offer: running.offer.bytes,
      answer: answer && { changes: answer.changes, invoice: answer.invoice.bytes },
    });
    if (this.#ended.length > this.#kept) this.#ended = this.#ended.slice(-this.#kept);
  };

  /** The fetches in the order of their numbers, in their current state. */
  list(): RecentFetch[] {
    const running = [...this.#running.values()].map(({ steps, began, ...rest }) => {
      const tookMs = this.#clock.monotonicMs() - began.monotonicMs;
      return {
        ...rest,
        beganAtMs: began.unixMs,
        tookMs,
        steps: steps.list(),
        end: undefined,
        answer: undefined,
      };
    });
    return [...this.#ended.map(decoded), ...running].sort((a, b) => a.fetch.number - b.fetch.number);
  }
}
