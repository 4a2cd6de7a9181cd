/**
 * The interface between a simulation and any router: our kernel, a model of the router of other node software, or a
 * program behind a socket.
 */
import type { Circle } from '../../payments/plan/circle.ts';
import type { HtlcEnd } from '../truth/htlc-flow.ts';

/**
 * A route of a plan. Directions are indexes of the graph, amounts are in msat, and expiries in blocks above the tip.
 */
export interface PlannedRoute {
  readonly directions: readonly number[];
  /** The amount over each direction. */
  readonly amountsMsat: readonly bigint[];
  /** Blocks above the height at planning until the HTLC on each direction expires. */
  readonly expiries: readonly number[];
  /**
   * Predicted probability that this route alone carries its amount, in ppm. Undefined if the router makes no
   * prediction.
   */
  readonly probabilityPpm: number | undefined;
}

/** A router's result: routes that together deliver the amount, or no routes. */
export interface Plan {
  readonly routes: readonly PlannedRoute[];
  /** Predicted probability that all routes deliver their amounts, in ppm. */
  readonly probabilityPpm: number | undefined;
  /** The reason why the plan has no routes. */
  readonly reason?: 'noRoute' | 'routerFailed';
}

/** A plan without routes. */
export const NO_ROUTE: Plan = { routes: [], probabilityPpm: undefined, reason: 'noRoute' };

/** A search for a payment. */
export interface PlanQuestion {
  /** Number of the payment in the run. */
  readonly payment: number;
  readonly sender: number;
  readonly receiver: number;
  /** The amount that is not in flight yet, including the shadow amount. */
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  readonly maxparts: number;
  readonly maxDelayBlocks: number;
  /** Minimum number of blocks left for the last HTLC, including the shadow delay. */
  readonly finalCltv: number;
  /** Number of earlier attempts. */
  readonly round: number;
  readonly nowUs: number;
  /** The circle of a payment to oneself. Only routers with our kernel support these payments. */
  readonly circle?: Circle;
}

/** An attempt as reported to its router. */
export interface EndedAttempt {
  readonly payment: number;
  readonly sender: number;
  readonly route: PlannedRoute;
  readonly end: HtlcEnd;
  /** Whether the payment may have more than one part. */
  readonly severalParts: boolean;
  readonly height: number;
  readonly nowUs: number;
}

/** Whether the payment can still succeed after a failed attempt. */
export type AttemptVerdict = 'retry' | 'hopeless';

/** A router. Its functions are called in the order of simulated time. */
export interface PaymentRouter {
  readonly name: string;
  /** A payment begins. */
  begin(payment: number, sender: number, nowUs: number): void;
  plan(question: PlanQuestion): Plan | Promise<Plan>;
  /** A question of this sender is announced this many payments before it is asked. 0 means never. Default: 0. */
  reachOf?(sender: number): number;
  /**
   * Announces a question that will be asked soon. Called at the same simulated time for any number of workers, and in a
   * resumed run.
   */
  announce?(question: PlanQuestion): void;
  /**
   * Called after `announce`: a router with threads can now search ahead of time. The answer must equal the later result
   * of `plan`.
   */
  anticipate?(question: PlanQuestion): void;
  /**
   * Called instead of `plan` when the plan comes from the record of an interrupted run. A router whose `plan` changes
   * its beliefs must change them in this call too, so that a resumed run continues with the same beliefs.
   */
  replayed?(question: PlanQuestion): void;
  /**
   * Returns the plan with the router's current odds, for routers whose odds differ from those of their search. Called
   * when the plan is used, so it does not matter when the search finished.
   */
  restated?(sender: number, plan: Plan): Plan;
  /** How much the router expects to learn from a probe over this route, on the router's own scale. */
  expectedLesson?(sender: number, route: PlannedRoute): number;
  /** An attempt is sent. */
  sent(payment: number, sender: number, route: PlannedRoute, nowUs: number): void;
  ended(report: EndedAttempt): AttemptVerdict;
  /** A payment has ended, and none of its HTLCs is in flight. */
  finish(payment: number, sender: number): void;
  close(): Promise<void>;
}
