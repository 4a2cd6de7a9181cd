/**
 * The log of one fetch: each way that was tried, and how far it got. If the fetch fails, the error's `data` contains
 * the log.
 */
import type { Clock } from '../model/clock.ts';
import type { MessageRoute } from './messenger.ts';
import type { WayFailure } from './way-failure.ts';

/** How far one way to the issuer got. */
export type StepOutcome =
  /** Still connecting to the node. */
  | 'connecting'
  /** The way exists, and the request is being sent. */
  | 'sending'
  /** There was no way to the node, or the way failed before the request left. */
  | 'unreachable'
  /** The request left, but no reply has arrived. */
  | 'sent'
  | 'answered';

/** One way that was tried. */
export interface FetchStep {
  /** The destination of the request: a node id, or a channel direction that identifies a node. */
  readonly target: string;
  /** Index of the offer's path, from 0. Absent for the issuer itself. */
  readonly offerPath?: number;
  /** Nodes from our first peer to the target. */
  route?: MessageRoute;
  /** Whether a new connection to the target was needed. */
  connected?: boolean;
  outcome: StepOutcome;
  reason?: WayFailure;
  /** Milliseconds after the fetch began. */
  readonly startedMs: number;
  tookMs: number;
}

const ENDED: readonly StepOutcome[] = ['unreachable', 'answered'];
/** Maximum number of steps kept. Only offers with very many paths reach this. */
const MAX_STEPS = 64;

/** Collects the ways that a fetch has tried, in order. */
export class FetchSteps {
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #steps: FetchStep[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
  }

  begin(target: string, offerPath: number | undefined): FetchStep {
    const step: FetchStep = {
      target,
      ...(offerPath !== undefined && { offerPath }),
      outcome: 'sending',
      startedMs: this.#elapsedMs(),
      tookMs: 0,
    };
    if (this.#steps.length < MAX_STEPS) this.#steps.push(step);
    return step;
  }

  end(step: FetchStep, outcome: StepOutcome, reason?: WayFailure): void {
    step.outcome = outcome;
    step.tookMs = this.#elapsedMs() - step.startedMs;
    if (reason !== undefined) step.reason = reason;
  }

  /** Copies of the steps so far. The duration of an unfinished step is counted until now. */
  list(): readonly FetchStep[] {
    const copies: FetchStep[] = [];
    for (const step of this.#steps) {
      if (!ENDED.includes(step.outcome)) step.tookMs = this.#elapsedMs() - step.startedMs;
      copies.push({ ...step });
    }
    return copies;
  }

  #elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#beganMs;
  }
}
