/**
 * Simulates a payment under current beliefs, to estimate its cost.
 *
 * A draw is one possible network: a random number u in [0, 1) for each direction, and v for each node. A hop carries
 * its amount y if u < P(balance ≥ y | what is known), and a node responds if v ≥ P(away). So within one draw, the same
 * attempt always has the same outcome. The payment runs as it really would: with the same searches, the same noise, and
 * the same lessons after each failure. Draws whose attempts fail at the same hops need the same next search, so each
 * search is made only once and shared.
 *
 *     fee(draw) of the draws that complete  ──▶  the fee limit that a share of them does not exceed
 */
import type { RouteHop } from '../../engine/question/route.ts';
import { directionKey } from '../../layers/cell.ts';
import { Draws } from '../../model/draws.ts';
import { type Msat, msat } from '../../model/msat.ts';
import { PrivateLayer, tryLess } from '../learn/learning.ts';
import type { KnownHop } from '../learn/odds-model.ts';
import type { Attempt, Payment, ShadowOffset } from '../payment.ts';
import type { QueuePlace } from '../plan/plan-query.ts';
import type { Search } from '../plan/planner.ts';
import { RouteSearch } from '../plan/route-search.ts';
import { Pauses } from '../send/pauses.ts';
import type { Services } from '../services.ts';

/** What is believed about the hops of paths. */
export interface HopBeliefs {
  /** What is known about the hops of a path that starts with a channel of our own. */
  known(path: readonly RouteHop[]): readonly KnownHop[];
  /** Probability that a hop's balance suffices for `hop.amount`, which is a share of its capacity. */
  balanceChance(hop: KnownHop): number;
  /** Probability that a node does not respond. */
  awayChance(node: KnownHop['to']): number;
}

/** What a simulation needs. */
export interface PlayOptions {
  readonly services: Services;
  readonly beliefs: HopBeliefs;
  /** A payment without attempts, which is never sent. */
  readonly payment: Payment;
  readonly asker: QueuePlace;
  readonly maxSearches: number;
}

/** The payment's fee in one draw, in msat, including the shadow amount. Undefined if it did not complete. */
export type PlayedFee = bigint | undefined;

const BALANCE = 1;
const AWAY = 2;
/** Maximum rounds of attempts in one draw. */
const MAX_ROUNDS = 12;

/**
 * One simulated attempt, and the index of the hop at which it failed. The index is undefined if the attempt arrived.
 */
interface PlayedRoute {
  readonly attempt: Attempt;
  readonly failedAt: number | undefined;
}

/** The result of a search, and the shadow that it used. */
interface PlayedSearch {
  readonly search: Search;
  readonly shadow: ShadowOffset;
}

/** Simulates one payment under one fee limit. */
export class QuotePlay {
  readonly #options: PlayOptions;
  readonly #found = new Map<string, PlayedSearch>();
  /** Whether the first search ignored the lessons of all payments. If so, all later searches ignore them too. */
  #disregardsLearned = false;

  constructor(options: PlayOptions) {
    this.#options = options;
  }

  /** The first search: the routes that the payment would try first. */
  async first(): Promise<PlayedSearch> {
    return (await this.#search('', []))!;
  }

  /** Simulates one draw. @param seed common seed of all draws @param draw number of the draw */
  async play(seed: bigint, draw: number): Promise<PlayedFee> {
    const network = new DrawnNetwork(this.#options.beliefs, new Draws(seed), draw);
    const history: PlayedRoute[] = [];
    let key = '';
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const found = await this.#search(key, history);
      if (found === undefined || 'noPlan' in found.search) return undefined;
      for (const { path, probabilityPpm } of found.search.routes) {
        const failedAt = network.failingHop(path);
        history.push({ attempt: this.#attempt(path, probabilityPpm, history.length, failedAt), failedAt });
        key += failedAt === undefined ? 's' : `${failedAt},`;
      }
      key += ';';
      if (history.slice(-found.search.routes.length).every(({ failedAt }) => failedAt === undefined)) {
        const sent = history.filter(({ failedAt }) => failedAt === undefined);
        const sum = (of: 'amountMsat' | 'amountSentMsat'): bigint =>
          sent.reduce((total, { attempt }) => total + attempt[of], 0n);
        return sum('amountSentMsat') - this.#options.payment.request.amountMsat;
      }
    }
    return undefined;
  }

  /** The search after these attempts. Undefined if the maximum number of searches was already made. */
  async #search(key: string, history: readonly PlayedRoute[]): Promise<PlayedSearch | undefined> {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const { services, payment: blank, asker, maxSearches } = this.#options;
    if (this.#found.size >= maxSearches) return undefined;
    const payment: Payment = { ...blank, attempts: history.map(({ attempt }) => attempt) };
    const layer = new PrivateLayer(services.book, `quote-${blank.id}`);
    const pauses = new Pauses(services.clock);
    try {
      const search = new RouteSearch(services, payment, layer, pauses, asker);
      search.begin();
      if (this.#disregardsLearned) search.disregardLearned();
      for (const { attempt, failedAt } of history) {
        this.#teach(attempt.path, failedAt, layer);
        if (failedAt !== undefined) search.spend(attempt);
      }
      const arriving = payment.attempts.filter(({ status }) => status === 'sent');
      const carriedMsat = arriving.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
      const found = {
        search: await search.next(msat(payment.totalMsat - carriedMsat)),
        shadow: search.shadow,
      };
      if (history.length === 0) this.#disregardsLearned = search.disregardsLearned;
      this.#found.set(key, found);
      return found;
    } finally {
      pauses.end();
      layer.remove();
    }
  }

  /** Learns the lessons that this outcome would teach a real payment, but only in the private layer. */
  #teach(path: readonly RouteHop[], failedAt: number | undefined, { layer }: PrivateLayer): void {
    const { book } = this.#options.services;
    for (const { shortChannelIdDir: of, amountOutMsat } of path.slice(1, failedAt ?? path.length)) {
      book.informChannel(layer, of, amountOutMsat, 'unconstrained');
    }
    const failed = failedAt === undefined ? undefined : path[failedAt];
    if (failed === undefined) return;
    book.informChannel(layer, failed.shortChannelIdDir, failed.amountOutMsat, 'constrained');
    tryLess(book, failed.shortChannelIdDir, failed.amountOutMsat, layer);
  }

  #attempt(
    path: readonly RouteHop[],
    probabilityPpm: number,
    partId: number,
    failedAt: number | undefined,
  ): Attempt {
    return {
      id: '',
      createdIndex: 0,
      partId,
      path,
      amountMsat: path.at(-1)!.amountOutMsat,
      amountSentMsat: path[0]!.amountOutMsat,
      probabilityPpm,
      height: 0,
      partOfSeveral: false,
      sessionKey: new Uint8Array(),
      createdAtMs: 0,
      status: failedAt === undefined ? 'sent' : 'failed',
      completedAtMs: undefined,
      updatedIndex: undefined,
      failure: undefined,
      learned: [],
    };
  }
}

/** One possible network, drawn lazily. */
class DrawnNetwork {
  readonly #beliefs: HopBeliefs;
  readonly #draws: Draws;
  readonly #draw: number;
  /** Shares of capacities locked by parts in flight, by direction. */
  readonly #held = new Map<bigint, number>();

  constructor(beliefs: HopBeliefs, draws: Draws, draw: number) {
    this.#beliefs = beliefs;
    this.#draws = draws;
    this.#draw = draw;
  }

  /** The index of the hop at which a part fails. Undefined if the part arrives; then its amounts stay locked. */
  failingHop(path: readonly RouteHop[]): number | undefined {
    const hops = this.#beliefs.known(path);
    const keys = path.map(({ shortChannelIdDir: of }) => directionKey(of.shortChannelId, of.direction));
    for (let index = 1; index < hops.length; index++) {
      const hop = hops[index]!;
      const key = keys[index]!;
      const amount = hop.amount + (this.#held.get(key) ?? 0);
      const u = this.#draws.uniformOf(BALANCE, key, this.#draw);
      if (u >= this.#beliefs.balanceChance({ ...hop, amount })) return index;
      const v = this.#draws.uniformOf(AWAY, nodeWord(hop.to), this.#draw);
      if (v < this.#beliefs.awayChance(hop.to)) return index;
    }
    for (const [index, hop] of hops.entries()) {
      const key = keys[index]!;
      this.#held.set(key, (this.#held.get(key) ?? 0) + hop.amount);
    }
    return undefined;
  }
}

/** The last 64 bits of a node id. */
const nodeWord = (node: KnownHop['to']): bigint => BigInt(`0x${node.slice(-16)}`);

/** The fee that a share `confidence` of the draws does not exceed. @param fees of the completing draws; not empty */
export function feeAtConfidence(fees: readonly bigint[], confidence: number): Msat {
  const sorted = [...fees].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return msat(sorted[Math.min(sorted.length - 1, Math.ceil(confidence * sorted.length) - 1)]!);
}
