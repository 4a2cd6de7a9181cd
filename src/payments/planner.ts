/**
 * Plans: the routes by which a payment, or what is left of it, is tried next.
 *
 * The search knows our own channels exactly, what payments learned, the caller's layers, and what this payment
 * learned, in that order: what a node has just refused stands above what anybody says of it. It is randomised:
 * every direction's cost (fee + price of risk + price of delay) is scaled by up to ±`SPREAD_PPM`, so that one
 * well-placed node cannot count on seeing every payment.
 * What that is worth in money: at 100,000 sat a typical way costs about 50 sat, risk and delay included, so up
 * to 18 sat may be given for another one. Measured over 1,000 seeds between fixed ends on the main network's
 * graph (`npm run bench -- choice`): 8 to 156 routes, of which more than 95 % are no dearer than the plain choice
 * and the dearest by 2 sat; never dearer than the caller allows. When no route fits with shadow, the shadow is
 * dropped, and when none fits with noise, the search falls back to less (engine): neither ever fails a payment.
 */
import type { RouteEngine } from '../engine/engine.ts';
import type { Route, RouteQuery } from '../engine/route.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { type ErrorName, FulguriteError } from '../model/errors.ts';
import { addMsat, type Msat, msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import { FINAL_CLTV_BLOCKS, MAX_ROUTE_DELAY } from './budget.ts';
import { SHARED_LAYER } from './learning.ts';
import { hopsThatFit } from './onion-hops.ts';
import type { PaymentRequest, ShadowOffset } from './payment.ts';
import { draws, NO_SHADOW, shadowOffset } from './shadow.ts';

/** 35 % either way. */
const SPREAD_PPM = 350_000;
/** Odd 64-bit constant (golden ratio): seeds of successive attempts share no bits to speak of. */
const SEED_STEP = 0x9e37_79b9_7f4a_7c15n;
/** Beyond any fee and delay that exists: to see what the best route would cost. */
const NO_FEE_LIMIT = msat(2n ** 62n);
const NO_DELAY_LIMIT = 1_000_000;
/** Workers that may die under one search before it counts as failed. */
const MAX_DEATHS = 3;

/** Why there is no route. */
export interface NoRoute {
  readonly error: ErrorName;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Search =
  | { readonly routes: readonly Route[]; readonly probabilityPpm: number }
  | { readonly noRoute: NoRoute };

export interface PlanQuery {
  readonly request: PaymentRequest;
  /** What is to be delivered by these routes, shadow included. */
  readonly amountMsat: Msat;
  /** What they may cost. */
  readonly maxfeeMsat: Msat;
  readonly shadow: ShadowOffset;
  readonly maxparts: number;
  /** Attempts made before: each search draws its own noise. */
  readonly round: number;
  readonly privateLayers: readonly string[];
}

export interface PlannerOptions {
  readonly engine: Pick<RouteEngine, 'getroutes'>;
  readonly graph: () => ChannelGraph;
  readonly ourId: NodeId;
}

export class Planner {
  readonly #engine: PlannerOptions['engine'];
  readonly #graph: () => ChannelGraph;
  readonly #ourId: NodeId;

  constructor({ engine, graph, ourId }: PlannerOptions) {
    this.#engine = engine;
    this.#graph = graph;
    this.#ourId = ourId;
  }

  /** The shadow a payment starts with: none for a peer of ours, who is told everything by the HTLC itself. */
  shadowFor(request: PaymentRequest, isPeer: boolean): ShadowOffset {
    if (!request.useShadow || isPeer) return NO_SHADOW;
    return shadowOffset(this.#graph(), request.destination, request, draws(request.seed));
  }

  /** Never rejects because there is no route; that is an answer. */
  async search(query: PlanQuery): Promise<Search> {
    const found = await this.#find(this.#routeQuery(query), query);
    if (!('noRoute' in found) || found.noRoute.error !== 'routeTooExpensive') return found;
    return { noRoute: await this.#priced(found.noRoute, query) };
  }

  #routeQuery({
    request,
    amountMsat,
    maxfeeMsat,
    shadow,
    maxparts,
    round,
    privateLayers,
  }: PlanQuery): RouteQuery {
    const seed = BigInt.asUintN(64, request.seed + BigInt(round) * SEED_STEP);
    return {
      source: this.#ourId,
      destination: request.destination,
      amountMsat,
      layers: ['auto.localchans', 'auto.sourcefree', SHARED_LAYER, ...request.layers, ...privateLayers],
      maxfeeMsat,
      finalCltv: FINAL_CLTV_BLOCKS + shadow.delayBlocks,
      maxdelay: longestDelay(request),
      maxparts,
      ...(request.randomize && { randomize: { seed, spreadPpm: SPREAD_PPM } }),
    };
  }

  async #find(query: RouteQuery, { request, maxparts }: PlanQuery): Promise<Search> {
    const maxhops = hopsThatFit(request.extraTlvs, maxparts > 1);
    for (let deaths = 0; ; deaths++) {
      try {
        return await this.#engine.getroutes(query, { maxhops });
      } catch (error) {
        if (!(error instanceof FulguriteError) || error.name === 'shuttingDown') throw error;
        if (error.name === 'workerDied' && deaths < MAX_DEATHS) continue;
        return { noRoute: { error: error.name, message: error.message, data: error.data ?? {} } };
      }
    }
  }

  /**
   * A search that failed by a limit, with what the best route would cost: the best within the other limit, or
   * the best of all when both bind.
   */
  async #priced(noRoute: NoRoute, query: PlanQuery): Promise<NoRoute> {
    const { randomize: _, ...plain } = this.#routeQuery(query);
    const relaxed: RouteQuery[] = [
      { ...plain, maxfeeMsat: NO_FEE_LIMIT },
      { ...plain, maxdelay: NO_DELAY_LIMIT },
      { ...plain, maxfeeMsat: NO_FEE_LIMIT, maxdelay: NO_DELAY_LIMIT },
    ];
    for (const candidate of relaxed) {
      const found = await this.#find(candidate, query);
      if ('routes' in found) return { ...noRoute, ...this.#excess(noRoute, query, found.routes) };
    }
    return { ...noRoute, error: 'routeNotFound' };
  }

  #excess(noRoute: NoRoute, query: PlanQuery, routes: readonly Route[]): Pick<NoRoute, 'message' | 'data'> {
    const { request, maxfeeMsat } = query;
    const fee = feeOf(routes);
    const delay = Math.max(...routes.map(({ path }) => path[0]!.cltvOut));
    const maxdelay = longestDelay(request);
    const excesses = [
      ...(fee > maxfeeMsat ? [`Fee exceeds our fee budget: ${fee}msat > ${maxfeeMsat}msat`] : []),
      ...(delay > maxdelay ? [`CLTV delay exceeds our CLTV budget: ${delay} > ${maxdelay}`] : []),
    ];
    return {
      message: excesses.join('; ') || noRoute.message,
      data: {
        fee,
        feepercent: percent(fee, request.amountMsat),
        delay,
        amount_msat: request.amountMsat,
        maxfee_msat: maxfeeMsat,
        maxdelay: request.maxdelay,
        ...noRoute.data,
      },
    };
  }
}

/** Blocks that the network would accept, and the caller. */
const longestDelay = ({ maxdelay }: PaymentRequest): number => Math.min(maxdelay, MAX_ROUTE_DELAY);

/** What routes cost together. */
export function feeOf(routes: readonly Route[]): Msat {
  return routes.reduce(
    (sum, { path }) => addMsat(sum, msat(path[0]!.amountOutMsat - path.at(-1)!.amountOutMsat)),
    msat(0n),
  );
}

/** To six digits after the point. */
function percent(part: bigint, whole: bigint): number {
  return Number((part * 100_000_000n) / whole) / 1e6;
}
