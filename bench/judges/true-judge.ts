/**
 * The judge that knows how the laboratory draws its networks: the distribution of balances, the share of nodes that are
 * offline for the whole run, and the share of directions whose fees rose without notice. It does not know the draws. It
 * conditions on bounds from attempts, on nodes that answered, and on reported fees. No estimator that has to learn
 * these distributions can be expected to be better.
 *
 * Bounds concern only balances. If a failure may have either cause, the bound is used unchanged, and the node counts as
 * offline with the probability from Bayes' rule. So the result is close to the best estimate, but not equal to it.
 */
import { embeddedChannelUpdate } from '../../src/bolt/peer/gossip-messages.ts';
import type { EndedAttempt, PlannedRoute } from '../../src/laboratory/routers/router.ts';
import type { BalanceScenario } from '../../src/laboratory/scenario/scenario.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { forwardingFeeMsat } from '../../src/model/policy.ts';
import { type BalancePrior, massesOf, passingChance } from '../../src/payments/learn/balance-prior.ts';
import type { KnownHop } from '../../src/payments/learn/odds-model.ts';
import type { JudgedAttempt, OddsJudge } from './judge.ts';

/** The distributions from which a network is drawn. */
export interface TrueRates {
  readonly balances: BalanceScenario;
  /** Share of nodes that are offline for the whole run. */
  readonly away: number;
  /** Share of directions with fees above the announced ones. */
  readonly unreportedFees: number;
  /** Share of the capacity that each side keeps as reserve. */
  readonly reserve: number;
}

interface ToldTerms {
  readonly feeBaseMsat: number;
  readonly feeProportionalMillionths: number;
}

/** Priors and their weights. */
type Mixture = readonly (readonly [weight: number, prior: BalancePrior])[];

/** Predicts chances from the distributions. */
export class TrueJudge implements OddsJudge {
  readonly name: string;
  readonly #graph: ChannelGraph;
  readonly #rates: TrueRates;
  readonly #mixture: Mixture;
  readonly #away = new Map<KnownHop['to'], number>();
  readonly #told = new Map<number, ToldTerms>();
  readonly #kept = new Set<number>();

  constructor(name: string, graph: ChannelGraph, rates: TrueRates) {
    this.name = name;
    this.#graph = graph;
    this.#rates = rates;
    this.#mixture = mixtureOf(rates.balances);
  }

  chance({ route, known }: JudgedAttempt): number {
    return known.reduce(
      (chance, hop, index) =>
        chance *
        this.#balanceChance(hop) *
        (1 - this.#awayChance(hop.to)) *
        (index === 0 ? 1 : this.#termsChance(route, index)),
      1,
    );
  }

  ended({ route, end }: EndedAttempt, known: readonly KnownHop[]): void {
    const reached = end.kind === 'settled' ? known.length : Math.min(end.index, known.length);
    for (const [index, hop] of known.slice(0, reached).entries()) {
      this.#away.set(hop.to, 0);
      if (index > 0) this.#kept.add(route.directions[index]!);
    }
    const hop = known[reached];
    if (hop === undefined || end.kind === 'settled') return;
    if (end.failure.name === 'fee_insufficient') this.#hear(route.directions[reached]!, end.failure.fields);
    if (end.failure.name !== 'temporary_channel_failure' && end.failure.name !== 'unknown_next_peer') return;
    const away = this.#awayChance(hop.to);
    const lacking = (1 - away) * (1 - this.#balanceChance(hop));
    this.#away.set(hop.to, away === 0 ? 0 : away / (away + lacking));
  }

  #hear(direction: number, { channelUpdate }: { readonly channelUpdate?: Uint8Array | undefined }): void {
    const update = channelUpdate === undefined ? undefined : embeddedChannelUpdate(channelUpdate);
    if (update !== undefined) this.#told.set(direction, update);
  }

  #awayChance(node: KnownHop['to']): number {
    return this.#away.get(node) ?? this.#rates.away;
  }

  /** The chance that the node of a direction accepts the fee paid by the route. */
  #termsChance({ directions, amountsMsat }: PlannedRoute, index: number): number {
    const direction = directions[index]!;
    const told = this.#told.get(direction);
    if (told !== undefined) {
      const amountMsat = amountsMsat[index]!;
      return amountsMsat[index - 1]! - amountMsat >= forwardingFeeMsat(told, amountMsat) ? 1 : 0;
    }
    const isFree =
      this.#graph.feeBaseMsat[direction] === 0 && this.#graph.feeProportionalMillionths[direction] === 0;
    return isFree || this.#kept.has(direction) ? 1 : 1 - this.#rates.unreportedFees;
  }

  /** Bayes' rule over the mixture: each prior is weighted by how well it explains the bounds. */
  #balanceChance(hop: KnownHop): number {
    if (hop.isOwn) return 1;
    let [sum, weights] = [0, 0];
    for (const [share, prior] of this.#mixture) {
      const { passing, possible } = massesOf(prior, { ...hop, reserve: this.#rates.reserve });
      sum += share * passing;
      weights += share * possible;
    }
    return weights < MIN_MASS ? passingChance({ kind: 'uniform' }, hop) : Math.min(1, sum / weights);
  }
}

const MIN_MASS = 1e-12;

function mixtureOf(balances: BalanceScenario): Mixture {
  switch (balances.kind) {
    case 'uniform':
    case 'bimodal':
    case 'onesided':
      return [[1, balances]];
    case 'mixture':
      return [
        [balances.share, { kind: 'bimodal', scale: balances.scale }],
        [1 - balances.share, { kind: 'uniform' }],
      ];
    default:
      throw new Error(`balances ${balances.kind} have no distribution`);
  }
}
