/** Events for listeners that watch all fetches of invoices: the start and the end of each fetch. */
import type { Invoice } from '../bolt/invoice/bolt12-invoice.ts';
import type { Offer } from '../bolt/invoice/bolt12-offer.ts';
import type { ErrorName } from '../model/errors.ts';
import type { Changes } from './changes.ts';
import type { FetchFailure } from './fetch-failure.ts';
import type { FetchStep, FetchSteps } from './fetch-steps.ts';

/** One fetch. The payer's note to the issuer is not included. */
export interface FetchFacts {
  /** Number of this fetch among all fetches of this process, from 1. */
  readonly number: number;
  /** Id of the offer (BOLT 12, "Offers"): 32 bytes. */
  readonly offerId: Uint8Array;
  /** The requested amount. Undefined if the amount of the offer is used. */
  readonly amountMsat: bigint | undefined;
  readonly timeoutMs: number;
}

/** How a fetch ended. */
export type FetchEnd =
  | { readonly status: 'answered'; readonly amountMsat: bigint }
  /** `failure` is absent if the cause lies outside the fetch, such as a full disk or a stopping service. */
  | { readonly status: 'failed'; readonly error: ErrorName; readonly failure?: FetchFailure };

/** The invoice, which contains the payer's note, and how it differs from the offer. */
export interface FetchAnswer {
  readonly invoice: Invoice;
  readonly changes: Changes;
}

/** One event. A fetch that is refused before anything is sent causes no events. */
export type FetchEvent =
  | {
      readonly kind: 'began';
      readonly fetch: FetchFacts;
      readonly offer: Offer;
      /** Lists the ways tried so far. */
      readonly steps: Pick<FetchSteps, 'list'>;
    }
  | {
      readonly kind: 'ended';
      readonly fetch: FetchFacts;
      readonly tookMs: number;
      /** The ways that were tried, in their final state. */
      readonly steps: readonly FetchStep[];
      readonly end: FetchEnd;
      /** Undefined if the fetch failed. */
      readonly answer: FetchAnswer | undefined;
    };

/** Called synchronously for each event. It must not throw. */
export type FetchEventListener = (event: FetchEvent) => void;
