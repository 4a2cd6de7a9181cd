/**
 * The answers of a route search. The kernel's host returns them, and tests check them.
 *
 * Conventions (askrene): a direction charges `base + floor(amountOut * ppm / 10^6)` on the amount that crosses it
 * (`amountOut`). The direction's first node receives this fee. `amountIn = amountOut + fee`, and `cltvIn = cltvOut +
 * cltvExpiryDelta`. The previous hop must carry this hop's `amountIn`. So the `amountIn` of the first hop contains the
 * source's own fee, unless `auto.sourcefree` is among the layers.
 */
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';

export type { Randomization, RouteQuery } from './question.ts';

/** A fee limit that allows any fee. */
export const NO_FEE_LIMIT: Msat = msat(2n ** 62n);
/** A delay limit above that of any path, in blocks. */
export const NO_DELAY_LIMIT = 0x7fff_ffff;

/** One hop: the direction, its two nodes, amounts in msat and delays in blocks before and after it. */
export interface RouteHop {
  readonly shortChannelIdDir: ShortChannelIdDir;
  readonly nodeIdIn: NodeId;
  readonly nodeIdOut: NodeId;
  readonly amountInMsat: Msat;
  readonly amountOutMsat: Msat;
  readonly cltvIn: number;
  readonly cltvOut: number;
}

/** One route of an answer, from the source to the destination. */
export interface Route {
  /** Probability that this route alone carries its amount, given the known bounds: floor(10^6 · P). */
  readonly probabilityPpm: number;
  /** If `probabilityPpm` is learned: its value before the correction by the outcomes of earlier predictions. */
  readonly uncorrectedPpm?: number;
  /** Amount that arrives. */
  readonly amountMsat: Msat;
  readonly finalCltv: number;
  readonly path: readonly RouteHop[];
}

/** For an answer that may not be the best: its cost (objective.ts), and a lower bound of any answer's cost. */
export interface Unfinished {
  readonly costMsat: bigint;
  readonly leastCostMsat: bigint;
}

/** Routes that together deliver the amount. */
export interface RouteAnswer {
  /**
   * Probability that all routes succeed together. A direction shared by several routes must carry the sum of their
   * amounts.
   */
  readonly probabilityPpm: number;
  readonly routes: readonly Route[];
  /**
   * Present only if the search was not randomised, and may have missed a better answer: its budget ran out, or the
   * answer is strained and not proven to be within 1 % of the best. Strained means that its probability is below 37 %,
   * or that HTLC maximums force several parts over a direction.
   */
  readonly unfinished?: Unfinished;
}
