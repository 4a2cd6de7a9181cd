/**
 * The question a route search answers, and its answers. Pure types: what the RPC command fills in, what the
 * kernel's host returns, what tests referee.
 *
 * Conventions (askrene): a direction's fee is `base + floor(amountOut * ppm / 10^6)` on the amount that
 * crosses it (`amountOut`), charged by the node it leaves; `amountIn = amountOut + fee`,
 * `cltvIn = cltvOut + cltvExpiryDelta`. The next hop upstream has to put this hop's `amountIn` across.
 * So the first hop's `amountIn` includes the source's own fee unless `auto.sourcefree` is among the layers.
 */
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';

export interface RouteQuery {
  readonly source: NodeId;
  readonly destination: NodeId;
  /** What the destination must receive over all parts. */
  readonly amountMsat: Msat;
  /** Names of layers, applied in order; `auto.*` names included. */
  readonly layers: readonly string[];
  /** Fee limit, inclusive: on the sum over routes of (first amountIn - delivered). */
  readonly maxfeeMsat: Msat;
  readonly finalCltv: number;
  /**
   * Delay limit, inclusive, in blocks, for each route by itself: what the directions of the route add up to, and the
   * recipient's own final delta (`finalCltv`). It means this wherever it is called `maxdelay`.
   */
  readonly maxdelay: number;
  /** At most this many routes. */
  readonly maxparts: number;
  readonly randomize?: Randomization;
}

/** Randomised search: every direction's cost is scaled by a factor drawn from (seed, direction). */
export interface Randomization {
  /** 64 bits; the same seed on the same graph gives the same answer bit for bit. */
  readonly seed: bigint;
  /** Widest relative change of a direction's cost, in ppm of it. */
  readonly spreadPpm: number;
}

export interface RouteHop {
  readonly shortChannelIdDir: ShortChannelIdDir;
  readonly nodeIdIn: NodeId;
  readonly nodeIdOut: NodeId;
  readonly amountInMsat: Msat;
  readonly amountOutMsat: Msat;
  readonly cltvIn: number;
  readonly cltvOut: number;
}

export interface Route {
  /** floor(10^6 * probability) that this route alone can carry its amount, given the known bounds. */
  readonly probabilityPpm: number;
  /** What arrives. */
  readonly amountMsat: Msat;
  readonly finalCltv: number;
  readonly path: readonly RouteHop[];
}

/** What an answer costs (objective.ts) whose search was cut short, and what no answer can cost less than. */
export interface Unfinished {
  readonly costMsat: bigint;
  readonly leastCostMsat: bigint;
}

export interface RouteAnswer {
  /** That all routes together succeed: a shared direction must carry the sum of what crosses it. */
  readonly probabilityPpm: number;
  readonly routes: readonly Route[];
  /** Only where the search ended for its effort, and not randomised. */
  readonly unfinished?: Unfinished;
}
