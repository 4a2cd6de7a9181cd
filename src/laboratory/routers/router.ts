/**
 * The interface through which a simulation asks any router: our kernel, a model of another node's, or a
 * program behind a socket.
 */
import type { Circle } from '../../payments/plan/circle.ts';
import type { HtlcEnd } from '../truth/htlc-flow.ts';

/** One route of a plan. Nodes and directions are indexes of the graph, amounts msat, expiries blocks above the tip. */
export interface PlannedRoute {
  readonly directions: readonly number[];
  /** What crosses each direction. */
  readonly amountsMsat: readonly bigint[];
  /** Blocks above the height at planning until the HTLC on each direction expires. */
  readonly expiries: readonly number[];
  /** Stated probability that this route alone carries its amount, in ppm. Undefined where the router states none. */
  readonly probabilityPpm: number | undefined;
}

/** What a router finds: routes that together deliver the amount, or none. */
export interface Plan {
  readonly routes: readonly PlannedRoute[];
  /** Stated probability that all of them arrive, in ppm. */
  readonly probabilityPpm: number | undefined;
  /** Why there is no route, or why the router could not be asked. */
  readonly reason?: 'noRoute' | 'routerFailed';
}

/** A plan without routes. */
export const NO_ROUTE: Plan = { routes: [], probabilityPpm: undefined, reason: 'noRoute' };

/** One search for a payment. */
export interface PlanQuestion {
  /** Number of the payment in the run. */
  readonly payment: number;
  readonly sender: number;
  readonly receiver: number;
  /** What is not on its way yet, shadow included. */
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  readonly maxparts: number;
  readonly maxDelayBlocks: number;
  /** Minimum blocks left for the last HTLC, including the shadow delay. */
  readonly finalCltv: number;
  /** Number of attempts made before. */
  readonly round: number;
  readonly nowUs: number;
  /** Of a payment to oneself. Only routers of our kernel can be asked. */
  readonly circle?: Circle;
}

/** An attempt as reported to its router. */
export interface EndedAttempt {
  readonly payment: number;
  readonly sender: number;
  readonly route: PlannedRoute;
  readonly end: HtlcEnd;
  /** Whether the recipient was promised more than one part. */
  readonly severalParts: boolean;
  readonly height: number;
  readonly nowUs: number;
}

/** Whether the payment can still succeed after a failed attempt. */
export type AttemptVerdict = 'retry' | 'hopeless';

/** A router. Calls come in the order of simulated time. */
export interface PaymentRouter {
  readonly name: string;
  /** A payment begins. */
  begin(payment: number, sender: number, nowUs: number): void;
  plan(question: PlanQuestion): Plan | Promise<Plan>;
  /**
   * A hint that this question will be asked soon, so that a router with threads can search ahead of time. The answer
   * must be what `plan` would find when it is asked.
   */
  anticipate?(question: PlanQuestion): void;
  /**
   * The plan for this question comes from the record of an interrupted run. A router whose `plan` changes what it believes
   * changes it here too, so that a resumed run goes on from the same beliefs.
   */
  replayed?(question: PlanQuestion): void;
  /**
   * A plan with the odds that the router states at this moment, for routers that state other odds than their search.
   * Called when the plan is used, so that it does not matter when an answer came.
   */
  restated?(sender: number, plan: Plan): Plan;
  /** What a probe over this route is expected to teach, on a scale of the router's own. */
  expectedLesson?(sender: number, route: PlannedRoute): number;
  /** An attempt leaves. */
  sent(payment: number, sender: number, route: PlannedRoute, nowUs: number): void;
  ended(report: EndedAttempt): AttemptVerdict;
  /** A payment is over, and nothing of it is in flight. */
  finish(payment: number, sender: number): void;
  close(): Promise<void>;
}
