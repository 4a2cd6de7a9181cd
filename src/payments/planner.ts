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
 * and the dearest by 2 sat; never dearer than the caller allows. When no route fits with the shadow, its money
 * is dropped, then its delay, and when none fits with noise, the search falls back to less (engine): neither ever fails a payment.
 */
import type { RouteEngine, RouteOptions } from '../engine/engine.ts';
import type { Route, RouteQuery } from '../engine/route.ts';
import type { RemedyRules } from '../engine/route-outcome.ts';
import { AUTOMATIC } from '../layers/automatic.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { type ErrorName, FulguriteError } from '../model/errors.ts';
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import { bestBeyond, excessOf } from './best-beyond.ts';
import { FINAL_CLTV_BLOCKS, longestDelay } from './budget.ts';
import { hopsThatFit } from './final-payload.ts';
import { SHARED_LAYER } from './learning.ts';
import type { PaymentRequest, ShadowOffset } from './payment.ts';
import { inCallersWords, remedyRules } from './remedy.ts';
import { draws, NO_SHADOW, shadowOffset } from './shadow.ts';

/** Our own channels are known exactly, and sending over them costs us nothing. */
const OUR_LAYERS = [AUTOMATIC.localchans.name, AUTOMATIC.sourcefree.name];
/** 35 % either way. */
const SPREAD_PPM = 350_000;
/** Odd 64-bit constant (golden ratio): seeds of successive attempts share no bits to speak of. */
const SEED_STEP = 0x9e37_79b9_7f4a_7c15n;
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
  readonly asker: QueuePlace;
}

/** For whom a search is, as the route engine's queue wants to know it. */
export type QueuePlace = Pick<RouteOptions, 'lane' | 'client'>;

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

  /**
   * Never rejects because there is no route; that is an answer.
   * @param isLast whether there is nothing else to try: then what would help is found out too
   */
  search(query: PlanQuery, isLast: boolean): Promise<Search> {
    return this.#find(this.#routeQuery(query), query, isLast && remedyRules(query));
  }

  /** Of a last search that failed: in its caller's words, and with what the best route beyond the limits would cost. */
  async explained(noRoute: NoRoute, query: PlanQuery): Promise<NoRoute> {
    return inCallersWords(await this.#priced(noRoute, query), query);
  }

  async #priced(noRoute: NoRoute, query: PlanQuery): Promise<NoRoute> {
    if (noRoute.error !== 'routeTooExpensive') return noRoute;
    const { randomize: _, ...plain } = this.#routeQuery(query);
    const best = await bestBeyond(plain, noRoute, async (relaxed) => {
      const found = await this.#find(relaxed, query);
      return 'routes' in found ? found.routes : undefined;
    });
    if (best === undefined) return { ...noRoute, error: 'routeNotFound' };
    return { ...noRoute, ...excessOf(noRoute, query, best) };
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
      layers: [...OUR_LAYERS, SHARED_LAYER, ...request.layers, ...privateLayers],
      maxfeeMsat,
      finalCltv: FINAL_CLTV_BLOCKS + shadow.delayBlocks,
      maxdelay: longestDelay(request.maxdelay),
      maxparts,
      ...(request.randomize && { randomize: { seed, spreadPpm: SPREAD_PPM } }),
    };
  }

  async #find(
    query: RouteQuery,
    { request, maxparts, asker }: PlanQuery,
    remedies: RemedyRules | false = false,
  ): Promise<Search> {
    const maxhops = hopsThatFit(request.extraTlvs, maxparts > 1);
    for (let deaths = 0; ; deaths++) {
      try {
        return await this.#engine.getroutes(query, { maxhops, remedies, ...asker });
      } catch (error) {
        if (!(error instanceof FulguriteError) || error.name === 'shuttingDown') throw error;
        if (error.name === 'workerDied' && deaths < MAX_DEATHS) continue;
        return { noRoute: { error: error.name, message: error.message, data: error.data ?? {} } };
      }
    }
  }
}
