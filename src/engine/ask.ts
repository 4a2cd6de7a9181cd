/**
 * One question to the kernel: a route query between two ends, plain, without noise. What comes of it is what
 * whoever asks the same gets: the search itself and every try for a remedy (diagnosis.ts) go through here.
 */
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { Kernel, KernelPart, Solution } from './kernel.ts';
import { DEFAULT_OBJECTIVE, pricesFor } from './objective.ts';
import type { ResolvedQuery } from './route-outcome.ts';

/**
 * What one search may cost, in searches over the whole graph, however many parts and limits it has: some 100 ms on the
 * main network. All rounds of noise together have as much.
 */
export const EFFORT_SEARCHES = 20;
const NO_FEE_LIMIT = 2n ** 62n;
/** Blocks beyond any way's. */
export const NO_DELAY_LIMIT = 0x7fff_ffff;

/** The ends of a query by the kernel's numbers. */
export interface Ends {
  readonly source: number;
  readonly destination: number;
}

/** `auto.include_fees`: a hop that fees taken out of the amount leave too little for. */
export interface Shortfall {
  readonly shortChannelIdDir: string;
  readonly amountMsat: bigint;
  /** What it would have to be: the HTLC minimum, or 1. */
  readonly leastMsat: bigint;
  readonly htlcMinimumMsat: bigint;
}

/** What the kernel found, judged by what it does not know of: the recipient's blocks, and who pays the fees. */
export interface Reply extends Omit<Solution, 'status'> {
  readonly status:
    | Solution['status']
    /** The recipient alone asks for more blocks than allowed. */
    | 'tooSlow'
    /** Fees taken out of the amount leave a hop too little. */
    | 'tooLittleLeft';
  readonly shortfall?: Shortfall;
  readonly feeLimitMsat: bigint;
}

/** Asks with all the effort that a query has; so the reply is the one that whoever asks the same gets. */
export function askAfresh(kernel: Kernel, query: ResolvedQuery, ends: Ends): Reply {
  kernel.exports.beginEffort(EFFORT_SEARCHES);
  return ask(kernel, query, ends);
}

/** Asks under the stack applied and within the effort left; the noise set counts. */
export function ask(kernel: Kernel, query: ResolvedQuery, { source, destination }: Ends): Reply {
  const prices = pricesFor(query.amountMsat, query.knobs ?? DEFAULT_OBJECTIVE);
  kernel.exports.setPrices(1, prices.riskPriceMsatPerNat, prices.delayRate);
  kernel.exports.setPartPrice(prices.partPriceMsat);
  const { amountMsat, maxfeeMsat, maxparts, maxhops } = query;
  const maxPathDelay = Math.max(query.maxdelay - query.finalCltv, 0);
  const asked = { source, destination, amountMsat, maxfeeMsat, maxPathDelay, maxparts, maxhops };
  const solution = { ...kernel.solve(asked), feeLimitMsat: maxfeeMsat };
  if (solution.status !== 'ok') return solution;
  if (query.maxdelay < query.finalCltv) return { ...solution, status: 'tooSlow', parts: [] };
  if (!query.includeFees) return solution;
  const shortfall = shortfallOf(kernel, solution.parts);
  return shortfall === undefined ? solution : { ...solution, status: 'tooLittleLeft', parts: [], shortfall };
}

/** Blocks of the quickest way for the whole amount, at any fee, without the recipient's own; undefined without one. */
export function quickest(
  kernel: Kernel,
  query: ResolvedQuery,
  { source, destination }: Ends,
): number | undefined {
  kernel.exports.setPrices(0, 0, 1);
  const { amountMsat, maxhops } = query;
  const limits = { maxfeeMsat: NO_FEE_LIMIT, maxPathDelay: NO_DELAY_LIMIT, maxparts: 1, maxhops };
  const { status, takes } = kernel.solve({ source, destination, amountMsat, ...limits });
  return status === 'ok' ? takes.pathDelay : undefined;
}

/** `auto.include_fees`: what crosses each hop, from the source on, when a part's amount enters the route. */
export function amountsLeft(kernel: Kernel, { amountMsat, arcs }: KernelPart): bigint[] {
  let left = amountMsat;
  return arcs.map((arc) => {
    const { feeBaseMsat, feeProportionalMillionths } = kernel.arc(arc);
    left = kernel.exports.beforeFee(left, feeBaseMsat, feeProportionalMillionths);
    return left;
  });
}

function shortfallOf(kernel: Kernel, parts: readonly KernelPart[]): Shortfall | undefined {
  for (const part of parts) {
    for (const [hop, amountMsat] of amountsLeft(kernel, part).entries()) {
      const arc = kernel.arc(part.arcs[hop]!);
      const leastMsat = arc.htlcMinimumMsat > 0n ? arc.htlcMinimumMsat : 1n;
      if (amountMsat >= leastMsat) continue;
      const shortChannelIdDir = formatShortChannelIdDir(arc);
      return { shortChannelIdDir, amountMsat, leastMsat, htlcMinimumMsat: arc.htlcMinimumMsat };
    }
  }
  return undefined;
}
