/**
 * Chooses the routes that a payment tries next. The shadow is kept as long as there is a route with it. A keysend is
 * sent in one part if possible, because most recipients refuse it in several. A failed route is not tried again while
 * nothing has changed, unless its failure could not be decrypted. If lessons of earlier payments leave no route for the
 * first attempt, the payment uses only its own lessons, except for probes and rebalancing.
 */
import { addMsat, type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import { directionFrom, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import { type PrivateLayer, routeKey } from '../learn/learning.ts';
import type { Attempt, Payment, ShadowOffset } from '../payment.ts';
import type { Pauses } from '../send/pauses.ts';
import type { Services } from '../services.ts';
import { openCircle } from './circle.ts';
import { useRouteHints } from './hints.ts';
import { leavingAtOnce } from './htlc-room.ts';
import type { PlanQuery, QueuePlace } from './plan-query.ts';
import type { Search } from './planner.ts';
import { isKeysend, partsAllowed, takesParts, useBlindedTails } from './recipient.ts';
import { feeOf } from './route-cost.ts';
import { lighterThan, NO_SHADOW } from './shadow.ts';

/**
 * Maximum number of concurrent parts, if they can carry the amount. More parts would cost more fees, and recipients wait
 * for all parts only for a limited time.
 */
const USUAL_PARTS = 16;
/** Maximum number of concurrent parts if fewer cannot carry the amount. `getroutes` has the same default. */
const MAX_PARTS = 100;
/** Refusals that more parts may overcome. */
const MORE_PARTS_MAY_HELP: ReadonlySet<string> = new Set(['partsLimit', 'limits', 'effort']);
/**
 * Maximum number of times that a search is repeated because it returned a failed route. Each repetition excludes one
 * more direction.
 */
const MAX_REPEATS = 20;

/** Maximum number of attempts over the same route if their failures cannot be decrypted. */
const MAX_UNREAD = 3;
/** Joint probability of routes, in ppm, below which they are tried only if the payment has made no attempt: 0.1 %. */
const MIN_ODDS_PPM = 1_000;

/** Failures with which a node demands a larger fee or amount. */
const WANTED_MORE: ReadonlySet<string | undefined> = new Set(['fee_insufficient', 'amount_below_minimum']);

/** Terms of a channel from one of our nodes to another. The sender of a payment charges itself nothing. */
const NO_FEES = { feeBaseMsat: 0n, feeProportionalMillionths: 0, cltvExpiryDelta: 0 };

interface SearchOfQuery {
  readonly search: Search;
  readonly query: PlanQuery;
}

/** Whether there may be routes with more parts. */
const mayNeedMoreParts = (search: Search): boolean =>
  'noPlan' in search &&
  search.noPlan.kind === 'noRoute' &&
  MORE_PARTS_MAY_HELP.has(search.noPlan.noRoute.binding.kind);

/** Searches for the routes of one payment, and remembers which routes failed. */
export class RouteSearch {
  readonly #services: Services;
  readonly #payment: Payment;
  readonly #layer: PrivateLayer;
  readonly #pauses: Pauses;
  readonly #asker: QueuePlace;
  /** Keys of routes that failed and must not be used again while nothing else has changed. */
  readonly #spent = new Set<string>();
  /** Number of failures that could not be decrypted, by route key. */
  readonly #unread = new Map<string, number>();
  /** Our nodes that must not send this payment. */
  readonly #leftOut = new Set<NodeId>();
  /** Our nodes that the next search must not use. */
  readonly #closed = new Set<NodeId>();
  #shadow = NO_SHADOW;
  #disregardsLearned = false;

  constructor(services: Services, payment: Payment, layer: PrivateLayer, pauses: Pauses, asker: QueuePlace) {
    this.#services = services;
    this.#payment = payment;
    this.#layer = layer;
    this.#pauses = pauses;
    this.#asker = asker;
  }

  get shadow(): ShadowOffset {
    return this.#shadow;
  }

  /** Whether the payment uses only its own lessons, because the lessons of all payments left no route. */
  get disregardsLearned(): boolean {
    return this.#disregardsLearned;
  }

  /** Makes the payment use only its own lessons from now on. */
  disregardLearned(): void {
    this.#disregardsLearned = true;
  }

  /**
   * Prepares searches: chooses the shadow, and fills the private layer with what applies only to this payment, such as
   * its route hints.
   */
  begin(): void {
    const { network, graph, planner, book, purse } = this.#services;
    const payment = this.#payment;
    const { request } = payment;
    const isPeer = network.ownChannels().channels.some(({ peerId }) => peerId === request.destination);
    const shadow = planner.shadowFor(request, isPeer);
    const castMsat = msat(payment.totalMsat - request.amountMsat);
    this.#cast(this.#isWorn ? { ...shadow, amountMsat: castMsat } : shadow);
    const maxparts = takesParts(payment) ? partsAllowed(payment, network, MAX_PARTS) : 1;
    const isOurs = (nodeId: NodeId): boolean =>
      nodeId === network.identity.nodeId || purse?.nodes.byId(nodeId) !== undefined;
    if (request.circle === undefined) {
      useRouteHints(book, graph(), () => this.#layer.layer, payment, maxparts, isOurs);
    }
    useBlindedTails(book, () => this.#layer.layer, payment);
    for (const excluded of request.exclude ?? []) this.#exclude(excluded);
    for (const { nodeId } of purse?.excludedFrom(request) ?? []) this.#leftOut.add(nodeId);
    if (request.isTransfer === true) this.#openWayTo(request.destination);
    if (request.circle !== undefined) {
      const { channels } = network.ownChannels();
      openCircle(book, this.#layer.layer, network.identity.nodeId, channels, request.circle);
    }
  }

  /**
   * Begins again without the lessons of this payment, after a wait for what it lacked. Call it only while none of the
   * payment's parts are in flight.
   */
  restart(): void {
    this.#layer.remove();
    if (this.#payment.attempts.length === 0) this.#disregardsLearned = false;
    this.#spent.clear();
    this.#unread.clear();
    this.#closed.clear();
    this.begin();
  }

  /** Opens a way to one of our nodes, over its channels that are usable now, so that routes can end at this node. */
  #openWayTo(nodeId: NodeId): void {
    const { purse, book } = this.#services;
    const node = purse?.nodes.byId(nodeId);
    for (const { peerId, shortChannelId, usable } of node?.port.ownChannels().channels ?? []) {
      if (!usable || shortChannelId === undefined) continue;
      const into = { shortChannelId, direction: directionFrom(peerId, nodeId) };
      const isOurs = purse!.nodes.byId(peerId) !== undefined;
      book.updateChannel(this.#layer.layer, into, { enabled: true, ...(isOurs && NO_FEES) });
    }
  }

  /**
   * Excludes the node that sent this attempt from all further searches, because the node refuses the payment or does
   * not respond.
   * @returns whether another of our nodes may still send the payment. False if we have a single node, or if the node
   *   reported that the invoice was paid, or is being paid, elsewhere.
   */
  leaveOut({ path, failure }: Attempt): boolean {
    const { purse } = this.#services;
    const cause = failure?.notSent?.kind === 'byNode' ? failure.notSent.cause : undefined;
    if (purse === undefined || cause === 'paidElsewhere' || cause === 'underWayElsewhere') return false;
    this.#leftOut.add(path[0]!.nodeIdIn);
    return purse.nodes.list.some(({ nodeId }) => !this.#leftOut.has(nodeId));
  }

  /** Limits searches to our nodes that are not left out and, if `only` is given, are in it. */
  #openNodes(only?: ReadonlySet<NodeId>): void {
    const { purse, book } = this.#services;
    for (const { nodeId } of purse?.nodes.list ?? []) {
      const enabled = !this.#leftOut.has(nodeId) && (only === undefined || only.has(nodeId));
      if (enabled === !this.#closed.has(nodeId)) continue;
      if (enabled) this.#closed.delete(nodeId);
      else this.#closed.add(nodeId);
      book.updateChannel(this.#layer.layer, purse!.directionTo(nodeId)!, { enabled });
    }
  }

  #exclude(excluded: NodeId | ShortChannelIdDir): void {
    const { book } = this.#services;
    if (typeof excluded === 'string') book.disableNode(this.#layer.layer, excluded);
    else book.updateChannel(this.#layer.layer, excluded, { enabled: false });
  }

  /** Records that the route of this attempt failed and must not be tried again. */
  spend({ path }: Attempt): void {
    this.#spent.add(routeKey(path));
  }

  /**
   * Records that this attempt's failure could not be decrypted. Since that reveals little about the route, the route
   * may be tried again a few times if no other is left.
   */
  doubt({ path }: Attempt): void {
    const key = routeKey(path);
    const times = (this.#unread.get(key) ?? 0) + 1;
    this.#unread.set(key, times);
    if (times >= MAX_UNREAD) this.#spent.add(key);
  }

  /** Forgets the failed routes, because something has changed and they may now work. */
  forgive(): void {
    this.#spent.clear();
  }

  /**
   * Finds routes for the amount that is not in flight yet. If a search returns a route that failed before, one of its
   * directions is excluded and the search is repeated.
   */
  async next(remainingMsat: Msat): Promise<Search> {
    for (let repeats = 0; ; repeats++) {
      const search = await this.#withShadow(remainingMsat);
      if ('noPlan' in search || this.#pauses.isEnded) return search;
      const probabilityPpm = search.searchedPpm ?? search.probabilityPpm;
      if (probabilityPpm < MIN_ODDS_PPM && this.#payment.attempts.length > 0)
        return { noPlan: { kind: 'unlikely', probabilityPpm, leastPpm: MIN_ODDS_PPM } };
      const repeated = search.routes.find(({ path }) => this.#spent.has(routeKey(path)));
      if (repeated === undefined) return search;
      if (repeats >= MAX_REPEATS) return { noPlan: { kind: 'tried' } };
      const of = repeated.path.at(-1 - (repeats % repeated.path.length))!.shortChannelIdDir;
      this.#services.learning.learn([{ kind: 'avoidDirection', of }], this.#layer, undefined);
    }
  }

  /** Whether parts with the shadow are in flight or have arrived, so that its amount must not change any more. */
  get #isWorn(): boolean {
    return this.#payment.attempts.some(({ status }) => status !== 'failed');
  }

  /**
   * Searches with the current shadow first, then without its amount, then also without its delay, and last, if
   * permitted, without the lessons of all payments. The shadow is not changed while parts with it are in flight or have
   * arrived.
   */
  async #withShadow(remainingMsat: Msat): Promise<Search> {
    const payment = this.#payment;
    const isWorn = this.#isWorn;
    for (;;) {
      // If every earlier attempt failed, the whole amount must be sent, including the shadow amount.
      const lighter = isWorn ? undefined : lighterThan(this.#shadow);
      const amountMsat = isWorn ? remainingMsat : payment.totalMsat;
      const isLast = lighter === undefined && !this.#mayDisregardLearned();
      const { search, query } = await this.#wholeOrParts(amountMsat, isLast);
      if (!('noPlan' in search)) return this.#withDisregarded(search);
      if (lighter !== undefined) this.#cast(lighter);
      else if (isLast || search.noPlan.kind !== 'noRoute')
        return { noPlan: await this.#services.planner.explained(search.noPlan, query) };
      else this.disregardLearned();
    }
  }

  /**
   * Whether to search without the lessons of all payments: only if the payment has made no attempt, and the layers of
   * these lessons contain channels, so that they may be the reason for having no route. Probes and rebalancing do not
   * try routes that are likely to fail.
   */
  #mayDisregardLearned(): boolean {
    const { attempts, request } = this.#payment;
    if (this.#disregardsLearned || attempts.length > 0) return false;
    if (request.kind === 'probe' || request.circle !== undefined) return false;
    const { planner, book } = this.#services;
    return planner.learnedLayers.some((name) => {
      const id = book.layerIdByName(name);
      if (id === undefined) return false;
      const [first] = book.cells(id).channelIds;
      return first !== undefined;
    });
  }

  #withDisregarded(search: Exclude<Search, { readonly noPlan: unknown }>): Search {
    if (!this.#disregardsLearned) return search;
    return { ...search, disregardedLayers: this.#services.planner.learnedLayers };
  }

  #cast(shadow: ShadowOffset): void {
    this.#shadow = shadow;
    this.#payment.totalMsat = addMsat(this.#payment.request.amountMsat, shadow.amountMsat);
  }

  /**
   * Searches for routes of at most the usual number of parts. The last search may use more if the usual number cannot
   * carry the amount, and so may any search while the usual number of parts is in flight. For a keysend, a single route
   * is preferred, and several are used only if no route can carry the whole amount.
   */
  async #wholeOrParts(amountMsat: Msat, isLast: boolean): Promise<SearchOfQuery> {
    const { learning, network } = this.#services;
    // Creates the shared layer if a client has removed it, because searches refer to it by name.
    learning.shared();
    const { attempts } = this.#payment;
    const inFlight = attempts.filter(({ status }) => status === 'sent');
    const left = (most: number): number => partsAllowed(this.#payment, network, most) - inFlight.length;
    if (!takesParts(this.#payment)) {
      return this.#fromAll(this.#query(amountMsat, inFlight, 1), inFlight, isLast);
    }
    const usual = left(USUAL_PARTS);
    const all = left(MAX_PARTS);
    const query = this.#query(amountMsat, inFlight, usual < 1 ? all : usual);
    const found = await this.#fromAll(query, inFlight, isLast);
    if (!isLast || query.maxparts === all || !mayNeedMoreParts(found.search)) return found;
    return this.#fromAll({ ...query, maxparts: all }, inFlight, isLast);
  }

  /** Searches for routes from our node, or from all our nodes if there are several. */
  async #fromAll(query: PlanQuery, inFlight: readonly Attempt[], isLast: boolean): Promise<SearchOfQuery> {
    if (this.#services.purse !== undefined) {
      return { search: await this.#fromOurNodes(query, inFlight, isLast), query };
    }
    return { search: await this.#wholeFirst(query, inFlight, isLast), query };
  }

  async #wholeFirst(asked: PlanQuery, inFlight: readonly Attempt[], isLast: boolean): Promise<Search> {
    const { planner } = this.#services;
    const query = this.#withNodes(asked);
    if (query.maxparts > 1 && isKeysend(query.request) && inFlight.length === 0) {
      const whole = await planner.search({ ...query, maxparts: 1 }, false);
      if (!('noPlan' in whole)) return whole;
    }
    return this.#inFewerHtlcs(query, await planner.search(query, isLast));
  }

  /**
   * If one of our channels would carry more parts than its peer accepts HTLCs, searches again with fewer parts. Keeps
   * the first result if this finds none: the node then refuses some parts, and their amount is searched for again.
   */
  async #inFewerHtlcs(query: PlanQuery, first: Search): Promise<Search> {
    const { planner, network } = this.#services;
    let found = first;
    while (!('noPlan' in found)) {
      const { routes } = found;
      if (routes.length < 2) return found;
      const maxparts = leavingAtOnce(routes, network.ownChannels().channels);
      if (maxparts === routes.length) return found;
      if (maxparts === 0) return first;
      found = await planner.search({ ...query, maxparts }, false);
    }
    return first;
  }

  /**
   * Searches for routes from several nodes of ours. A node that can only send whole payments is used only in searches
   * for one part. If all parts must leave from the same node, and none is in flight yet, each node is searched
   * separately, and the cheapest result is used.
   */
  async #fromOurNodes(query: PlanQuery, inFlight: readonly Attempt[], isLast: boolean): Promise<Search> {
    const purse = this.#services.purse!;
    const sending = new Set(inFlight.map(({ path }) => path[0]!.nodeIdIn));
    if (query.request.oneNode === true && sending.size === 0) return this.#fromOneNode(query, isLast);
    const only = query.request.oneNode === true ? sending : undefined;
    const whole = purse.onlyWhole(query.request);
    this.#openNodes(only);
    if (whole.length === 0) return this.#wholeFirst(query, inFlight, isLast);
    if (inFlight.length === 0) {
      const one = await this.#services.planner.search(this.#withNodes({ ...query, maxparts: 1 }), false);
      if (!('noPlan' in one)) return one;
    }
    const others = purse.nodes.list.filter((node) => !whole.includes(node)).map(({ nodeId }) => nodeId);
    this.#openNodes(new Set(others.filter((nodeId) => only?.has(nodeId) !== false)));
    return this.#wholeFirst(query, inFlight, isLast);
  }

  /** The query with the current private layer and closed nodes. */
  #withNodes(query: PlanQuery): PlanQuery {
    if (this.#services.purse === undefined) return query;
    return { ...query, privateLayers: this.#layer.names, closedNodes: new Set(this.#closed) };
  }

  async #fromOneNode(query: PlanQuery, isLast: boolean): Promise<Search> {
    const purse = this.#services.purse!;
    const whole = purse.onlyWhole(query.request);
    let best: Exclude<Search, { readonly noPlan: unknown }> | undefined;
    let refused: Search | undefined;
    for (const node of purse.nodes.list) {
      if (this.#leftOut.has(node.nodeId)) continue;
      this.#openNodes(new Set([node.nodeId]));
      const maxparts = whole.includes(node) ? 1 : query.maxparts;
      const found = await this.#wholeFirst({ ...query, maxparts }, [], isLast);
      if ('noPlan' in found) refused ??= found;
      else if (best === undefined || feeOf(found.routes) < feeOf(best.routes)) best = found;
    }
    if (best !== undefined) return best;
    this.#openNodes(new Set());
    return refused ?? this.#wholeFirst(query, [], isLast);
  }

  #query(amountMsat: Msat, inFlight: readonly Attempt[], maxparts: number): PlanQuery {
    const { request, attempts } = this.#payment;
    const spentMsat = inFlight.reduce(
      (sum, attempt) => sum + attempt.amountSentMsat - attempt.amountMsat,
      this.#shadow.amountMsat as bigint,
    );
    const leftMsat = request.maxfeeMsat - spentMsat;
    return {
      request,
      amountMsat,
      maxfeeMsat: msat(leftMsat > 0n ? leftMsat : 0n),
      shadow: this.#shadow,
      maxparts,
      round: attempts.length,
      privateLayers: this.#layer.names,
      disregardsLearned: this.#disregardsLearned,
      // A node that demanded more may not honour its announced discount.
      discounts: !attempts.some(
        ({ failure }) => failure !== undefined && WANTED_MORE.has(failure.failcodename),
      ),
      knobs: this.#services.trial?.knobsOf(this.#payment),
      asker: this.#asker,
    };
  }
}
