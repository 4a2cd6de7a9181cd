/**
 * What a simulation plays: the network, its hidden balances, the traffic, the rules of payments, and the routers to
 * compare. All defaults are filled in, as in the resolved scenario that a run writes.
 *
 * Amounts are in msat, times in microseconds of simulated time, and shares from 0 to 1.
 */
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';

/** How the capacity of each channel is divided before the first payment. */
export type BalanceScenario =
  /** Every division is equally likely. */
  | { readonly kind: 'uniform' }
  /** Each side has half. */
  | { readonly kind: 'even' }
  /**
   * Usually, most of the capacity is on one side: the probability density decreases exponentially from both ends, with
   * a width of `scale` times the capacity.
   */
  | { readonly kind: 'bimodal'; readonly scale: number }
  /** In `share` of the channels, one side has everything; the other channels are divided uniformly. */
  | { readonly kind: 'onesided'; readonly share: number }
  /** `share` of the channels are divided as with `bimodal`; the other channels are divided uniformly. */
  | { readonly kind: 'mixture'; readonly scale: number; readonly share: number }
  /** A CSV file with the columns `scid` and `balance_msat` (of node 1). */
  | { readonly kind: 'file'; readonly file: string };

/** The nodes that send or receive, and their relative frequencies. */
export type NodeChoice =
  | { readonly by: 'uniform' | 'capacity' | 'degree' }
  | { readonly by: 'list'; readonly nodes: readonly string[] };

/** The amounts of generated payments. */
export type AmountScenario =
  | { readonly kind: 'fixed'; readonly msat: bigint }
  /** Log-normally distributed with mean `meanMsat`; `sigma` is the standard deviation of the logarithm. */
  | { readonly kind: 'lognormal'; readonly meanMsat: bigint; readonly sigma: number }
  | { readonly kind: 'pareto'; readonly minimumMsat: bigint; readonly alpha: number }
  /** A file with an amount in msat on each line. Amounts are drawn from it uniformly. */
  | { readonly kind: 'file'; readonly file: string };

/** An inclusive lower and exclusive upper end, or equal ends for a fixed value. */
export interface Range {
  readonly least: bigint;
  readonly most: bigint;
}

/** A sender that repeatedly pays the same recipient (an activity of sim-ln). */
export interface Activity {
  readonly source: string;
  readonly destination: string;
  readonly startUs: number;
  readonly intervalUs: Range;
  readonly amountMsat: Range;
  /** Number of payments. Undefined if there is no limit. */
  readonly count?: number;
}

/** The source of payments. */
export type TrafficScenario =
  /** Generated payments: the gaps between them are exponentially distributed, with a mean of `1 / ratePerS` seconds. */
  | {
      readonly kind: 'random';
      readonly payments: number;
      readonly ratePerS: number;
      readonly senders: NodeChoice;
      readonly receivers: NodeChoice;
      readonly amount: AmountScenario;
      /**
       * Share of payments that go back to an earlier sender, so that liquidity does not only drain in one direction.
       */
      readonly circularShare: number;
      /**
       * Share of the payments from a smaller to a larger node index that are reversed, so that liquidity drifts towards
       * the nodes with small indexes.
       */
      readonly drift: number;
    }
  /** sim-ln's random activity: every node of sufficient capacity pays in proportion to its capacity. */
  | {
      readonly kind: 'capacity';
      readonly totalUs: number;
      readonly expectedMsat: bigint;
      readonly capacityMultiplier: number;
      readonly exclude: readonly string[];
    }
  | { readonly kind: 'activities'; readonly totalUs: number; readonly activities: readonly Activity[] }
  /** A CSV file: `start_us,sender,receiver,amount_msat[,max_fee_msat]`. */
  | { readonly kind: 'file'; readonly file: string }
  /** CLoTH's payments: rows of node numbers. */
  | { readonly kind: 'cloth'; readonly file: string };

/** The rules for every payment. */
export interface PaymentScenario {
  /** The fee limit is the larger of `feeLimitPpm` (ppm of the amount) and `feeLimitBaseMsat`. */
  readonly feeLimitPpm: number;
  readonly feeLimitBaseMsat: bigint;
  readonly maxParts: number;
  readonly maxAttempts: number;
  /** Time after the start of a payment from which no further attempts are planned. */
  readonly timeoutUs: number;
  /** Duration of a search in simulated time. */
  readonly planUs: number;
  readonly finalCltv: number;
  readonly maxDelayBlocks: number;
  readonly shadow: boolean;
  readonly noise: boolean;
}

/** Duration of a hop in either direction, in microseconds. */
export interface LatencyScenario {
  /** `poisson` counts whole milliseconds, as sim-ln does. */
  readonly kind: 'fixed' | 'exponential' | 'lognormal' | 'poisson';
  readonly meanUs: number;
  /**
   * Each node's latencies are multiplied by a log-normally distributed factor with mean 1. `nodeSigma` is the standard
   * deviation of the factor's logarithm. 0 means that all nodes are equal.
   */
  readonly nodeSigma: number;
  /** Share of slow nodes, and the factor by which their latencies are multiplied. */
  readonly slow: number;
  readonly slowFactor: number;
  /** Share of nodes that report hold times (BOLT 4, `option_attribution_data`). */
  readonly reporting: number;
}

/** Channels that become one-sided are periodically reset to an even split (sim-ln's `rebalance`). */
export interface RebalanceScenario {
  /** A channel is reset if one side has less than this share of the capacity. */
  readonly triggerBelow: number;
  readonly intervalUs: number;
  /** Nodes whose channels are not changed. */
  readonly exclude: readonly string[];
}

/**
 * Nodes that forward for fees, and rebalance their channels by the rule of their world's first router (`rebalances`).
 * Their income and expenses are summed up.
 */
export interface OperatorsScenario {
  /** The operators. If empty, the operators are the `count` nodes with the largest capacity. */
  readonly nodes: readonly string[];
  readonly count: number;
  /** Time between rebalancings. */
  readonly intervalUs: number;
  /** Maximum fee in ppm of the moved amount, regardless of a channel's earnings. */
  readonly maxfeePpm: number;
  /** Minimum amount to move. */
  readonly leastMsat: bigint;
  /** For `fulgurite`: how long forwards count as earnings, and for how much time ahead channels are filled. */
  readonly earnedUs: number;
  readonly aheadUs: number;
  /**
   * For `sling`: the amount of a step, the share of the capacity up to which channels are filled, and the share down to
   * which other channels may be drained.
   */
  readonly stepMsat: bigint;
  readonly target: number;
  readonly depleteTo: number;
}

/** The rules by which operators can rebalance. */
export const REBALANCING_RULES = ['none', 'fulgurite', 'sling'] as const;

/** One of the rules (src/laboratory/operators/rebalancing-rule.ts). */
export type RebalancingRule = (typeof REBALANCING_RULES)[number];

/** The fees of channel directions, which may differ from those of the graph. */
export type FeeScenario =
  | { readonly kind: 'announced' }
  /** The same fees for all directions. */
  | { readonly kind: 'flat'; readonly baseMsat: number; readonly ppm: number }
  /**
   * Fee rates drawn independently for each direction, log-normally distributed with mean `meanPpm`; `sigma` is the
   * standard deviation of the logarithm.
   */
  | {
      readonly kind: 'lognormal';
      readonly baseMsat: number;
      readonly meanPpm: number;
      readonly sigma: number;
    };

/** A node that occupies the HTLC slots of other nodes with payments that their recipient holds and then fails. */
export interface JammingScenario {
  readonly sender: string;
  readonly receiver: string;
  readonly ratePerS: number;
  readonly amountMsat: bigint;
  readonly holdUs: number;
}

/** The behaviour of the network. */
export interface NetworkScenario {
  readonly latency: LatencyScenario;
  /** Share of nodes offline at any time, and the mean duration of an absence. A duration of 0 means the whole run. */
  readonly offline: number;
  readonly offlineUs: number;
  /** Probability that a hop holds an HTLC, and the time for which it is held. */
  readonly stuck: number;
  readonly stuckUs: number;
  /**
   * Probability that the node after a hop does not answer, drawn for each hop of each HTLC, and the time after which
   * such an HTLC fails.
   */
  readonly faulty: number;
  readonly faultyUs: number;
  /** Share of directions whose fees differ from gossip from the start. */
  readonly unreportedFees: number;
  /** Mean time between changes of a direction's fees that gossip does not report. 0 means that fees do not change. */
  readonly feeChangeUs: number;
  /** Maximum number of HTLCs in one direction of a channel (BOLT 2, `max_accepted_htlcs`). */
  readonly slots: number;
  /** Maximum share of the capacity that a direction may have in flight (BOLT 2, `max_htlc_value_in_flight_msat`). */
  readonly maxInFlight: number;
  /** Share of the capacity that each side keeps as reserve (BOLT 2, `channel_reserve_satoshis`). */
  readonly reserve: number;
  readonly blockUs: number;
  readonly jamming: readonly JammingScenario[];
  readonly rebalance?: RebalanceScenario;
  readonly operators?: OperatorsScenario;
}

/** The routers available in scenarios. */
export const ROUTER_KINDS = ['fulgurite', 'layers', 'ldk', 'lnd', 'cheapest', 'shortest', 'oracle'] as const;

/** Probes that accompany each payment. */
export interface ProbeScenario {
  readonly perPayment: number;
  /** `random`: probes go to uniformly drawn nodes. `informed`: probes go where the router expects to learn most. */
  readonly choice: 'random' | 'informed';
}

/** A router and its senders. */
export interface RouterScenario {
  readonly kind: (typeof ROUTER_KINDS)[number];
  /** Name of the router in results. Default: its kind. */
  readonly name: string;
  /** Whether lessons are kept after their payment has ended. */
  readonly learn: boolean;
  /** Whether searches use learned odds. Only for `fulgurite`, and only with `learn`. */
  readonly learnedSearch: boolean;
  /**
   * Price of a second by which a node is slower than the average, in nats. Only for `fulgurite`. Default: the daemon's.
   */
  readonly natsPerSecond?: number;
  /** Probes of the router's senders, useful only for a router that learns. Undefined if no probes are sent. */
  readonly probes?: ProbeScenario;
  /** Prices of the objective that differ from the daemon's (src/engine/question/objective.ts). Only for `fulgurite`. */
  readonly objective: Partial<ObjectiveKnobs>;
  /**
   * Path of a file with LND's mission control, which contains the initial beliefs of each sender. Only for `fulgurite`.
   */
  readonly beliefs?: string;
  /** How operators rebalance in the world of this router. If routers share a world, the first router decides. */
  readonly rebalances: RebalancingRule;
  /** Path of the program's UNIX socket. Only for `layers`. */
  readonly socket?: string;
  /**
   * Whether to create all channels of the scenario in a layer of the program, because the program's own graph differs.
   */
  readonly createChannels?: boolean;
  /**
   * The senders that use this router. With a share or a list, routers share a world. If undefined, all senders use the
   * router, in a world of its own.
   */
  readonly senders?: { readonly share: number } | { readonly nodes: readonly string[] };
}

/** What is measured, and how it is summarised. */
export interface MeasureScenario {
  /** Payments that begin earlier than this do not count in figures. */
  readonly warmUpUs: number;
  /** Number of batches, by start time, for confidence intervals. */
  readonly batches: number;
  /** Time between snapshots of all balances. 0 means that there are no snapshots. */
  readonly snapshotUs: number;
  readonly attempts: boolean;
  readonly channels: boolean;
  /** Whether to determine, for each failed payment, if the network could have carried it. */
  readonly possible: boolean;
  /** Number of attempts to attack for the figures of privacy. 0 means that privacy is not measured. */
  readonly privacy: number;
  /** Number of attackers: the nodes with the largest capacity. */
  readonly privacyNodes: number;
}

/** A whole scenario, with every default filled in. */
export interface Scenario {
  /** Name of the scenario in reports. */
  readonly name: string;
  readonly seed: bigint;
  readonly graph: string;
  /** Format of the file with the graph. With `auto`, the format is detected from the content. */
  readonly graphFormat: 'auto' | 'channels' | 'sim-ln' | 'cloth' | 'graphml' | 'listchannels';
  /** Nodes to leave out, and nodes to keep. If there are nodes to keep, all others are left out. */
  readonly exclude: readonly string[];
  readonly only: readonly string[];
  readonly fees: FeeScenario;
  readonly balances: BalanceScenario;
  readonly traffic: TrafficScenario;
  readonly payment: PaymentScenario;
  readonly network: NetworkScenario;
  readonly routers: readonly RouterScenario[];
  readonly measure: MeasureScenario;
}
