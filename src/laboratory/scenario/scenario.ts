/**
 * What a simulation plays: the network, its hidden balances, the traffic, the rules of payments, and the routers to
 * compare. All defaults are included here, and in the resolved scenario that a run writes.
 *
 * Amounts are msat, times are microseconds of simulated time, shares lie in 0 … 1.
 */
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';

/** How the capacity of each channel is divided before the first payment. */
export type BalanceScenario =
  /** Every split is equally likely. */
  | { readonly kind: 'uniform' }
  /** Both sides half. */
  | { readonly kind: 'even' }
  /** Most of it on one side: an exponential decrease from either end, with a width of `scale` of the capacity. */
  | { readonly kind: 'bimodal'; readonly scale: number }
  /** All of it on one side in this share of channels, a uniform split in the others. */
  | { readonly kind: 'onesided'; readonly share: number }
  /** Bimodal with this scale in this share of channels, a uniform split in the others. */
  | { readonly kind: 'mixture'; readonly scale: number; readonly share: number }
  /** A CSV file with the columns `scid` and `balance_msat` (of node 1). */
  | { readonly kind: 'file'; readonly file: string };

/** The nodes that send or receive, and their relative frequency. */
export type NodeChoice =
  | { readonly by: 'uniform' | 'capacity' | 'degree' }
  | { readonly by: 'list'; readonly nodes: readonly string[] };

/** Amounts of generated payments. */
export type AmountScenario =
  | { readonly kind: 'fixed'; readonly msat: bigint }
  /** Log-normal with this mean; `sigma` is the standard deviation of the logarithm. */
  | { readonly kind: 'lognormal'; readonly meanMsat: bigint; readonly sigma: number }
  | { readonly kind: 'pareto'; readonly minimumMsat: bigint; readonly alpha: number }
  /** One amount in msat per line, drawn uniformly. */
  | { readonly kind: 'file'; readonly file: string };

/** An inclusive lower and exclusive upper end, or equal ends for a fixed value. */
export interface Range {
  readonly least: bigint;
  readonly most: bigint;
}

/** One sender that repeatedly pays one recipient (sim-ln's activity). */
export interface Activity {
  readonly source: string;
  readonly destination: string;
  readonly startUs: number;
  readonly intervalUs: Range;
  readonly amountMsat: Range;
  /** Number of payments. Undefined for endless. */
  readonly count?: number;
}

/** The source of payments. */
export type TrafficScenario =
  /** A generator: exponential gaps of `1 / ratePerS` on average. */
  | {
      readonly kind: 'random';
      readonly payments: number;
      readonly ratePerS: number;
      readonly senders: NodeChoice;
      readonly receivers: NodeChoice;
      readonly amount: AmountScenario;
      /** Share of payments that pay an earlier sender back, so that the network does not just deplete. */
      readonly circularShare: number;
      /** Nodes at one end of the list of ids receive more, by this share, which makes liquidity drift. */
      readonly drift: number;
    }
  /** sim-ln's random activity: every node pays in proportion to its capacity. */
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
  /** Fee limit: the larger of both. */
  readonly feeLimitPpm: number;
  readonly feeLimitBaseMsat: bigint;
  readonly maxParts: number;
  readonly maxAttempts: number;
  /** No attempt begins later than this time after the payment. */
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
  /** Nodes differ by a log-normal factor of mean 1; this is the standard deviation of its logarithm. 0: all equal. */
  readonly nodeSigma: number;
}

/** Channels that become one-sided are periodically reset to an even split (sim-ln's `rebalance`). */
export interface RebalanceScenario {
  /** A side below this share of the capacity triggers it. */
  readonly triggerBelow: number;
  readonly intervalUs: number;
  /** Nodes whose channels are not changed. */
  readonly exclude: readonly string[];
}

/**
 * Nodes that forward for fees and move their own money between their channels by the active router's rule
 * (`rebalances`). Their income and expenses are summed up.
 */
export interface OperatorsScenario {
  /** Empty: the `count` nodes with the largest capacity. */
  readonly nodes: readonly string[];
  readonly count: number;
  /** Time between two rebalancings. */
  readonly intervalUs: number;
  /** Maximum fee for moved amounts, regardless of a channel's earnings. */
  readonly maxfeePpm: number;
  /** Smaller amounts are not moved. */
  readonly leastMsat: bigint;
  /** For `fulgurite`: how long forwards count, and how far ahead channels are filled. */
  readonly earnedUs: number;
  readonly aheadUs: number;
  /**
   * For `sling`: the amount of one step, the share up to which channels are filled, and down to which others may be
   * depleted.
   */
  readonly stepMsat: bigint;
  readonly target: number;
  readonly depleteTo: number;
}

/** Rules by which operators rebalance. */
export const REBALANCING_RULES = ['none', 'fulgurite', 'sling'] as const;

/** One of the rules (src/laboratory/operators/rebalancing-rule.ts). */
export type RebalancingRule = (typeof REBALANCING_RULES)[number];

/** The fees of directions, if they differ from the graph's. */
export type FeeScenario =
  | { readonly kind: 'announced' }
  /** The same for all directions. */
  | { readonly kind: 'flat'; readonly baseMsat: number; readonly ppm: number }
  /** Each direction independently: log-normal with this mean; `sigma` is the standard deviation of the logarithm. */
  | {
      readonly kind: 'lognormal';
      readonly baseMsat: number;
      readonly meanPpm: number;
      readonly sigma: number;
    };

/** A node that occupies other nodes' HTLC slots: payments that their recipient holds and then fails. */
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
  /** Share of nodes offline at any time, and the duration of an absence. 0 µs: for the whole run. */
  readonly offline: number;
  readonly offlineUs: number;
  /** Probability that a hop holds an HTLC, and for how long. */
  readonly stuck: number;
  readonly stuckUs: number;
  /** Probability that the next node of a hop does not answer, drawn for each hop of each HTLC, and how long that takes. */
  readonly faulty: number;
  readonly faultyUs: number;
  /** Share of directions whose fees changed without gossip. */
  readonly unreportedFees: number;
  /** Mean time between changes of a direction's fees, which gossip does not report. 0: they do not change. */
  readonly feeChangeUs: number;
  /** Maximum number of HTLCs in one direction of a channel (BOLT 2, `max_accepted_htlcs`). */
  readonly slots: number;
  /** Share of the capacity that a direction may have in flight (BOLT 2, `max_htlc_value_in_flight_msat`). */
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
  /** Their destination: a uniformly drawn node, or where the router expects to learn most. */
  readonly choice: 'random' | 'informed';
}

/** One router and its senders. */
export interface RouterScenario {
  readonly kind: (typeof ROUTER_KINDS)[number];
  /** Its name in results. Default: its kind. */
  readonly name: string;
  /** Whether it keeps lessons beyond the payment. */
  readonly learn: boolean;
  /** Whether searches use learned odds. Only `fulgurite`, and only with `learn`. */
  readonly learnedSearch: boolean;
  /** Undefined: no probes. Only routers that learn. */
  readonly probes?: ProbeScenario;
  /** Prices of the objective that differ from the daemon's (src/engine/question/objective.ts). Only `fulgurite`. */
  readonly objective: Partial<ObjectiveKnobs>;
  /** A file of LND's mission control, the initial beliefs of each sender. Only `fulgurite`. */
  readonly beliefs?: string;
  /** How operators rebalance when this router is active. */
  readonly rebalances: RebalancingRule;
  /** Unix socket. Only `layers`. */
  readonly socket?: string;
  /** Whether to create all channels of the scenario in a layer of the program, because its own graph differs. */
  readonly createChannels?: boolean;
  /** Its senders. Undefined: all senders, in a separate world. With a share or a list, routers share one world. */
  readonly senders?: { readonly share: number } | { readonly nodes: readonly string[] };
}

/** The output, and how it is summarised. */
export interface MeasureScenario {
  /** Earlier payments do not count in figures. */
  readonly warmUpUs: number;
  /** Batches by start time for confidence intervals. */
  readonly batches: number;
  /** Time between two snapshots of all balances. 0: only at the end. */
  readonly snapshotUs: number;
  readonly attempts: boolean;
  readonly channels: boolean;
  /** Whether to determine for each failed payment if the network could have carried it. */
  readonly possible: boolean;
  /** Number of attempts to attack for the figures of privacy. 0: none. */
  readonly privacy: number;
  /** Number of the largest nodes that are attackers. */
  readonly privacyNodes: number;
}

/** A whole scenario, with every default filled in. */
export interface Scenario {
  /** Its name in texts. */
  readonly name: string;
  readonly seed: bigint;
  readonly graph: string;
  /** Format of the graph's file, if its content does not show it. */
  readonly graphFormat: 'auto' | 'channels' | 'sim-ln' | 'cloth' | 'graphml' | 'listchannels';
  /** Nodes to leave out, and, if there are any, the only ones to keep. */
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
