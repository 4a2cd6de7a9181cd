/**
 * Requests to solvers, each with one answer. One subscription receives all answers, and a table maps them to their
 * requests.
 *
 * Each request of the NATS client creates a timer, a race of promises, and an error with a stack trace, even if the
 * answer arrives. Together they take more processor time than the rest of a request. Here, one periodic check covers
 * all timeouts.
 */
import { randomBytes } from 'node:crypto';
import { randomId } from '../model/random-id.ts';
import type { Msg, NatsConnection, Subscription } from './bus.ts';

/** A header with this code and no data means that the subject of a request has no subscribers. */
const NO_RESPONDERS = 503;

interface AwaitedAnswer {
  readonly solver: string;
  /** The deadline, by the clock of `giveUpLate`. */
  readonly untilMs: number;
  readonly resolve: (data: Uint8Array | undefined) => void;
}

/** Requests in progress. */
export class SolverCalls {
  readonly #bus: NatsConnection;
  readonly #prefix = `_INBOX.${randomId(randomBytes)}.`;
  readonly #answers: Subscription;
  readonly #calls = new Map<string, AwaitedAnswer>();
  #next = 0;
  #isOver = false;

  constructor(bus: NatsConnection) {
    this.#bus = bus;
    this.#answers = bus.subscribe(`${this.#prefix}*`, {
      callback: (error, message) => {
        if (error === null) this.#hear(message);
        // The server refuses the subscription, so no answer will ever arrive.
        else this.close();
      },
    });
  }

  get size(): number {
    return this.#calls.size;
  }

  /**
   * Sends a request, and waits for its answer. Never rejects.
   * @param solver key for `giveUp`
   * @param untilMs the deadline, by the clock of `giveUpLate`
   * @returns the answer. Undefined if there is no subscriber, or the request was abandoned.
   */
  ask(
    solver: string,
    subject: string,
    request: Uint8Array,
    untilMs: number,
  ): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      if (this.#isOver || this.#bus.isClosed()) {
        resolve(undefined);
        return;
      }
      const id = (this.#next++).toString(36);
      this.#calls.set(id, { solver, untilMs, resolve });
      try {
        this.#bus.publish(subject, request, { reply: this.#prefix + id });
      } catch {
        // The connection is being closed, or the server accepts no message of this size.
        this.#calls.delete(id);
        resolve(undefined);
      }
    });
  }

  /** Abandons all pending requests to this solver. */
  giveUp(solver: string): void {
    this.#giveUp((call) => call.solver === solver);
  }

  /** Abandons the requests whose deadline has passed. */
  giveUpLate(nowMs: number): void {
    this.#giveUp((call) => call.untilMs <= nowMs);
  }

  /** Abandons all requests, including later ones. */
  close(): void {
    this.#isOver = true;
    this.#answers.unsubscribe();
    this.#giveUp(() => true);
  }

  #hear({ subject, data, headers }: Msg): void {
    const id = subject.slice(this.#prefix.length);
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    const isNobody = data.length === 0 && headers?.code === NO_RESPONDERS;
    call.resolve(isNobody ? undefined : data);
  }

  #giveUp(isMeant: (call: AwaitedAnswer) => boolean): void {
    for (const [id, call] of this.#calls) {
      if (!isMeant(call)) continue;
      this.#calls.delete(id);
      call.resolve(undefined);
    }
  }
}
