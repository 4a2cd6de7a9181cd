/**
 * The routes that one payment tries next: with its shadow while that leaves a way, whole where a keysend can go
 * whole, and never by a route that failed before when nothing has changed since.
 */
import { addMsat, type Msat, msat } from '../model/msat.ts';
import { useRouteHints } from './hints.ts';
import { type PrivateLayer, routeKey } from './learning.ts';
import type { Pauses } from './pauses.ts';
import type { Attempt, Payment, ShadowOffset } from './payment.ts';
import type { NoRoute, PlanQuery, QueuePlace, Search } from './planner.ts';
import type { Services } from './services.ts';
import { lighterThan, NO_SHADOW } from './shadow.ts';

/** Most parts at once; a recipient's patience and our fees both suffer from more. */
const MAX_PARTS = 16;
/** Searches that may in a row come up with a route that failed already, each time denied one more channel. */
const MAX_REPEATS = 20;

export class RouteSearch {
  readonly #services: Services;
  readonly #payment: Payment;
  readonly #layer: PrivateLayer;
  readonly #pauses: Pauses;
  readonly #asker: QueuePlace;
  /** Routes that failed and taught something: they must not come back while nothing else has changed. */
  readonly #spent = new Set<string>();
  #shadow = NO_SHADOW;

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

  /** What comes before the first search: the shadow is cast, and the route hints are put on the map. */
  begin(): void {
    const { network, graph, planner, book } = this.#services;
    const payment = this.#payment;
    const { request } = payment;
    const isPeer = network.ownChannels().channels.some(({ peerId }) => peerId === request.destination);
    this.#cast(planner.shadowFor(request, isPeer));
    const maxparts = payment.paymentSecret === undefined ? 1 : MAX_PARTS;
    useRouteHints(book, graph(), () => this.#layer.layer, payment, maxparts, network.identity.nodeId);
  }

  /** The route of an attempt that failed: not to be tried again. */
  spend({ path }: Attempt): void {
    this.#spent.add(routeKey(path));
  }

  /** Something has changed: routes that failed may do now. */
  forgive(): void {
    this.#spent.clear();
  }

  /** Routes for what is not yet on its way, none of which failed before; each that did costs it a channel. */
  async next(remainingMsat: Msat): Promise<Search> {
    for (let repeats = 0; ; repeats++) {
      const search = await this.#withShadow(remainingMsat);
      if ('noRoute' in search || this.#pauses.isEnded) return search;
      const repeated = search.routes.find(({ path }) => this.#spent.has(routeKey(path)));
      if (repeated === undefined) return search;
      if (repeats >= MAX_REPEATS) return { noRoute: NOTHING_NEW };
      const of = repeated.path.at(-1 - (repeats % repeated.path.length))!.shortChannelIdDir;
      this.#services.learning.learn([{ kind: 'avoidDirection', of }], this.#layer, undefined);
    }
  }

  /**
   * With as much of the shadow as leaves a route: without its money if need be, then without its delay; but as it is
   * when parts that wear it are under way or have arrived.
   */
  async #withShadow(remainingMsat: Msat): Promise<Search> {
    const payment = this.#payment;
    const isWorn = payment.attempts.some(({ status }) => status !== 'failed');
    for (;;) {
      // With nothing under way all of it is left, and how much that is depends on the shadow.
      const lighter = isWorn ? undefined : lighterThan(this.#shadow);
      const amountMsat = isWorn ? remainingMsat : payment.totalMsat;
      const { search, query } = await this.#wholeOrParts(amountMsat, lighter === undefined);
      if (!('noRoute' in search)) return search;
      if (lighter === undefined)
        return { noRoute: await this.#services.planner.explained(search.noRoute, query) };
      this.#cast(lighter);
    }
  }

  #cast(shadow: ShadowOffset): void {
    this.#shadow = shadow;
    this.#payment.totalMsat = addMsat(this.#payment.request.amountMsat, shadow.amountMsat);
  }

  /** A keysend goes in one part if any route carries it, and is split only otherwise. */
  async #wholeOrParts(amountMsat: Msat, isLast: boolean): Promise<{ search: Search; query: PlanQuery }> {
    const { planner } = this.#services;
    const { request, attempts, paymentSecret } = this.#payment;
    const inFlight = attempts.filter(({ status }) => status === 'sent');
    const maxparts = paymentSecret === undefined ? 1 : MAX_PARTS - inFlight.length;
    const query = { ...this.#query(amountMsat, inFlight), maxparts };
    if (maxparts > 1 && request.kind === 'keysend' && inFlight.length === 0) {
      const whole = await planner.search({ ...query, maxparts: 1 }, false);
      if (!('noRoute' in whole)) return { search: whole, query };
    }
    return { search: await planner.search(query, isLast), query };
  }

  #query(amountMsat: Msat, inFlight: readonly Attempt[]): Omit<PlanQuery, 'maxparts'> {
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
      round: attempts.length,
      privateLayers: this.#layer.names,
      asker: this.#asker,
    };
  }
}

const NOTHING_NEW: NoRoute = {
  error: 'routeNotFound',
  message: 'Only routes that failed already are left',
  data: { binding: { kind: 'tried' } },
};
