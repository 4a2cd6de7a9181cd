/** One search for a payment, as requested from the planner. */

import type { RouteOptions } from '../../engine/host/engine-options.ts';
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { PaymentRequest, ShadowOffset } from '../payment.ts';

/** One search for a payment. */
export interface PlanQuery {
  readonly request: PaymentRequest;
  /** Amount that these routes must deliver, including the shadow amount. */
  readonly amountMsat: Msat;
  /** Maximum total fees of these routes. */
  readonly maxfeeMsat: Msat;
  readonly shadow: ShadowOffset;
  readonly maxparts: number;
  /** Number of previous attempts, from which each search derives different noise. */
  readonly round: number;
  readonly privateLayers: readonly string[];
  /** Our nodes that this search must not use. Only used with several nodes. */
  readonly closedNodes?: ReadonlySet<NodeId>;
  /** Whether the nodes' prices count. Only used with several nodes. Default: false. */
  readonly countsPrices?: boolean;
  /** Whether to subtract inbound discounts from the routes. Default: true. */
  readonly discounts?: boolean;
  /** Whether to ignore the layers with the lessons of all payments. Default: false. */
  readonly disregardsLearned?: boolean;
  /** Settings of the objective. Default: those of src/engine/question/objective.ts. */
  readonly knobs?: ObjectiveKnobs | undefined;
  readonly asker: QueuePlace;
}

/** The lane and the client of a search in the route engine's queue. */
export type QueuePlace = Pick<RouteOptions, 'lane' | 'client'>;
