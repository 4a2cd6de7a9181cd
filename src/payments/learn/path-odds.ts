/** The odds of paths, as this node's own attempts taught them (odds-model.ts), under what is known now. */
import type { Route, RouteHop } from '../../engine/question/route.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { arrived } from '../books/arrival.ts';
import type { Attempt } from '../payment.ts';
import { hopsUnder } from '../plan/known-hops.ts';
import { passingChance } from './balance-prior.ts';
import { commonLayers } from './learning.ts';
import { type AttemptEnd, blameOf, type KnownHop, type OddsModel } from './odds-model.ts';

const MILLION = 1e6;

/** Routes and the probability of all of them together, in ppm. */
interface StatedRoutes {
  readonly routes: readonly Route[];
  readonly probabilityPpm: number;
}

/** What the odds of a path are made of: chances that do not depend on each other. */
export interface OddsSplit {
  /** That all balances suffice, by the learned priors. */
  readonly balances: number;
  /** That all nodes answer and keep their stated terms. */
  readonly nodes: number;
  /** That all balances suffice if they are evenly likely between their bounds, as searches have it. */
  readonly searched: number;
  /** Hops of whose balance nothing is known. */
  readonly unknownHops: number;
}

/** What odds are stated under. */
export interface PathOddsOptions {
  readonly model: OddsModel;
  readonly book: LayerBook;
  readonly graph: () => ChannelGraph;
}

/** States odds, and learns from attempts that are over. */
export class PathOdds {
  readonly #options: PathOddsOptions;

  constructor(options: PathOddsOptions) {
    this.#options = options;
  }

  /**
   * What is known of the hops of a path that begins with an own channel.
   * @param names layers of the caller, which apply after the shared lessons
   */
  known(path: readonly RouteHop[], names: readonly string[]): KnownHop[] {
    const { book, graph } = this.#options;
    return hopsUnder(path, graph(), book, [...commonLayers(book), ...names]);
  }

  /** Probability that a hop has the balance, by the model. */
  balanceChance(hop: KnownHop): number {
    return this.#options.model.balanceChance(hop);
  }

  /** Probability that a node is away, by the model. */
  awayChance(node: KnownHop['to']): number {
    return this.#options.model.awayChance(node);
  }

  /** What the odds of a path are made of, before they are corrected. */
  split(path: readonly RouteHop[], names: readonly string[]): OddsSplit {
    const hops = this.known(path, names).filter(({ isOwn }) => !isOwn);
    const product = (of: (hop: KnownHop) => number): number =>
      hops.reduce((chance, hop) => chance * of(hop), 1);
    return {
      balances: product((hop) => this.balanceChance(hop)),
      nodes: product((hop) => this.#options.model.presentChance(hop)),
      searched: product((hop) => passingChance({ kind: 'uniform' }, hop)),
      unknownHops: hops.filter(({ least, most }) => least <= 0 && most >= 1).length,
    };
  }

  /** The chance that each hop of a path carries its amount. 1 for the own channel at its beginning. */
  hopChances(path: readonly RouteHop[], names: readonly string[]): number[] {
    return this.known(path, names).map((hop) => (hop.isOwn ? 1 : this.#options.model.hopChance(hop)));
  }

  /** Routes with these odds in place of those that a search states. */
  restated<T extends StatedRoutes>(found: T, names: readonly string[]): T {
    const { model } = this.#options;
    const ppm = (chance: number): number => Math.floor(MILLION * chance);
    let together = 1;
    const routes = found.routes.map((route) => {
      const uncorrected = model.uncorrected(this.known(route.path, names));
      const chance = model.corrected(uncorrected);
      together *= chance;
      return { ...route, probabilityPpm: ppm(chance), uncorrectedPpm: ppm(uncorrected) };
    });
    return { ...found, probabilityPpm: ppm(together), routes };
  }

  /** Learns from an attempt. @param known what was known of its hops when it was sent */
  observe(attempt: Attempt, known: readonly KnownHop[]): void {
    const end = endOf(attempt);
    if (end !== undefined) this.#options.model.observe(known, end);
  }
}

/** The outcome of an attempt. Undefined where it says nothing about the odds, or cannot be known. */
function endOf(attempt: Attempt): AttemptEnd | undefined {
  const hasArrived = arrived(attempt);
  if (hasArrived === true) return { kind: 'arrived' };
  const { failure } = attempt;
  if (hasArrived === undefined || failure?.erringIndex === undefined) return undefined;
  const { erringIndex: index, failcodename } = failure;
  return { kind: 'failed', index, blames: blameOf(failcodename) };
}
