/** The story of one fetch, told in `data` when it fails: each way that was tried and how far it came. */
import { toHex } from '../bolt/bytes.ts';
import type { Clock } from '../model/clock.ts';
import type { MessageRoute } from './messenger.ts';

/** How far one way to the issuer came. */
export type StepOutcome =
  /** We are still connecting to the node. */
  | 'connecting'
  /** There is a way, and the request waits for its turn. */
  | 'sending'
  /** No way to the node, or the way broke before the request left. */
  | 'unreachable'
  /** The request left and nothing has come back. */
  | 'sent'
  | 'answered';

/** One way that was tried. */
export interface FetchStep {
  /** Where the request was to go: a node id, or a channel direction that names one. */
  readonly target: string;
  /** Which of the offer's paths, from 0; absent for the issuer itself. */
  readonly offer_path?: number;
  /** Nodes from our first peer to the target. */
  route?: readonly string[];
  /** Whether we had to connect to the target for it. */
  connected?: boolean;
  outcome: StepOutcome;
  reason?: string;
  /** After the fetch began. */
  readonly started_ms: number;
  took_ms: number;
}

const ENDED: readonly StepOutcome[] = ['unreachable', 'answered'];
/** Steps kept at most: a fetch makes fewer, but for offers of very many paths. */
const MAX_STEPS = 64;

/** Collects the ways that a fetch has tried, in order. */
export class FetchSteps {
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #steps: FetchStep[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.nowMs();
  }

  begin(target: string, offerPath: number | undefined): FetchStep {
    const step: FetchStep = {
      target,
      ...(offerPath !== undefined && { offer_path: offerPath }),
      outcome: 'sending',
      started_ms: this.#elapsedMs(),
      took_ms: 0,
    };
    if (this.#steps.length < MAX_STEPS) this.#steps.push(step);
    return step;
  }

  end(step: FetchStep, outcome: StepOutcome, reason?: string): void {
    step.outcome = outcome;
    step.took_ms = this.#elapsedMs() - step.started_ms;
    if (reason !== undefined) step.reason = reason;
  }

  /** Steps that have not come to an end have taken until now. */
  list(): readonly FetchStep[] {
    for (const step of this.#steps) {
      if (!ENDED.includes(step.outcome)) step.took_ms = this.#elapsedMs() - step.started_ms;
    }
    return this.#steps;
  }

  #elapsedMs(): number {
    return this.#clock.nowMs() - this.#beganMs;
  }
}

/** The node ids of a route, as hex. */
export function routeText(route: MessageRoute): readonly string[] {
  return route.map(toHex);
}
