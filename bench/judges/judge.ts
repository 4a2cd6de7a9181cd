/**
 * Judges of odds: estimators that watch the payments of one router, and predict for each attempt the chance that it
 * arrives. So all are compared on the same observations. Each learns only from the outcomes of these attempts.
 *
 * An attempt counts as arrived if it reached its recipient.
 */

import type { KernelRouter } from '../../src/laboratory/routers/kernel-router.ts';
import type {
  AttemptVerdict,
  EndedAttempt,
  PaymentRouter,
  Plan,
  PlannedRoute,
  PlanQuestion,
} from '../../src/laboratory/routers/router.ts';
import type { KnownHop } from '../../src/payments/learn/odds-model.ts';

/** An attempt about to be sent. */
export interface JudgedAttempt {
  readonly sender: number;
  readonly route: PlannedRoute;
  /** What the router's layers contain about the balances on the route. */
  readonly known: readonly KnownHop[];
  readonly nowUs: number;
}

/** An estimator of chances. */
export interface OddsJudge {
  readonly name: string;
  /** The predicted chance of arrival, 0 … 1. */
  chance(attempt: JudgedAttempt): number;
  /** Learns from a finished attempt. */
  ended(report: EndedAttempt, known: readonly KnownHop[]): void;
}

/** Receives each finished attempt, with the chances that the judges predicted, in the order of the judges. */
export type JudgedListener = (chances: readonly number[], hasArrived: boolean) => void;

interface Stated {
  readonly chances: readonly number[];
  readonly known: readonly KnownHop[];
}

/** One of our routers, watched by judges. */
export class JudgedRouter implements PaymentRouter {
  readonly name: string;
  readonly #router: KernelRouter;
  readonly #judges: readonly OddsJudge[];
  readonly #listener: JudgedListener;
  readonly #stated = new Map<PlannedRoute, Stated>();

  constructor(router: KernelRouter, judges: readonly OddsJudge[], listener: JudgedListener) {
    this.name = router.name;
    this.#router = router;
    this.#judges = judges;
    this.#listener = listener;
  }

  begin(payment: number, sender: number, nowUs: number): void {
    this.#router.begin(payment, sender, nowUs);
  }

  plan(question: PlanQuestion): Plan | Promise<Plan> {
    return this.#router.plan(question);
  }

  anticipate(question: PlanQuestion): void {
    this.#router.anticipate(question);
  }

  restated(sender: number, plan: Plan): Plan {
    return this.#router.restated(sender, plan);
  }

  sent(payment: number, sender: number, route: PlannedRoute, nowUs: number): void {
    this.#router.sent(payment, sender, route, nowUs);
    const known = this.#router.knownWhenSent(payment, route);
    const attempt = { sender, route, known, nowUs };
    this.#stated.set(route, { chances: this.#judges.map((judge) => judge.chance(attempt)), known });
  }

  ended(report: EndedAttempt): AttemptVerdict {
    const { route, end } = report;
    const { chances, known } = this.#stated.get(route)!;
    this.#stated.delete(route);
    for (const judge of this.#judges) judge.ended(report, known);
    this.#listener(chances, end.kind === 'settled' || end.index >= route.directions.length);
    return this.#router.ended(report);
  }

  finish(payment: number, sender: number): void {
    this.#router.finish(payment, sender);
  }

  close(): Promise<void> {
    return this.#router.close();
  }
}
