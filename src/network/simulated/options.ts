/**
 * The settings of a simulated network. Times are milliseconds of its clock; shares and probabilities are numbers from 0
 * to 1.
 */
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';

/** How a channel's capacity is divided between its two ends before the first payment. */
export type BalanceModel =
  /** Every division is equally likely. */
  | 'uniform'
  /**
   * Most of the capacity is on one side. The density falls exponentially from either end, with a width of a tenth of
   * the capacity.
   */
  | 'bimodal';

/** Random faults. Every rate defaults to 0, which means never. */
export interface FaultRates {
  /** Share of nodes that are offline. */
  readonly offlineNodes?: number;
  /** Share of nodes that accept every HTLC and message and never respond. */
  readonly unresponsiveNodes?: number;
  /**
   * Share of nodes that refuse keysend, among the nodes without an announcement. Other nodes accept keysend if they
   * announce it.
   */
  readonly withoutKeysend?: number;
  /** Probability that a node corrupts a failure that it returns. */
  readonly garbledFailures?: number;
  /** Probability that a hop delays an HTLC before processing it. */
  readonly stuckHtlcs?: number;
  /** Duration of the delay, in milliseconds. Default 5 minutes. */
  readonly stuckMs?: number;
  /** Share of delayed HTLCs that are held until they expire, so that their channel is closed. */
  readonly stuckToExpiry?: number;
  /** Share of channel directions whose fees have changed without gossip. */
  readonly unreportedPolicies?: number;
  /** Share of nodes whose chain is some blocks ahead or behind. */
  readonly heightDisagreement?: number;
  /** Maximum number of blocks by which a node's chain is ahead or behind. Default 3. */
  readonly heightOffsetBlocks?: number;
  /** Probability that a hop loses an onion message. */
  readonly lostMessages?: number;
}

/** The plan for one of our channels. */
export interface OwnChannelPlan {
  /** The node among `ownNodes` that has the channel. Absent if `ownNodeId` has it. */
  readonly ownNodeId?: NodeId;
  readonly peerId: NodeId;
  readonly capacityMsat: Msat;
  /** Our balance in the channel. */
  readonly localMsat: Msat;
}

/** Channels of ours to the nodes with the most channels, in that order. */
export interface OwnChannelsByRank {
  /** Number of channels. Default 8. */
  readonly count?: number;
  /** How many of the best-connected nodes to skip, for a poorer position in the network. Default 0. */
  readonly skip?: number;
  /** Capacity of each channel. Default 20,000,000 sat. */
  readonly capacityMsat?: Msat;
  /** Our share of the capacity. Default 0.75, so that most of it can be sent, and some can be received. */
  readonly localShare?: number;
}

/** All settings of a simulation. Only our node id must be given. */
export interface SimulationOptions {
  readonly ownNodeId: NodeId;
  /**
   * Nodes of the map that are ours. They then have all our channels, and `ownNodeId` has none. They accept payments.
   * Without a list of channels, each of them gets the same number of channels, to the next peers in the ranking.
   */
  readonly ownNodes?: readonly NodeId[];
  /** The key of `ownNodeId`. With it, our node accepts payments. */
  readonly ownSecretKey?: Uint8Array;
  /** Seed of all random draws: 64 bits. Default 1. */
  readonly seed?: bigint | number;
  /** How the capacity of each channel is divided between its ends. Default uniform. */
  readonly balances?: BalanceModel;
  readonly ownChannels?: readonly OwnChannelPlan[] | OwnChannelsByRank;
  /**
   * Latency from one node to the next. It is drawn once per channel, for HTLCs in both directions, and once per sender
   * and receiver, for onion messages. Default 10 to 100 ms.
   */
  readonly latencyMs?: { readonly least: number; readonly most: number };
  /** Maximum addition to the latency, drawn per HTLC and hop. Default 10 ms. */
  readonly jitterMs?: number;
  /** Initial block height. Default: 6 above the block of the youngest channel. */
  readonly startHeight?: number;
  /** Mean time between blocks. Default 600,000 ms. */
  readonly blockIntervalMs?: number;
  /** Initial time of the clock, in UNIX milliseconds. Default 2026-02-03 00:00 UTC. */
  readonly startMs?: number;
  /** How long a recipient waits for the rest of a multi-part payment. Default 60,000 ms (BOLT 4). */
  readonly multiPartTimeoutMs?: number;
  /**
   * Whether updates in failures have real signatures. Default false, since they are not verified and each costs 50 µs.
   */
  readonly signedUpdates?: boolean;
  /**
   * Share of nodes that return attribution data, among the nodes without an announcement. Default 0, as on the main
   * network. Other nodes return attribution data if they announce it.
   */
  readonly attributionShare?: number;
  readonly faults?: FaultRates;
  /** Called with every line of the event log. */
  readonly onEvent?: (line: string) => void;
}

/** The default initial time: 2026-02-03 00:00 UTC, in UNIX milliseconds. */
export const DEFAULT_START_MS = 1_770_076_800_000;
