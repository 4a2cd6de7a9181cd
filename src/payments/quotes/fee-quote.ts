/**
 * Estimates what a payment will cost: the expected fee, and the lowest fee limit within which it completes with the
 * requested confidence.
 *
 * The payment is simulated (quote-play.ts) under several fee limits, each time with the same draws. Under the caller's
 * own limit, it completes in `c` of the draws. The quoted limit is the lowest one found under which it completes in at
 * least `confidence · c` draws. A lower limit may lead to different routes, so each limit is simulated. The limit is
 * found by bisection between two fees: that of the first routes, and the one that the share `confidence` of the
 * completing draws does not exceed under the caller's limit. If the latter is too low as a limit, the caller's limit
 * replaces it.
 */
import { type Msat, msat } from '../../model/msat.ts';
import type { PaymentRequest, ShadowOffset } from '../payment.ts';
import type { Search } from '../plan/planner.ts';
import { feeOf } from '../plan/route-cost.ts';
import { feeAtConfidence, type PlayedFee, type PlayOptions, QuotePlay } from './quote-play.ts';

/** What a payment is likely to cost. */
export interface FeeQuote {
  /** The limit within which the payment completes with the requested confidence. */
  readonly maxfeeMsat: Msat;
  /** Mean fee of the draws that complete within this limit. If none does, the fee of the first routes. */
  readonly feeMsat: Msat;
  /** Share of all draws that complete within this limit, in parts per million. */
  readonly probabilityPpm: number;
  /** The routes that the payment would try first, and their shadow. */
  readonly routes: Extract<Search, { routes: unknown }>['routes'];
  readonly shadow: ShadowOffset;
}

/** What a quote needs in addition to a simulation. */
export interface FeeQuoteOptions extends Omit<PlayOptions, 'payment' | 'maxSearches'> {
  /** Creates the payment to simulate, which is never sent. */
  readonly paymentOf: (request: PaymentRequest) => PlayOptions['payment'];
  /**
   * Of the draws that complete within the caller's limit, the share that must complete within the quoted limit: 0 … 1.
   */
  readonly confidence: number;
}

/**
 * Number of draws per quote. With 300, the standard error of the share that completes is at most 2.9 percentage points.
 */
const DRAWS = 300;
/** Maximum number of searches under one fee limit. */
const MAX_SEARCHES = 60;
/** Maximum number of fee limits tried below the first one that is sufficient. */
const STEPS = 4;
/** Bisection stops when the limits differ by at most 1 % or 1 sat, whichever is more. */
const NEAR = { of: 1n, in: 100n, msat: 1_000n };

interface PlayedLimit {
  readonly maxfeeMsat: Msat;
  readonly play: QuotePlay;
  readonly fees: readonly PlayedFee[];
  readonly completed: number;
}

/** Quotes a payment. @returns the quote, or the reason for having no routes if even the first search finds none */
export async function quoteFee(
  request: PaymentRequest,
  options: FeeQuoteOptions,
): Promise<FeeQuote | { readonly noPlan: Extract<Search, { noPlan: unknown }>['noPlan'] }> {
  const { confidence } = options;
  const under = (maxfeeMsat: Msat): Promise<PlayedLimit> => playUnder(request, maxfeeMsat, options);
  const widest = await under(request.maxfeeMsat);
  const { search } = await widest.play.first();
  if ('noPlan' in search) return search;
  if (widest.completed === 0) return quoteOf(widest);
  const wanted = Math.ceil(confidence * widest.completed);
  const isEnough = ({ completed }: PlayedLimit): boolean => completed >= wanted;

  let enough = widest;
  const likely = await under(feeAtConfidence(completing(widest), confidence));
  if (isEnough(likely)) enough = likely;
  let lowMsat: bigint = await leastOf(widest);
  for (let step = 0; step < STEPS && enough.maxfeeMsat - lowMsat > near(lowMsat); step++) {
    const tried = await under(msat(step === 0 ? lowMsat : (lowMsat + enough.maxfeeMsat) / 2n));
    if (isEnough(tried)) enough = tried;
    else lowMsat = tried.maxfeeMsat;
  }
  return quoteOf(enough);
}

const near = (feeMsat: bigint): bigint => {
  const share = (feeMsat * NEAR.of) / NEAR.in;
  return share > NEAR.msat ? share : NEAR.msat;
};

const completing = ({ fees }: PlayedLimit): bigint[] => fees.filter((fee) => fee !== undefined);

/** The fee of the first routes, in msat, including the shadow amount. */
async function leastOf({ play }: PlayedLimit): Promise<bigint> {
  const { search, shadow } = await play.first();
  return 'routes' in search ? feeOf(search.routes) + shadow.amountMsat : 0n;
}

async function playUnder(
  request: PaymentRequest,
  maxfeeMsat: Msat,
  { paymentOf, ...others }: FeeQuoteOptions,
): Promise<PlayedLimit> {
  const payment = paymentOf({ ...request, maxfeeMsat });
  const play = new QuotePlay({ ...others, payment, maxSearches: MAX_SEARCHES });
  const fees: PlayedFee[] = [];
  for (let draw = 0; draw < DRAWS; draw++) fees.push(await play.play(request.seed, draw));
  return { maxfeeMsat, play, fees, completed: fees.filter((fee) => fee !== undefined).length };
}

async function quoteOf(played: PlayedLimit): Promise<FeeQuote> {
  const { search, shadow } = await played.play.first();
  const { routes } = search as Extract<Search, { routes: unknown }>;
  const fees = completing(played);
  const sum = fees.reduce((total, fee) => total + fee, 0n);
  return {
    maxfeeMsat: played.maxfeeMsat,
    feeMsat: msat(fees.length === 0 ? feeOf(routes) + shadow.amountMsat : sum / BigInt(fees.length)),
    probabilityPpm: Math.floor((1e6 * fees.length) / played.fees.length),
    routes,
    shadow,
  };
}
