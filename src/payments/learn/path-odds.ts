/** Applies the learned odds (odds-model.ts) to paths, given what is currently known about their channels. */
import type { Route, RouteHop } from '../../engine/question/route.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { arrived } from '../books/arrival.ts';
import type { Attempt } from '../payment.ts';
import { hopsUnder } from '../plan/known-hops.ts';
import { passingChance } from './balance-prior.ts';
import { commonLayers } from './learning.ts';
import { type AttemptEnd, blameOf, type KnownHop, type OddsModel } from './odds-model.ts';
import type { AttemptTime } from './settle-times.ts';

const MILLION = 1e6;

/** Routes, and the probability that all of them succeed, in ppm. */
interface StatedRoutes {
  readonly routes: readonly Route[];
  readonly probabilityPpm: number;
}

/** The odds of a path, split into their components. */
export interface OddsSplit {
  /** Probability that all balances suffice, by the learned priors. */
  readonly balances: number;
  /** Probability that all nodes respond and keep their stated terms. */
  readonly nodes: number;
  /** Probability that all balances suffice if they are uniformly distributed between their bounds. */
  readonly searched: number;
  /** Number of hops whose balance is unknown. */
  readonly unknownHops: number;
}

/** What predictions are computed from. */
export interface PathOddsOptions {
  readonly model: OddsModel;
  readonly book: LayerBook;
  readonly graph: () => ChannelGraph;
}

/** Predicts probabilities, and learns from finished attempts. */
export class PathOdds {
  readonly #options: PathOddsOptions;

  constructor(options: PathOddsOptions) {
    this.#options = options;
  }

  /**
   * What is known about the hops of a path that starts with a channel of our own.
   * @param names layers of the caller, which apply after the shared lessons
   */
  known(path: readonly RouteHop[], names: readonly string[]): KnownHop[] {
    const { book, graph } = this.#options;
    return hopsUnder(path, graph(), book, [...commonLayers(book), ...names]);
  }

  /** Probability, by the model, that the balance of a hop suffices. */
  balanceChance(hop: KnownHop): number {
    return this.#options.model.balanceChance(hop);
  }

  /** Probability, by the model, that a node is away. */
  awayChance(node: KnownHop['to']): number {
    return this.#options.model.awayChance(node);
  }

  /**
   * The components of a path's odds before correction. The balances of our own channels are known, but their peers may
   * not respond.
   */
  split(path: readonly RouteHop[], names: readonly string[]): OddsSplit {
    const all = this.known(path, names);
    const others = all.filter(({ isOwn }) => !isOwn);
    const product = (hops: readonly KnownHop[], of: (hop: KnownHop) => number): number =>
      hops.reduce((chance, hop) => chance * of(hop), 1);
    return {
      balances: product(others, (hop) => this.balanceChance(hop)),
      nodes: product(all, (hop) => this.#options.model.presentChance(hop)),
      searched: product(others, (hop) => passingChance({ kind: 'uniform' }, hop)),
      unknownHops: others.filter(({ least, most }) => least <= 0 && most >= 1).length,
    };
  }

  /** The probability that each hop of a path carries its amount. It is 1 for our own channels. */
  hopChances(path: readonly RouteHop[], names: readonly string[]): number[] {
    return this.known(path, names).map((hop) => (hop.isOwn ? 1 : this.#options.model.hopChance(hop)));
  }

  /**
   * The routes, with the probabilities of the model in place of those computed by the search.
   * @param names layers of the caller, which apply after the shared lessons
   */
  restated(found: readonly Route[], names: readonly string[]): StatedRoutes {
    const { model } = this.#options;
    const ppm = (chance: number): number => Math.floor(MILLION * chance);
    let together = 1;
    const routes = found.map(({ path, amountMsat, finalCltv }) => {
      const uncorrected = model.uncorrected(this.known(path, names));
      const chance = model.corrected(uncorrected);
      together *= chance;
      const probabilityPpm = ppm(chance);
      return { probabilityPpm, uncorrectedPpm: ppm(uncorrected), amountMsat, finalCltv, path };
    });
    return { routes, probabilityPpm: ppm(together) };
  }

  /**
   * Learns from an attempt. @param known what was known about its hops when it was sent @param knownAtEnd what was known
   * when it ended, without its own lessons and reservations @param holdTimesMs how long its nodes report to have held
   * the HTLC
   */
  observe(
    attempt: Attempt,
    known: readonly KnownHop[],
    knownAtEnd: readonly KnownHop[],
    holdTimesMs: readonly number[],
  ): void {
    const end = endOf(attempt, knownAtEnd);
    if (end !== undefined) this.#options.model.observe(known, end, timeOf(attempt, holdTimesMs));
  }
}

/** How long an attempt took. Undefined if it has no outcome. */
function timeOf(
  { status, failure, partOfSeveral, createdAtMs, completedAtMs }: Attempt,
  holdTimesMs: readonly number[],
): AttemptTime | undefined {
  if (completedAtMs === undefined) return undefined;
  return {
    roundTripS: (completedAtMs - createdAtMs) / 1000,
    holdTimesS: holdTimesMs.map((ms) => ms / 1000),
    waited: partOfSeveral && (status === 'settled' || failure?.isFinal === true),
  };
}

/** The outcome of an attempt. Undefined if the outcome is unknown, or reveals nothing about the odds. */
function endOf(attempt: Attempt, knownAtEnd: readonly KnownHop[]): AttemptEnd | undefined {
  const hasArrived = arrived(attempt);
  if (hasArrived === true) return { kind: 'arrived' };
  const { failure } = attempt;
  if (hasArrived === undefined || failure?.erringIndex === undefined) return undefined;
  const { erringIndex: index, failcodename } = failure;
  return { kind: 'failed', index, blames: blameOf(failcodename), knownAtEnd: knownAtEnd[index] };
}
