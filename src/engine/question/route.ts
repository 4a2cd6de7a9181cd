/**
 * The question that a route search answers, and its answers. These are pure types: RPC commands fill in the
 * question, the kernel's host returns the answer, and tests check it.
 *
 * Conventions (askrene): a direction charges `base + floor(amountOut * ppm / 10^6)` on the amount that
 * crosses it (`amountOut`). The node that it leaves gets this fee. `amountIn = amountOut + fee`, and `cltvIn
 * = cltvOut + cltvExpiryDelta`. The hop before it must carry this hop's `amountIn`. So the `amountIn` of the
 * first hop contains the source's own fee, unless `auto.sourcefree` is among the layers.
 */
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';

/** A fee limit that allows every fee there is. */
export const NO_FEE_LIMIT: Msat = msat(2n ** 62n);
/** A delay limit beyond that of any path, in blocks. */
export const NO_DELAY_LIMIT = 0x7fff_ffff;

/** A question: an amount between two nodes, under layers and limits. */
export interface RouteQuery {
  readonly source: NodeId;
  readonly destination: NodeId;
  /** Amount that the destination must receive over all parts. */
  readonly amountMsat: Msat;
  /** Names of layers, applied in this order. May contain names that begin with `auto.`. */
  readonly layers: readonly string[];
  /** Maximum fees, inclusive: the sum over routes of first `amountIn` minus what is delivered. */
  readonly maxfeeMsat: Msat;
  readonly finalCltv: number;
  /**
   * Maximum blocks of each route, inclusive: the delays of its directions and the recipient's own final delta
   * (`finalCltv`) added up. `maxdelay` means this everywhere.
   */
  readonly maxdelay: number;
  /** Maximum number of routes of the answer. */
  readonly maxparts: number;
  readonly randomize?: Randomization;
}

/** A randomised search: the cost of every direction is scaled by a factor drawn from (seed, direction). */
export interface Randomization {
  /** 64 bits. The same seed on the same graph gives the same answer, bit for bit. */
  readonly seed: bigint;
  /** Largest relative change of a direction's cost, in ppm. */
  readonly spreadPpm: number;
}

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
  /** Amount that arrives. */
  readonly amountMsat: Msat;
  readonly finalCltv: number;
  readonly path: readonly RouteHop[];
}

/**
 * For an answer that may not be the best: its cost (objective.ts), and the least that any answer can cost.
 */
export interface Unfinished {
  readonly costMsat: bigint;
  readonly leastCostMsat: bigint;
}

/** Routes that together deliver the amount. */
export interface RouteAnswer {
  /**
   * Probability that all routes succeed together. A direction that several share must carry the sum of their
   * amounts.
   */
  readonly probabilityPpm: number;
  readonly routes: readonly Route[];
  /**
   * Present only when the search was not randomised, and either was cut short by its effort, or found an answer of odds
   * below 37 % that is not proven to be within a hundredth of the best.
   */
  readonly unfinished?: Unfinished;
}
