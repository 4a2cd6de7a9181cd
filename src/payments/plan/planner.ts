/**
 * Plans the routes to try next for a payment, or for the rest of it.
 *
 * The search applies four kinds of knowledge, and each one overrides the earlier ones: the exact state of our own
 * channels, what all payments learned (`auto.learned`, or the unmodified shared lessons if odds are not learned), the
 * caller's layers, and what this payment learned. So a node's refusal of this payment overrides everything else known
 * about the node.
 *
 * The search is randomised: the cost of every direction (fee + price of risk + price of delay) is scaled by
 * up to ±`SPREAD_PPM`. So not even a well-placed node sees every payment. In money: at 100,000 sat a typical route
 * costs about 50 sat, including risk and delay, so noise may change that cost by up to 18 sat. Measured over 1,000
 * seeds between fixed ends on the main network's graph (`npm run bench -- choice`): 8 to 156 different routes. More
 * than 95 % are no costlier than the choice without noise, and the costliest costs 2 sat more. No route is costlier
 * than the caller allows.
 *
 * Bounds from earlier attempts may be outdated, because money may have returned to a channel. So if lessons leave no
 * route for the first attempt of a payment, route-search.ts searches without the layers of lessons, except for probes
 * and rebalancing.
 *
 * Neither shadow nor noise ever makes a payment fail. If there is no route with the shadow, first its amount is
 * dropped, then its delay. If there is no route with noise, the engine searches with less noise.
 */
import type { RouteEngine } from '../../engine/host/engine.ts';
import type { RemedyRules } from '../../engine/question/remedy-rules.ts';
import type { Route, RouteQuery } from '../../engine/question/route.ts';
import { AUTOMATIC } from '../../layers/automatic.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { FulguriteError } from '../../model/errors.ts';
import { msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { LearnedBeliefs } from '../learn/learned-beliefs.ts';
import { SHARED_LAYER } from '../learn/learning.ts';
import type { PathOdds } from '../learn/path-odds.ts';
import type { PaymentRequest, ShadowOffset } from '../payment.ts';
import { bestBeyond } from './best-beyond.ts';
import { CIRCLE_END, circled } from './circle.ts';
import { discounted } from './inbound-discounts.ts';
import { longestDelay } from './limits.ts';
import { errorOfNoPlan, type NoPlan, noPlanOf } from './no-plan.ts';
import type { PlanQuery } from './plan-query.ts';
import type { Purse } from './purse.ts';
import { hopsThatFit, recipientOf } from './recipient.ts';
import { remedyRules } from './remedy.ts';
import { delayOf, feeOf, priceMsatOf } from './route-cost.ts';
import { draws, NO_SHADOW, shadowOffset } from './shadow.ts';
import { SharedNodeIds } from './shared-node-ids.ts';

/** Layers of our own channels: their balances are known exactly, and sending over them costs us nothing. */
const OUR_LAYERS = [AUTOMATIC.localchans.name, AUTOMATIC.sourcefree.name];
/** Layers of the channels of several nodes. If `sourcefree` is added, the nodes' prices do not count. */
const PURSE_LAYERS = [AUTOMATIC.localchans.name, AUTOMATIC.purse.name];
/** Maximum noise of a search: costs are scaled by up to ±35 %. */
const SPREAD_PPM = 350_000;
/**
 * An odd 64-bit constant (from the golden ratio). Its multiples are well spread, so successive attempts get unrelated
 * seeds.
 */
const SEED_STEP = 0x9e37_79b9_7f4a_7c15n;
/**
 * Parts smaller than a thousandth of the payment are avoided if fewer parts cost only slightly more. Each part uses up
 * an HTLC, and the payment is not complete until all parts have arrived.
 */
const MAX_TIMES_A_PART = 1_000n;
/** Fewer parts are preferred if their price is at most this multiple of the price of the best routes. */
const PRICE_OF_FEWER = 1.01;
/** Maximum number of times that a search is repeated because a worker crashed. */
const MAX_DEATHS = 3;

/**
 * The result of a search. `probabilityPpm` is the probability that all routes together succeed, in parts per million.
 */
export type Search =
  | {
      readonly routes: readonly Route[];
      readonly probabilityPpm: number;
      /** The search's own estimate, if `probabilityPpm` is learned. Only this estimate makes a payment give up. */
      readonly searchedPpm?: number;
      /** Layers of lessons that the search ignored, because they left no route. Undefined if there are none. */
      readonly disregardedLayers?: readonly string[];
    }
  | { readonly noPlan: NoPlan };

/** What a planner needs from other parts of the program. */
export interface PlannerOptions {
  readonly engine: Pick<RouteEngine, 'getroutes'>;
  readonly graph: () => ChannelGraph;
  readonly ourId: NodeId;
  /** Present if we have several nodes. */
  readonly purse?: Purse | undefined;
  /** Predicts the odds of routes. Default: the search's own estimates are used. */
  readonly odds?: Pick<PathOdds, 'restated'> | undefined;
  /** Keeps the layer `auto.learned` up to date. Default: searches use the shared lessons unmodified. */
  readonly beliefs?: Pick<LearnedBeliefs, 'refresh'> | undefined;
  /** Names of the layers with what our attached node itself learned. Default: none. */
  readonly nodeLayers?: () => readonly string[];
}

/** Queries the route engine on behalf of a payment. It keeps no state between searches. */
export class Planner {
  readonly #engine: PlannerOptions['engine'];
  readonly #graph: () => ChannelGraph;
  readonly #ourId: NodeId;
  readonly #purse: Purse | undefined;
  readonly #odds: PlannerOptions['odds'];
  readonly #beliefs: PlannerOptions['beliefs'];
  readonly #nodeLayers: () => readonly string[];
  readonly #nodeIds = new SharedNodeIds();

  constructor({ engine, graph, ourId, purse, odds, beliefs, nodeLayers = () => [] }: PlannerOptions) {
    this.#beliefs = beliefs;
    this.#nodeLayers = nodeLayers;
    this.#engine = engine;
    this.#graph = graph;
    this.#ourId = ourId;
    this.#purse = purse;
    this.#odds = odds;
  }

  /** Names of the layers that contain what all payments, and our attached node itself, learned. */
  get learnedLayers(): readonly string[] {
    const ofOurs = this.#beliefs === undefined ? SHARED_LAYER : AUTOMATIC.learned.name;
    return [ofOurs, ...this.#nodeLayers()];
  }

  /** The initial shadow of a payment. Our own peers get none, because the HTLC itself reveals everything to them. */
  shadowFor(request: PaymentRequest, isPeer: boolean): ShadowOffset {
    const { finalCltv, shadow } = recipientOf(request);
    if (!request.useShadow || isPeer || shadow === 'none') return NO_SHADOW;
    const { amountMsat, maxfeeMsat, maxdelay } = request;
    const limits = { amountMsat, maxfeeMsat, maxdelay, finalCltv };
    const offset = shadowOffset(this.#graph(), request.destination, limits, draws(request.seed));
    return shadow === 'delay' ? { ...offset, amountMsat: NO_SHADOW.amountMsat } : offset;
  }

  /**
   * Searches for routes. If there are none, resolves to the reason.
   * @param isLast whether nothing else will be tried if the search fails, so that it also looks for a remedy
   * @throws FulguriteError shuttingDown when the service is stopping
   */
  async search(query: PlanQuery, isLast: boolean): Promise<Search> {
    this.#beliefs?.refresh();
    return (await this.#byPrice(query)) ?? this.#inParts(query, isLast);
  }

  /**
   * Searches with prices that make some nodes costlier than others. Prices are never paid, so the fee limit of the
   * search is raised by the maximum price, and routes whose real fees exceed the payment's limit are rejected.
   * Undefined if there are no prices, or no route is found with them: prices never make a payment fail.
   */
  async #byPrice(query: PlanQuery): Promise<Search | undefined> {
    const purse = this.#purse;
    purse?.refresh();
    if (purse === undefined || !purse.hasPrices) return undefined;
    const { maxfeeMsat, amountMsat } = query;
    const wider = msat(maxfeeMsat + purse.mostPriceMsat(amountMsat + maxfeeMsat));
    const found = await this.#inParts({ ...query, maxfeeMsat: wider, countsPrices: true }, false);
    if (!('routes' in found)) return undefined;
    return feeOf(found.routes) <= maxfeeMsat ? found : undefined;
  }

  async #inParts(query: PlanQuery, isLast: boolean): Promise<Search> {
    const found = await this.#find(this.#routeQuery(query), query, isLast && remedyRules(query));
    if (!('routes' in found)) return found;
    const isLarge = ({ amountMsat }: Route): boolean => amountMsat * MAX_TIMES_A_PART >= query.amountMsat;
    const maxparts = found.routes.filter(isLarge).length;
    if (maxparts === found.routes.length || maxparts === 0) return found;
    const inFewer = await this.#find(this.#routeQuery({ ...query, maxparts }), query);
    if (!('routes' in inFewer)) return found;
    const { amountMsat, knobs } = query;
    const priceMsat = priceMsatOf(found, amountMsat, knobs);
    return priceMsatOf(inFewer, amountMsat, knobs) <= PRICE_OF_FEWER * priceMsat ? inFewer : found;
  }

  /**
   * If a last search failed because of the fee or delay limit, adds the cost of the routes that exceed the limits
   * least. If there are no such routes, for instance because another payment has reserved the channels since, returns
   * the reason why there is no route even without limits. Returns any other reason unchanged.
   */
  async explained(noPlan: NoPlan, query: PlanQuery): Promise<NoPlan> {
    if (noPlan.kind !== 'noRoute' || errorOfNoPlan(noPlan) !== 'routeTooExpensive') return noPlan;
    const { randomize: _, ...plain } = this.#routeQuery(query);
    let latest: NoPlan = noPlan;
    const best = await bestBeyond(plain, noPlan.noRoute.remedy, async (relaxed) => {
      const found = await this.#find(relaxed, query);
      if ('routes' in found) return found.routes;
      latest = found.noPlan;
      return undefined;
    });
    // The last of these searches had no limits.
    if (best === undefined) return latest;
    const { maxfeeMsat } = query;
    return { ...noPlan, best: { feeMsat: feeOf(best), delayBlocks: delayOf(best), maxfeeMsat } };
  }

  #routeQuery({
    request,
    amountMsat,
    maxfeeMsat,
    shadow,
    maxparts,
    round,
    privateLayers,
    countsPrices = false,
    disregardsLearned = false,
  }: PlanQuery): RouteQuery {
    const seed = BigInt.asUintN(64, request.seed + BigInt(round) * SEED_STEP);
    const { routeEnd, finalCltv } = recipientOf(request);
    const free = countsPrices ? [] : [AUTOMATIC.sourcefree.name];
    return {
      source: this.#purse?.id ?? this.#ourId,
      destination: request.circle === undefined ? routeEnd : CIRCLE_END,
      amountMsat,
      layers: [
        ...(this.#purse === undefined ? OUR_LAYERS : [...PURSE_LAYERS, ...free]),
        ...(disregardsLearned ? [] : this.learnedLayers),
        ...request.layers,
        ...privateLayers,
      ],
      maxfeeMsat,
      finalCltv: finalCltv + shadow.delayBlocks,
      maxdelay: longestDelay(request.maxdelay),
      maxparts,
      ...(request.randomize && { randomize: { seed, spreadPpm: SPREAD_PPM } }),
    };
  }

  async #find(
    query: RouteQuery,
    { request, maxparts, asker, closedNodes, knobs, discounts = true }: PlanQuery,
    remedies: RemedyRules | false = false,
  ): Promise<Search> {
    const purse = this.#purse;
    // The hop from the purse to a node takes no room in an onion.
    const maxhops = hopsThatFit(request, maxparts > 1) + (purse === undefined ? 0 : 1);
    for (let deaths = 0; ; deaths++) {
      try {
        const answer = await this.#engine.getroutes(query, {
          maxhops,
          remedies,
          ...(knobs && { knobs }),
          ...asker,
        });
        const shared = answer.routes.map((route) => this.#nodeIds.in(route));
        const own = purse === undefined ? shared : purse.stripped(shared);
        const { circle, layers } = request;
        const whole = circle === undefined ? own : circled(own, circle, this.#ourId);
        const routes = discounts ? this.#discounted(whole) : whole;
        const searchedPpm = answer.probabilityPpm;
        if (this.#odds === undefined) return { routes, probabilityPpm: searchedPpm };
        const restated = this.#odds.restated(routes, layers);
        return { routes: restated.routes, probabilityPpm: restated.probabilityPpm, searchedPpm };
      } catch (error) {
        if (!(error instanceof FulguriteError) || error.name === 'shuttingDown') throw error;
        if (error.name === 'workerDied' && deaths < MAX_DEATHS) continue;
        const noPlan = noPlanOf(error);
        return { noPlan: purse === undefined ? noPlan : purse.withShares(noPlan, closedNodes) };
      }
    }
  }

  #discounted(routes: readonly Route[]): readonly Route[] {
    const graph = this.#graph();
    return graph.hasInboundDiscounts ? routes.map((route) => discounted(route, graph)) : routes;
  }
}
