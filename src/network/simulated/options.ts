/** The knobs of a simulated network. Times are milliseconds of its clock, shares and probabilities 0 … 1. */
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';

/** How the capacity of a channel lies between its two ends before the first payment. */
export type BalanceModel =
  /** Every split equally likely. */
  | 'uniform'
  /** Most of it on one side: an exponential fall from either end, a tenth of the capacity wide. */
  | 'bimodal';

/** Things that go wrong by themselves. Everything defaults to 0: never. */
export interface FaultRates {
  /** Share of nodes that are gone. */
  readonly offlineNodes?: number;
  /** Share of nodes that take every HTLC and message and never answer. */
  readonly unresponsiveNodes?: number;
  /** Share of the nodes that announce nothing which do not take keysends. */
  readonly withoutKeysend?: number;
  /** Probability that a node on the way back spoils a failure it passes on. */
  readonly garbledFailures?: number;
  /** Probability that a hop holds an HTLC before it does anything with it. */
  readonly stuckHtlcs?: number;
  /** How long it holds it; default 5 minutes. */
  readonly stuckMs?: number;
  /** Share of those that are held until they expire and their channel is closed. */
  readonly stuckToExpiry?: number;
  /** Share of channel directions whose fees have just changed and nobody was told. */
  readonly unreportedPolicies?: number;
  /** Share of nodes that see the chain some blocks ahead or behind. */
  readonly heightDisagreement?: number;
  /** How many at most; default 3. */
  readonly heightOffsetBlocks?: number;
  /** Probability that a hop loses an onion message. */
  readonly lostMessages?: number;
}

/** A channel of ours to be. */
export interface OwnChannelPlan {
  readonly peerId: NodeId;
  readonly capacityMsat: Msat;
  /** Our side of it. */
  readonly localMsat: Msat;
}

/** Channels of ours to well-connected nodes, the largest first. */
export interface OwnChannelsByRank {
  /** Default 8. */
  readonly count?: number;
  /** The first this many of the best-connected nodes are skipped: for a poorer place. Default 0. */
  readonly skip?: number;
  /** Default 20,000,000 sat. */
  readonly capacityMsat?: Msat;
  /** Our side of it; default 0.75, so that much can be sent and something received. */
  readonly localShare?: number;
}

/** All knobs of a simulation. Only our node id must be given. */
export interface SimulationOptions {
  /** Our node id. */
  readonly ownNodeId: NodeId;
  /** 64 bits. Default 1. */
  readonly seed?: bigint | number;
  /** Default uniform. */
  readonly balances?: BalanceModel;
  readonly ownChannels?: readonly OwnChannelPlan[] | OwnChannelsByRank;
  /** Time from one node to the next, each way, drawn once per channel; default 10 … 100. */
  readonly latencyMs?: { readonly least: number; readonly most: number };
  /** Largest extra per HTLC and hop; default 10. */
  readonly jitterMs?: number;
  /** Height at the start; default 6 above the youngest channel. */
  readonly startHeight?: number;
  /** Mean time between blocks; default 600,000. */
  readonly blockIntervalMs?: number;
  /** What the clock shows at the start, UNIX milliseconds; default 2026-02-03 00:00 UTC. */
  readonly startMs?: number;
  /** How long a recipient waits for the rest of a multi-part payment; default 60,000 (BOLT 4). */
  readonly multiPartTimeoutMs?: number;
  /** Updates in failures carry real signatures; default false: nobody checks them, and one costs 50 us. */
  readonly signedUpdates?: boolean;
  /** Share of the nodes without announcement that return attribution data; default 0, as on the main network. */
  readonly attributionShare?: number;
  readonly faults?: FaultRates;
  /** Sees every line of the event log. */
  readonly onEvent?: (line: string) => void;
}

/** 2026-02-03 00:00 UTC. */
export const DEFAULT_START_MS = 1_770_076_800_000;
