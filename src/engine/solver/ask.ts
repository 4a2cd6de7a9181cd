/**
 * One question to the kernel: a route query between two nodes. The search itself and every attempt at a remedy
 * (diagnosis.ts) use this, so a remedy is tested exactly as its caller would request it.
 */

import type { Deduction } from '../question/no-route.ts';
import { DEFAULT_OBJECTIVE, pricesFor } from '../question/objective.ts';
import type { Question } from '../question/question.ts';
import { NO_DELAY_LIMIT, NO_FEE_LIMIT } from '../question/route.ts';
import type { Kernel } from './kernel.ts';
import type { SolveGoal } from './kernel-layout.ts';
import type { Asked, KernelPart, Solution } from './solution.ts';

/** The two ends of a query, by the kernel's node numbers. */
export interface Ends {
  readonly source: number;
  readonly destination: number;
}

/** A hop of a route under `auto.include_fees` whose amount became too small, because fees are deducted on the way. */
export type Shortfall = Omit<Deduction, 'kind'>;

/**
 * The kernel's result, after considering two things that the kernel does not know: the recipient's blocks, and who pays
 * the fees.
 */
export interface Reply extends Omit<Solution, 'status'> {
  readonly status:
    | Solution['status']
    /** The recipient alone requires more blocks than allowed. */
    | 'tooSlow'
    /** After the deduction of fees, the amount of a hop is too small. */
    | 'tooLittleLeft';
  readonly shortfall?: Shortfall;
  readonly feeLimitMsat: bigint;
}

/** Whether the search found an answer that exceeds only the fee limit, and no answer within all limits. */
export const isOnlyDear = ({ status }: Reply): boolean => status === 'tooDear' || status === 'perhapsTooDear';

/** Whether the query provably has no answer. Otherwise the search merely found none. */
export const isRefused = ({ status }: Reply): boolean =>
  status !== 'undecided' && status !== 'perhapsTooDear';

/** Noise of a search: its seed, and its relative half-width. */
export type Noise = Required<Pick<Asked, 'noiseSeed' | 'noiseSpread'>>;
const NO_NOISE: Noise = { noiseSeed: 0n, noiseSpread: 0 };

/** The kernel's input, at the prices of the question, without flags. */
function askedOf(query: Question, ends: Ends, goal: SolveGoal, noise: Noise): Asked {
  const prices = pricesFor(query.amountMsat, query.knobs ?? DEFAULT_OBJECTIVE);
  return {
    source: ends.source,
    destination: ends.destination,
    amountMsat: query.amountMsat,
    maxfeeMsat: query.maxfeeMsat,
    maxPathDelay: Math.max(query.maxdelay - query.finalCltv, 0),
    maxparts: query.maxparts,
    maxhops: query.maxhops,
    goal,
    riskPrice: prices.riskPriceMsatPerNat,
    delayRate: prices.delayRate,
    partPrice: prices.partPriceMsat,
    noiseSeed: noise.noiseSeed,
    noiseSpread: noise.noiseSpread,
  };
}

/**
 * Asks the kernel, with its current layers and effort.
 * @param goal what to find. `first` gives the same status as `best` with the same effort. If fees are deducted from
 *   the amount, `best` is used instead, because the best answer itself must be checked
 * @param noise the noise of a randomised search; absent for any other search
 */
export function ask(
  kernel: Kernel,
  query: Question,
  ends: Ends,
  goal: SolveGoal = 'best',
  noise: Noise = NO_NOISE,
): Reply {
  const wanted = query.includeFees ? 'best' : goal;
  const found = kernel.solve(askedOf(query, ends, wanted, noise), query);
  const solution = Object.assign(found, { feeLimitMsat: query.maxfeeMsat });
  if (solution.status !== 'ok') return solution;
  if (query.maxdelay < query.finalCltv) return { ...solution, status: 'tooSlow', parts: [] };
  if (!query.includeFees) return solution;
  const shortfall = shortfallOf(kernel, solution.parts);
  return shortfall === undefined ? solution : { ...solution, status: 'tooLittleLeft', parts: [], shortfall };
}

/** The quickest path for the whole amount, at any fee, without the recipient's blocks. */
export function quickest(kernel: Kernel, query: Question, ends: Ends): Solution {
  const limits = { maxfeeMsat: NO_FEE_LIMIT, maxPathDelay: NO_DELAY_LIMIT, maxparts: 1 };
  const prices = { feeWeight: 0, riskPrice: 0, delayRate: 1 };
  return kernel.solve({ ...askedOf(query, ends, 'best', NO_NOISE), ...limits, ...prices }, query);
}

/**
 * The amount that crosses each hop, starting at the source, when the part's amount enters the route
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
