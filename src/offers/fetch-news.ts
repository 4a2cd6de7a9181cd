/** The news for listeners that watch all fetches of invoices: that a fetch began, and how it ended. */
import type { Invoice } from '../bolt/invoice/bolt12-invoice.ts';
import type { Offer } from '../bolt/invoice/bolt12-offer.ts';
import type { ErrorName } from '../model/errors.ts';
import type { Changes } from './changes.ts';
import type { FetchFailure } from './fetch-failure.ts';
import type { FetchStep } from './fetch-steps.ts';

/** One fetch. What the payer wrote to the issuer is not among its facts. */
export interface FetchFacts {
  /** Counts the fetches of this process, from 1. */
  readonly number: number;
  /** Id of the offer (BOLT 12, "Offers"): 32 bytes. */
  readonly offerId: Uint8Array;
  /** The amount that was requested. Undefined when the amount of the offer is used. */
  readonly amountMsat: bigint | undefined;
  readonly timeoutMs: number;
}

/** How a fetch ended. */
export type FetchEnd =
  | { readonly status: 'answered'; readonly amountMsat: bigint }
  /** `failure` is absent when something other than the fetch failed, such as the disk or the service. */
  | { readonly status: 'failed'; readonly error: ErrorName; readonly failure?: FetchFailure };

/** The invoice that came, and how it differs from the offer. It repeats what the payer wrote. */
export interface FetchAnswer {
  readonly invoice: Invoice;
  readonly changes: Changes;
}

/** One update. There is none about a fetch that is refused before anything is sent. */
export type FetchNews =
  | {
      readonly kind: 'began';
      readonly fetch: FetchFacts;
      readonly offer: Offer;
      /** The ways that were tried until it is called. */
      readonly stepsSoFar: () => readonly FetchStep[];
    }
  | {
      readonly kind: 'ended';
      readonly fetch: FetchFacts;
      readonly tookMs: number;
      /** The ways that were tried, as they stood at the end. */
      readonly steps: readonly FetchStep[];
      readonly end: FetchEnd;
      /** Undefined when the fetch failed. */
      readonly answer: FetchAnswer | undefined;
    };

/** Called for each update, at once. It must not throw. */
export type FetchNewsListener = (news: FetchNews) => void;
