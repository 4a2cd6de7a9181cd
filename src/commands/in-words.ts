/**
 * Every error of a command passes through here. The code below the commands throws typed reasons, without texts for
 * clients. They get their text and data here. Errors that already have a text stay unchanged.
 */
import { NoRouteError, SearchFailed } from '../engine/question/no-route.ts';
import { LayerRefused } from '../layers/refusal.ts';
import { FetchFailed } from '../offers/fetch-failure.ts';
import { OfferRefused } from '../offers/refusal.ts';
import { WayFailed } from '../offers/way-failure.ts';
import { InvoiceTaken } from '../payments/books/invoice-guard.ts';
import { OutcomeOpen } from '../payments/outcome-open.ts';
import { PaymentFailed } from '../payments/payment.ts';
import { QuoteRefused } from '../payments/quotes/quote-book.ts';
import { PaymentRefused } from '../payments/refusal.ts';
import { PartRefused } from '../payments/send/given-route.ts';
import { asError } from './client-error.ts';
import { layerRefusalInWords } from './layers/refusal-words.ts';
import { fetchFailureInWords, wayFailureInWords } from './offers/fetch-failure-words.ts';
import { offerRefusalInWords } from './offers/refusal-words.ts';
import { partRefusalInWords } from './payments/caller-routes/part-words.ts';
import { openOutcomeError, paymentError, takenError } from './payments/failure-words.ts';
import { quoteRefusalInWords } from './payments/quotes/quote-words.ts';
import { paymentRefusalInWords } from './payments/refusal-words.ts';
import { noRouteInWords } from './routes/no-route-words.ts';
import { searchFaultInWords } from './routes/search-fault-words.ts';

/** The error with which the dispatcher responds. */
export function inWords(error: unknown): unknown {
  if (error instanceof NoRouteError) return asError(noRouteInWords(error.noRoute));
  if (error instanceof SearchFailed) return asError(searchFaultInWords(error.reason));
  if (error instanceof LayerRefused) return asError(layerRefusalInWords(error.reason));
  if (error instanceof FetchFailed) return asError(fetchFailureInWords(error));
  if (error instanceof WayFailed) return asError(wayFailureInWords(error));
  if (error instanceof OfferRefused) return asError(offerRefusalInWords(error));
  if (error instanceof PaymentRefused) return asError(paymentRefusalInWords(error));
  if (error instanceof OutcomeOpen) return openOutcomeError(error);
  if (error instanceof PartRefused) return asError(partRefusalInWords(error));
  if (error instanceof QuoteRefused) return asError(quoteRefusalInWords(error));
  if (error instanceof PaymentFailed) return paymentError(error.payment);
  if (error instanceof InvoiceTaken) return takenError(error);
  return error;
}
