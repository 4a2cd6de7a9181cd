/** What was learned of a direction between two nodes, over whichever of their channels: LND's mission control tells so. */
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
  /** The least amount that did not pass. An amount of 0: nothing passed, whatever the amount. */
  readonly failed?: PairResult | undefined;
  /** The largest amount that passed. */
  readonly passed?: PairResult | undefined;
}
