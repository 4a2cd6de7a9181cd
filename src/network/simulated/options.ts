/**
 * The settings of a simulated network. Times are milliseconds of its clock; shares and probabilities lie in 0
 * … 1.
 */
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';

/** How the capacity of a channel is divided between its two ends before the first payment. */
export type BalanceModel =
  /** Every split equally likely. */
  | 'uniform'
  /** Most of it on one side: an exponential fall from either end, a tenth of the capacity wide. */
  | 'bimodal';

/** Faults that happen on their own. Every rate defaults to 0, which means never. */
export interface FaultRates {
  /** Share of nodes that are offline. */
  readonly offlineNodes?: number;
  /** Share of nodes that take every HTLC and message and never answer. */
  readonly unresponsiveNodes?: number;
  /** Share of nodes that take no keysends, of those that announce nothing about it. */
  readonly withoutKeysend?: number;
  /** Probability that a node spoils a failure that it passes back. */
  readonly garbledFailures?: number;
  /** Probability that a hop holds an HTLC before it does anything with it. */
  readonly stuckHtlcs?: number;
  /** How long the hop holds it, in milliseconds. Default 5 minutes. */
  readonly stuckMs?: number;
  /** Share of stuck HTLCs that are held until they expire, so that their channel is closed. */
  readonly stuckToExpiry?: number;
  /** Share of channel directions whose fees have changed without gossip. */
  readonly unreportedPolicies?: number;
  /** Share of nodes that see the chain some blocks ahead or behind. */
  readonly heightDisagreement?: number;
  /** Maximum blocks of such a difference. Default 3. */
  readonly heightOffsetBlocks?: number;
  /** Probability that a hop loses an onion message. */
  readonly lostMessages?: number;
}

/** A channel that we are to have. */
export interface OwnChannelPlan {
  /** Which of `ownNodes` has it. Only where there are some. */
  readonly ownNodeId?: NodeId;
  readonly peerId: NodeId;
  readonly capacityMsat: Msat;
  /** Our side of it. */
  readonly localMsat: Msat;
}

/** Channels of ours to well-connected nodes, the largest first. */
export interface OwnChannelsByRank {
  /** Default 8. */
  readonly count?: number;
  /** How many of the best-connected nodes are skipped, for a poorer place in the network. Default 0. */
  readonly skip?: number;
  /** Default 20,000,000 sat. */
  readonly capacityMsat?: Msat;
  /** Our share of the capacity. Default 0.75, so that much can be sent and something received. */
  readonly localShare?: number;
}

/** All settings of a simulation. Only our node id must be given. */
export interface SimulationOptions {
  /** Our node id. */
  readonly ownNodeId: NodeId;
  /**
   * Nodes of the map that are ours. Then our channels are theirs, and `ownNodeId` has none. Unlike that one they can also be
   * paid. Without a list of channels, each gets as many by rank, to other peers than the one before it.
   */
  readonly ownNodes?: readonly NodeId[];
  /** The key of `ownNodeId`. With it, our node takes payments. */
  readonly ownSecretKey?: Uint8Array;
  /** 64 bits. Default 1. */
  readonly seed?: bigint | number;
  /** Default uniform. */
  readonly balances?: BalanceModel;
  readonly ownChannels?: readonly OwnChannelPlan[] | OwnChannelsByRank;
  /** Time from one node to the next, in each direction, drawn once for each channel. Default 10 … 100. */
  readonly latencyMs?: { readonly least: number; readonly most: number };
  /** Largest addition to it, drawn for each HTLC and hop. Default 10. */
  readonly jitterMs?: number;
  /** Height at the start. Default: 6 above the youngest channel. */
  readonly startHeight?: number;
  /** Mean time between blocks; default 600,000. */
  readonly blockIntervalMs?: number;
  /** What the clock shows at the start, UNIX milliseconds. Default 2026-02-03 00:00 UTC. */
  readonly startMs?: number;
  /** How long a recipient waits for the rest of a multi-part payment. Default 60,000 (BOLT 4). */
  readonly multiPartTimeoutMs?: number;
  /**
   * Whether updates in failures carry real signatures. Default false, since they are not checked and each costs
   * 50 µs.
   */
  readonly signedUpdates?: boolean;
  /**
   * Share of nodes that return attribution data, of those without announcement. Default 0, as on the main
   * network.
   */
  readonly attributionShare?: number;
  readonly faults?: FaultRates;
  /** Called with every line of the event log. */
  readonly onEvent?: (line: string) => void;
}

/** 2026-02-03 00:00 UTC. */
export const DEFAULT_START_MS = 1_770_076_800_000;
