/**
 * One question to the kernel: a plain route query between two nodes, without noise. The search itself and
 * every try for a remedy (diagnosis.ts) ask through here. So a remedy is tried exactly as its caller would
 * try it.
 */

import type { Deduction } from '../question/no-route.ts';
import { DEFAULT_OBJECTIVE, pricesFor } from '../question/objective.ts';
import type { ResolvedQuery } from '../question/resolved-query.ts';
import { NO_DELAY_LIMIT, NO_FEE_LIMIT } from '../question/route.ts';
import type { Kernel } from './kernel.ts';
import type { SolveGoal } from './kernel-layout.ts';
import type { KernelPart, Solution } from './solution.ts';

/** The two ends of a query, as the kernel numbers nodes. */
export interface Ends {
  readonly source: number;
  readonly destination: number;
}

/**
 * A hop of a route under `auto.include_fees`. Fees are taken out of the amount on the way, and leave this hop too
 * little.
 */
export type Shortfall = Omit<Deduction, 'kind'>;

/**
 * What the kernel found, judged by two things that the kernel does not know: the recipient's blocks, and who pays the
 * fees.
 */
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

/** Whether the search found an answer that keeps every limit except that on fees, and none that keeps all limits. */
export const isOnlyDear = ({ status }: Reply): boolean => status === 'tooDear' || status === 'perhapsTooDear';

/**
 * Asks the kernel, with the layers, the noise and the effort that are set there.
 * @param goal what is wanted. `first` gives the same status as `best` with the same effort. When fees are taken from
 *   the amount, `best` is asked for instead, because the best answer itself must be judged
 */
export function ask(
  kernel: Kernel,
  query: ResolvedQuery,
  { source, destination }: Ends,
  goal: SolveGoal = 'best',
): Reply {
  const prices = pricesFor(query.amountMsat, query.knobs ?? DEFAULT_OBJECTIVE);
  kernel.exports.setPrices(1, prices.riskPriceMsatPerNat, prices.delayRate);
  kernel.exports.setPartPrice(prices.partPriceMsat);
  kernel.exports.setTreesKept(query.inBatch === true ? 1 : 0);
  const { amountMsat, maxfeeMsat, maxparts, maxhops } = query;
  const maxPathDelay = Math.max(query.maxdelay - query.finalCltv, 0);
  const asked = { source, destination, amountMsat, maxfeeMsat, maxPathDelay, maxparts, maxhops };
  const solution = {
    ...kernel.solve({ ...asked, goal: query.includeFees ? 'best' : goal }),
    feeLimitMsat: maxfeeMsat,
  };
  if (solution.status !== 'ok') return solution;
  if (query.maxdelay < query.finalCltv) return { ...solution, status: 'tooSlow', parts: [] };
  if (!query.includeFees) return solution;
  const shortfall = shortfallOf(kernel, solution.parts);
  return shortfall === undefined ? solution : { ...solution, status: 'tooLittleLeft', parts: [], shortfall };
}

/**
 * What the quickest path for the whole amount takes, at any fee, without the recipient's own blocks. Undefined when
 * there is no path.
 */
export function quickest(
  kernel: Kernel,
  query: ResolvedQuery,
  { source, destination }: Ends,
): Solution['takes'] | undefined {
  kernel.exports.setPrices(0, 0, 1);
  const { amountMsat, maxhops } = query;
  const limits = { maxfeeMsat: NO_FEE_LIMIT, maxPathDelay: NO_DELAY_LIMIT, maxparts: 1, maxhops };
  const { status, takes } = kernel.solve({ source, destination, amountMsat, ...limits });
  return status === 'ok' ? takes : undefined;
}

/**
 * The amount that crosses each hop, from the source on, when the amount of the part enters the route
 * (`auto.include_fees`).
 */
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
      const { shortChannelId, direction, htlcMinimumMsat } = kernel.arc(part.arcs[hop]!);
      const leastMsat = htlcMinimumMsat > 0n ? htlcMinimumMsat : 1n;
      if (amountMsat >= leastMsat) continue;
      return { of: { shortChannelId, direction }, amountMsat, leastMsat, htlcMinimumMsat };
    }
  }
  return undefined;
}
