/** Knowledge about sending from one node to a neighbour, over any of their channels, as in LND's mission control. */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';

/** An amount, and the time when it passed or failed, in UNIX seconds. */
export interface PairResult {
  readonly amountMsat: Msat;
  readonly timestamp: number;
}

/** What is known about sending from one node to the other. */
export interface PairBelief {
  readonly from: NodeId;
  readonly to: NodeId;
  /** The smallest amount that failed. 0 means that every amount is expected to fail. */
  readonly failed?: PairResult | undefined;
  /** The largest amount that passed. */
  readonly passed?: PairResult | undefined;
}
