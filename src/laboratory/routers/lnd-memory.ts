/**
 * LND's mission control: its memory of pairs of nodes, and the a-priori estimator of success based on it (LND 0.21,
 * `routing/probability_apriori.go`, `missioncontrol_state.go`, `result_interpretation.go`; read as facts).
 *
 *     untried pair             node probability
 *     amount ≤ last success    0.95
 *     amount < last failure    node probability
 *     otherwise                node probability · (1 − 2^(−age / half-life))
 *
 * The node probability is a weighted average of the a-priori probability of a hop and the results of the node's pairs.
 * The a-priori probability is 0.6, less near the capacity. A success counts as 0.95 with weight 1, and a failure as 0
 * with weight 2^(−age / half-life). The a-priori weight of 0.5 counts as one observation.
 */
import type { FailureName } from '../../bolt/onion/failure.ts';

const A_PRIORI = 0.6;
/** With this weight, the a-priori probability counts as 1 / (1 − weight) − 1 observations. */
const A_PRIORI_WEIGHT = 0.5;
const PREVIOUS_SUCCESS = 0.95;
const HALF_LIFE_US = 3600e6;
/** After a failure, a failure at a higher amount is ignored for this long, in microseconds. */
const RELAX_US = 60e6;
const CAPACITY_FRACTION = 0.9999;
const SMEARING = 0.025;
const MIN_CAPACITY_FACTOR = 0.5;

/** The results of a pair of nodes. If it ever failed, a failure amount of 0 means that every amount fails. */
export interface LndPairMemory {
  successMsat: number;
  succeededUs: number | undefined;
  failMsat: number;
  failedUs: number | undefined;
}

const NO_PAIRS: ReadonlyMap<number, LndPairMemory> = new Map();

/** What a failure blames, in LND's classification. */
type Blame = 'balance' | 'pair' | 'policy' | 'node' | 'both';

const BLAME: Partial<Record<FailureName, Blame>> = {
  temporary_channel_failure: 'balance',
  amount_below_minimum: 'policy',
  fee_insufficient: 'policy',
  incorrect_cltv_expiry: 'policy',
  channel_disabled: 'policy',
  unknown_next_peer: 'pair',
  expiry_too_soon: 'node',
  temporary_node_failure: 'node',
  permanent_node_failure: 'node',
  required_node_feature_missing: 'node',
};

/** LND's attribution of a failure on the route. */
export const blameFor = (name: FailureName | undefined): Blame =>
  name === undefined ? 'both' : (BLAME[name] ?? 'both');

/** The memory of a sender. */
export class LndMemory {
  readonly #pairs = new Map<number, Map<number, LndPairMemory>>();
  readonly #aPrioriObservations: number;

  /** @param aPrioriWeight LND's setting `AprioriWeight`, at least 0 and less than 1 */
  constructor(aPrioriWeight = A_PRIORI_WEIGHT) {
    this.#aPrioriObservations = 1 / (1 - aPrioriWeight) - 1;
  }

  /** Probability that a pair of nodes carries the amount, if the pair does not start at the sender. */
  pairProbability(from: number, to: number, amountMsat: number, capacityMsat: number, nowUs: number): number {
    const pairs = this.#pairs.get(from);
    const aPriori = A_PRIORI * capacityFactor(amountMsat, capacityMsat);
    const node = this.#nodeProbability(pairs?.values() ?? [], aPriori, amountMsat, nowUs);
    return pairProbability(pairs?.get(to), node, amountMsat, nowUs);
  }

  /** Probability that one of the sender's channels carries an amount that its balance allows. */
  localProbability(from: number, to: number, nowUs: number): number {
    return pairProbability(this.#pairs.get(from)?.get(to), PREVIOUS_SUCCESS, Number.MAX_VALUE, nowUs);
  }

  /** The results of all pairs that start at a node, by the node at the end of the pair. */
  pairsFrom(from: number): ReadonlyMap<number, Readonly<LndPairMemory>> {
    return this.#pairs.get(from) ?? NO_PAIRS;
  }

  succeeded(from: number, to: number, amountMsat: number, nowUs = 0): void {
    const pair = this.#pair(from, to);
    pair.succeededUs = nowUs;
    if (amountMsat > pair.successMsat) pair.successMsat = amountMsat;
    if (pair.failedUs !== undefined && pair.failMsat <= pair.successMsat)
      pair.failMsat = pair.successMsat + 1;
  }

  /** @param amountMsat 0 if every amount fails */
  failed(from: number, to: number, amountMsat: number, nowUs: number): void {
    const pair = this.#pair(from, to);
    const isRecent = pair.failedUs !== undefined && nowUs - pair.failedUs < RELAX_US;
    if (isRecent && amountMsat > pair.failMsat) return;
    pair.failedUs = nowUs;
    pair.failMsat = amountMsat;
    if (amountMsat === 0) pair.successMsat = 0;
    else if (amountMsat <= pair.successMsat) pair.successMsat = amountMsat - 1;
  }

  #nodeProbability(
    pairs: Iterable<LndPairMemory>,
    aPriori: number,
    amountMsat: number,
    nowUs: number,
  ): number {
    let total = aPriori * this.#aPrioriObservations;
    let weight = this.#aPrioriObservations;
    for (const { successMsat, failMsat, failedUs } of pairs) {
      if (amountMsat <= successMsat) {
        weight++;
        total += PREVIOUS_SUCCESS;
      } else if (failedUs !== undefined && amountMsat >= failMsat) weight += weightOf(nowUs - failedUs);
    }
    return total / weight;
  }

  #pair(from: number, to: number): LndPairMemory {
    let pairs = this.#pairs.get(from);
    if (pairs === undefined) {
      pairs = new Map();
      this.#pairs.set(from, pairs);
    }
    const known = pairs.get(to);
    if (known !== undefined) return known;
    const fresh: LndPairMemory = {
      successMsat: 0,
      succeededUs: undefined,
      failMsat: 0,
      failedUs: undefined,
    };
    pairs.set(to, fresh);
    return fresh;
  }
}

const weightOf = (ageUs: number): number => 2 ** (-ageUs / HALF_LIFE_US);

/**
 * LND's factor for amounts near the capacity, which falls along a logistic curve. 1 if the capacity is unknown, 0 for
 * amounts above it.
 */
export function capacityFactor(amountMsat: number, capacityMsat: number): number {
  if (capacityMsat === 0) return 1;
  if (amountMsat > capacityMsat) return 0;
  const distance = (amountMsat - CAPACITY_FRACTION * capacityMsat) / (SMEARING * capacityMsat);
  return 1 - (1 - MIN_CAPACITY_FACTOR) / (1 + Math.exp(-distance));
}

function pairProbability(
  pair: LndPairMemory | undefined,
  node: number,
  amountMsat: number,
  nowUs: number,
): number {
  if (pair === undefined) return node;
  if (amountMsat <= pair.successMsat) return PREVIOUS_SUCCESS;
  if (pair.failedUs === undefined || amountMsat < pair.failMsat) return node;
  return node * (1 - weightOf(nowUs - pair.failedUs));
}
