/**
 * The reference that omits nothing. On graphs of a handful of channels it walks every simple path.
 *
 * One part: it takes all feasible paths, and the Pareto front of (fee, probability) among them. This is
 * exact.
 *
 * Several parts: amounts are put onto the paths chunk by chunk, each chunk where it costs least. Then amounts
 * are moved between pairs of paths in ever smaller steps, until no move helps. Without base fees and HTLC
 * minimums the objective is convex, so this is the optimum up to the last step. Otherwise it is a good
 * answer, and no solver may be much worse.
 *
 * The objective in msat is fee + riskPriceMsatPerNat * (-ln P) + delayRate * (sum over hops of the amount
 * that crosses, times the direction's delay in blocks) + partPriceMsat for every part after the first. The
 * delay term is interest on money that may be locked.
 */

import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { msat, U64_MAX } from '../../src/model/msat.ts';
import { formatShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import type { DirectionLookup, PlainDirection } from './direction.ts';
import { amountInMsat, sourceFree } from './direction.ts';
import type { Fraction } from './fraction.ts';
import { compareFractions, nats, ONE, passProbability, times } from './fraction.ts';
import { crossings, MAXIMUM_HOPS, partsAllowed } from './referee.ts';

/** The prices of one nat of risk, of one msat locked for one block, and of each additional part, in msat. */
export interface Prices {
  readonly riskPriceMsatPerNat: number;
  readonly delayRate: number;
  readonly partPriceMsat: number;
}

export type Path = readonly PlainDirection[];

/** A path and its delivered amount. */
export interface Part {
  readonly path: Path;
  readonly deliveredMsat: bigint;
}

/** A feasible set of parts and its cost. */
export interface Priced {
  readonly parts: readonly Part[];
  readonly feeMsat: bigint;
  readonly probability: Fraction;
  /** Sum over hops of amount times delay. */
  readonly lockedMsatBlocks: number;
}

/** The directions as the query sees them: with automatic layers, and without disabled ones. */
export function usableDirections(directions: readonly PlainDirection[], query: RouteQuery): PlainDirection[] {
  const free = query.layers.includes('auto.sourcefree');
  return directions
    .filter((direction) => direction.enabled)
    .map((direction) => (free ? sourceFree(direction, query.source) : direction));
}

/** Every path from source to destination that visits no node twice and has at most 20 hops. */
export function simplePaths(
  directions: readonly PlainDirection[],
  source: string,
  destination: string,
): Path[] {
  const paths: Path[] = [];
  const visited = new Set<string>([source]);
  const walk = (at: string, path: Path): void => {
    if (at === destination) {
      paths.push(path);
      return;
    }
    if (path.length === MAXIMUM_HOPS) return;
    for (const direction of directions) {
      if (direction.source !== at || visited.has(direction.destination)) continue;
      visited.add(direction.destination);
      walk(direction.destination, [...path, direction]);
      visited.delete(direction.destination);
    }
  };
  walk(source, []);
  return paths;
}

const pathDelay = (path: Path) => path.reduce((sum, direction) => sum + direction.cltvExpiryDelta, 0);

/**
 * Fee, probability and delay of the parts together. `undefined` if they violate a rule other than the total.
 */
export function price(query: RouteQuery, parts: readonly Part[]): Priced | undefined {
  if (parts.length > partsAllowed(query)) return undefined;
  const sums = new Map<PlainDirection, bigint>();
  let feeMsat = 0n;
  let lockedMsatBlocks = 0;
  for (const { path, deliveredMsat } of parts) {
    if (query.finalCltv + pathDelay(path) > query.maxdelay) return undefined;
    let amount = deliveredMsat;
    for (let index = path.length - 1; index >= 0; index--) {
      const direction = path[index]!;
      if (amount < direction.htlcMinimumMsat || amount > direction.htlcMaximumMsat) return undefined;
      const sum = (sums.get(direction) ?? 0n) + amount;
      if (sum > direction.maximumMsat) return undefined;
      sums.set(direction, sum);
      lockedMsatBlocks += Number(amount) * direction.cltvExpiryDelta;
      amount = amountInMsat(direction, amount);
    }
    feeMsat += amount - deliveredMsat;
  }
  if (feeMsat > query.maxfeeMsat) return undefined;
  let probability = ONE;
  for (const [direction, sum] of sums) probability = times(probability, passProbability(direction, sum));
  return { parts, feeMsat, probability, lockedMsatBlocks };
}

/** The objective in msat, infinite if the probability is 0. */
export function objectiveMsat(priced: Priced, prices: Prices): number {
  const risk = prices.riskPriceMsatPerNat * nats(priced.probability);
  const furtherParts = prices.partPriceMsat * (priced.parts.length - 1);
  return Number(priced.feeMsat) + risk + prices.delayRate * priced.lockedMsatBlocks + furtherParts;
}

/** Every feasible answer of one part. */
export function singleParts(directions: readonly PlainDirection[], query: RouteQuery): Priced[] {
  return simplePaths(usableDirections(directions, query), query.source, query.destination)
    .map((path) => price(query, [{ path, deliveredMsat: query.amountMsat }]))
    .filter((priced) => priced !== undefined);
}

const dominates = (a: Priced, b: Priced) => {
  const byProbability = compareFractions(a.probability, b.probability);
  return a.feeMsat <= b.feeMsat && byProbability >= 0 && (a.feeMsat < b.feeMsat || byProbability > 0);
};

/**
 * The Pareto front: the answers that are not dominated. One answer dominates a second if it is better in fee or
 * probability, and not worse in the other.
 */
export function paretoFront(answers: readonly Priced[]): Priced[] {
  return answers.filter((answer) => !answers.some((other) => dominates(other, answer)));
}

/**
 * An answer, priced as the references do. @throws Error if it uses an unknown direction or violates a rule.
 */
export function pricedAnswer(lookup: DirectionLookup, query: RouteQuery, answer: RouteAnswer): Priced {
  // Parts that cross the same direction share one object, although a lookup may create a new object for each
  // call.
  const found = new Map<string, PlainDirection>();
  const directionOf = (name: string): PlainDirection => {
    const direction = found.get(name) ?? lookup(name)!;
    found.set(name, direction);
    return direction;
  };
  const parts = answer.routes.map((route) => ({
    path: route.path.map((hop) => directionOf(formatShortChannelIdDir(hop.shortChannelIdDir))),
    deliveredMsat: route.amountMsat as bigint,
  }));
  const priced = price(query, parts);
  if (priced === undefined) throw new Error(`not feasible: ${[...crossings(answer).keys()].join(' ')}`);
  return priced;
}

/** Number of chunks in the first distribution. The smallest later step is the amount / 2^FINEST. */
const CHUNKS = 24n;
/** Number of chunks for amounts that nearly fill the paths. Tried only if nothing else fits. */
const FINE_CHUNKS = 300n;
const FINEST = 20;
/** Maximum number of rounds of moves for each step size. Each round strictly improves the objective. */
const ROUNDS_PER_STEP = 200;

/** Maximum number of parts over one path, if its HTLC maximum makes several useful. */
const MAX_COPIES = 6;
/**
 * Maximum weight of the fee that is tried if the fee limit is tight. Weights are doubled up to it, and then
 * bisected.
 */
const HEAVIEST_FEE = 2 ** 30;
const BISECTIONS = 8;

/**
 * The best answer of up to `maxparts` parts that `SplitSearch` finds. `undefined` if it finds none, which proves
 * nothing. If the fee limit is tight, its moves between pairs of paths get stuck. Then the limit is dropped and the
 * weight of the fee is increased until the answer is within the limit.
 */
export function bestSplit(
  directions: readonly PlainDirection[],
  query: RouteQuery,
  prices: Prices,
  mostCopies = MAX_COPIES,
): Priced | undefined {
  const usable = usableDirections(directions, query);
  const paths = simplePaths(usable, query.source, query.destination).flatMap((path) =>
    copies(path, query, mostCopies),
  );
  const weighted = (weight: number) => {
    const lighter = {
      riskPriceMsatPerNat: prices.riskPriceMsatPerNat / weight,
      delayRate: prices.delayRate / weight,
      partPriceMsat: prices.partPriceMsat / weight,
    };
    return new SplitSearch({ ...query, maxfeeMsat: msat(U64_MAX) }, lighter, paths).best();
  };
  const keepsCap = (amounts: readonly bigint[] | undefined): amounts is bigint[] =>
    amounts !== undefined && capped.cost(amounts) < Number.POSITIVE_INFINITY;
  const capped = new SplitSearch(query, prices, paths);
  const free = weighted(1);
  if (free === undefined) return undefined;
  if (keepsCap(free)) return merged(query, capped.priced(free)!);
  const starts = [capped.best()];
  let [light, heavy] = [1, 2];
  while (heavy < HEAVIEST_FEE && !keepsCap(weighted(heavy))) [light, heavy] = [heavy, heavy * 2];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = Math.sqrt(light * heavy);
    if (keepsCap(weighted(middle))) heavy = middle;
    else light = middle;
  }
  const kept = weighted(heavy);
  if (keepsCap(kept)) starts.push(capped.exchange(kept));
  const costs = starts.map((amounts) =>
    amounts === undefined ? Number.POSITIVE_INFINITY : capped.cost(amounts),
  );
  const least = Math.min(...costs);
  if (least === Number.POSITIVE_INFINITY) return undefined;
  return merged(query, capped.priced(starts[costs.indexOf(least)]!)!);
}

/** Joins parts over the same path as far as the HTLC maximum allows, smallest first. */
function merged(query: RouteQuery, priced: Priced): Priced {
  const parts = priced.parts.toSorted((a, b) => (a.deliveredMsat < b.deliveredMsat ? -1 : 1));
  for (const [index, part] of parts.entries()) {
    const other = parts.findIndex((candidate, at) => at > index && candidate.path === part.path);
    if (other === -1) continue;
    const joined = { path: part.path, deliveredMsat: part.deliveredMsat + parts[other]!.deliveredMsat };
    const rest = parts.filter((_, at) => at !== index && at !== other);
    const next = price(query, [...rest, joined]);
    if (next !== undefined) return merged(query, next);
  }
  return priced;
}

/** Copies of the path: as many as can be useful given its HTLC maximum. */
function copies(path: Path, query: RouteQuery, most: number): Path[] {
  let carries: bigint = query.amountMsat;
  let perHtlc: bigint = query.amountMsat;
  for (const direction of path) {
    if (direction.maximumMsat < carries) carries = direction.maximumMsat;
    if (direction.htlcMaximumMsat < perHtlc) perHtlc = direction.htlcMaximumMsat;
  }
  if (perHtlc === 0n) return [];
  // One more than needed for the delivered amount, because the path also carries fees.
  const useful = perHtlc === query.amountMsat ? 1 : Number(carries / perHtlc) + 1;
  return Array.from({ length: Math.min(useful, partsAllowed(query), most) }, () => path);
}

class SplitSearch {
  private readonly query: RouteQuery;
  private readonly prices: Prices;
  private readonly paths: readonly Path[];

  constructor(query: RouteQuery, prices: Prices, paths: readonly Path[]) {
    this.query = query;
    this.prices = prices;
    this.paths = paths;
  }

  priced(amounts: readonly bigint[]): Priced | undefined {
    const parts = this.paths
      .map((path, index) => ({ path, deliveredMsat: amounts[index]! }))
      .filter((part) => part.deliveredMsat > 0n);
    return price(this.query, parts);
  }

  /** Cost of an answer; infinite if it is not feasible. A probability of 0 is feasible, but worse than any other. */
  cost(amounts: readonly bigint[]): number {
    const priced = this.priced(amounts);
    if (priced === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(objectiveMsat(priced, this.prices), Number.MAX_VALUE);
  }

  /** The best result from several starting points. */
  best(): bigint[] | undefined {
    const starts = [this.layChunks(CHUNKS), this.layChunks(4n), this.bestSingle()];
    const packed = starts.some((start) => start !== undefined) ? undefined : this.layChunks(FINE_CHUNKS);
    const ends = [...starts, packed]
      .filter((start) => start !== undefined)
      .map((start) => this.exchange(start));
    const costs = ends.map((amounts) => this.cost(amounts));
    return ends[costs.indexOf(Math.min(...costs))];
  }

  /**
   * Distributes the amount in equal chunks. Each chunk goes onto the path that makes the whole answer
   * cheapest.
   */
  layChunks(chunks: bigint): bigint[] | undefined {
    const amounts = this.paths.map(() => 0n);
    const { amountMsat } = this.query;
    for (let chunk = 0n; chunk < chunks; chunk++) {
      const size = (amountMsat * (chunk + 1n)) / chunks - (amountMsat * chunk) / chunks;
      if (size === 0n) continue;
      let best = -1;
      let bestCost = Number.POSITIVE_INFINITY;
      for (let index = 0; index < amounts.length; index++) {
        amounts[index]! += size;
        const cost = this.cost(amounts);
        amounts[index]! -= size;
        if (cost < bestCost) [best, bestCost] = [index, cost];
      }
      if (best === -1) return undefined;
      amounts[best]! += size;
    }
    return amounts;
  }

  bestSingle(): bigint[] | undefined {
    const all = this.paths.map((_, chosen) =>
      this.paths.map((_, index) => (index === chosen ? (this.query.amountMsat as bigint) : 0n)),
    );
    const costs = all.map((amounts) => this.cost(amounts));
    const least = Math.min(...costs);
    return least === Number.POSITIVE_INFINITY ? undefined : all[costs.indexOf(least)];
  }

  /**
   * Moves amounts between pairs of paths while that helps: first whole parts, then steps that are halved each
   * time.
   */
  exchange(start: readonly bigint[]): bigint[] {
    const amounts = [...start];
    let cost = this.cost(amounts);
    for (let level = 0; level <= FINEST; level++) {
      const step = this.query.amountMsat / 2n ** BigInt(level);
      for (let round = 0; round < ROUNDS_PER_STEP; round++) {
        const improved = this.improveOnce(amounts, cost, step);
        if (improved === undefined) break;
        cost = improved;
      }
    }
    return amounts;
  }

  /**
   * Tries every pair once, and keeps each move that helps. Returns the new cost, or `undefined` if no move
   * helped.
   */
  private improveOnce(amounts: bigint[], cost: number, step: bigint): number | undefined {
    let now = cost;
    for (let from = 0; from < amounts.length; from++) {
      for (let to = 0; to < amounts.length; to++) {
        const moved = amounts[from]! < step ? amounts[from]! : step;
        if (from === to || moved === 0n) continue;
        amounts[from]! -= moved;
        amounts[to]! += moved;
        const next = this.cost(amounts);
        if (next < now) {
          now = next;
        } else {
          amounts[from]! += moved;
          amounts[to]! -= moved;
        }
      }
    }
    return now < cost ? now : undefined;
  }
}
