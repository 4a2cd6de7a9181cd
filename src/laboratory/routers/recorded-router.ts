/**
 * A router whose plans are recorded. A resumed run takes plans from the record of the interrupted run. The wrapped
 * router still receives every payment and attempt, so its state develops as in the interrupted run. When the record
 * ends, the wrapped router searches.
 */
import type { PlanJournal, RecordedPlans } from '../results/plan-journal.ts';
import type { AttemptVerdict, EndedAttempt, PaymentRouter, Plan, PlanQuestion } from './router.ts';

/** The unused plans of an interrupted run. */
export class PlansToReplay {
  readonly #recorded: RecordedPlans | undefined;
  readonly #early = new Map<string, Plan>();
  #hasEnded: boolean;

  /** @param recorded undefined for a new run */
  constructor(recorded: RecordedPlans | undefined) {
    this.#recorded = recorded;
    this.#hasEnded = recorded === undefined;
  }

  /** Whether no recorded plan is left. */
  get isEmpty(): boolean {
    return this.#hasEnded && this.#early.size === 0;
  }

  /** The recorded plan for a question. Undefined if the interrupted run did not record a plan for it. */
  take(world: number, payment: number, round: number): Plan | undefined {
    const key = keyOf(world, payment, round);
    while (!this.#hasEnded && !this.#early.has(key)) {
      const next = this.#recorded?.next();
      if (next === undefined) this.#hasEnded = true;
      else this.#early.set(keyOf(next.world, next.payment, next.round), next.plan);
    }
    const plan = this.#early.get(key);
    this.#early.delete(key);
    return plan;
  }

  close(): void {
    this.#recorded?.close();
  }
}

const keyOf = (world: number, payment: number, round: number): string => `${world}:${payment}:${round}`;

/** Wraps a router and records its plans. */
export class RecordedRouter implements PaymentRouter {
  readonly name: string;
  readonly #router: PaymentRouter;
  readonly #world: number;
  readonly #replay: PlansToReplay;
  readonly #journal: PlanJournal;

  constructor(router: PaymentRouter, world: number, replay: PlansToReplay, journal: PlanJournal) {
    this.name = router.name;
    this.#router = router;
    this.#world = world;
    this.#replay = replay;
    this.#journal = journal;
  }

  begin(payment: number, sender: number, nowUs: number): void {
    this.#router.begin(payment, sender, nowUs);
  }

  plan(question: PlanQuestion): Plan | Promise<Plan> {
    const { payment, round } = question;
    const known = this.#replay.take(this.#world, payment, round);
    if (known !== undefined) {
      this.#router.replayed?.(question);
      return known;
    }
    const plan = this.#router.plan(question);
    if (!(plan instanceof Promise)) return this.#recorded(payment, round, plan);
    return plan.then((found) => this.#recorded(payment, round, found));
  }

  #recorded(payment: number, round: number, plan: Plan): Plan {
    this.#journal.add({ world: this.#world, payment, round, plan });
    return plan;
  }

  reachOf(sender: number): number {
    return this.#router.reachOf?.(sender) ?? 0;
  }

  announce(question: PlanQuestion): void {
    this.#router.announce?.(question);
  }

  anticipate(question: PlanQuestion): void {
    if (this.#replay.isEmpty) this.#router.anticipate?.(question);
  }

  restated(sender: number, plan: Plan): Plan {
    return this.#router.restated?.(sender, plan) ?? plan;
  }

  expectedLesson(sender: number, route: Plan['routes'][number]): number {
    return this.#router.expectedLesson?.(sender, route) ?? 0;
  }

  sent(payment: number, sender: number, route: Plan['routes'][number], nowUs: number): void {
    this.#router.sent(payment, sender, route, nowUs);
  }

  ended(report: EndedAttempt): AttemptVerdict {
    return this.#router.ended(report);
  }

  finish(payment: number, sender: number): void {
    this.#router.finish(payment, sender);
  }

  async close(): Promise<void> {
    await this.#router.close();
  }
}
