/** One search for a payment, as the planner is asked. */

import type { RouteOptions } from '../../engine/host/engine-options.ts';
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { PaymentRequest, ShadowOffset } from '../payment.ts';

/** One search for a payment. */
export interface PlanQuery {
  readonly request: PaymentRequest;
  /** Amount that these routes are to deliver, shadow included. */
  readonly amountMsat: Msat;
  /** Maximum fees of these routes. */
  readonly maxfeeMsat: Msat;
  readonly shadow: ShadowOffset;
  readonly maxparts: number;
  /** Number of attempts made before. Each search draws noise of its own from it. */
  readonly round: number;
  readonly privateLayers: readonly string[];
  /** Nodes of ours that this search must not use. Only where several nodes pay. */
  readonly closedNodes?: ReadonlySet<NodeId>;
  /** Whether prices of nodes count. Only where several nodes pay. */
  readonly countsPrices?: boolean;
  /** Whether discounts for what comes in are taken off the routes. Default: they are. */
  readonly discounts?: boolean;
  /** Whether the layers with what attempts of all payments taught do not count. Default: they count. */
  readonly disregardsLearned?: boolean;
  /** Settings of the objective. Undefined: the usual ones. */
  readonly knobs?: ObjectiveKnobs | undefined;
  readonly asker: QueuePlace;
}

/** The lane and the client under which a search waits in the queue of the route engine. */
export type QueuePlace = Pick<RouteOptions, 'lane' | 'client'>;
