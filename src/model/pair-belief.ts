/** What was learned of a direction between two nodes, over any of their channels, as in LND's mission control. */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';

/** An amount, and when it passed or failed, UNIX seconds. */
export interface PairResult {
  readonly amountMsat: Msat;
  readonly timestamp: number;
}

/** What is known of the direction between two nodes. */
export interface PairBelief {
  readonly from: NodeId;
  readonly to: NodeId;
  /** The least amount that did not pass. An amount of 0 means that nothing passed, regardless of the amount. */
  readonly failed?: PairResult | undefined;
  /** The largest amount that passed. */
  readonly passed?: PairResult | undefined;
}
