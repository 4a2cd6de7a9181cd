/**
 * Requests to solvers, each with one answer. One subscription receives all answers, and a table maps them to their
 * requests.
 *
 * Each request of the NATS client creates a timer, a race of promises, and an error with a stack trace, even if the
 * answer arrives. Together they take more processor time than the rest of a request. Here, one periodic check covers
 * all timeouts.
 *
 * Requests to the same solver in the same turn of the event loop are sent as one message (`SolveBatch`). A batch waits
 * for nothing else, so a single request is not delayed. The requests of a batch have separate answers and deadlines.
 */
import { randomBytes } from 'node:crypto';
import { randomId } from '../model/random-id.ts';
import type { Msg, NatsConnection, Subscription } from './bus.ts';
import { type BatchReply, pack, type SolveReply, unpack } from './bus-messages.ts';

/** A header with this code and no data means that the subject of a request has no subscribers. */
const NO_RESPONDERS = 503;
/**
 * Maximum size of a batch of several requests in bytes. Large messages gain nothing, and some servers accept less than
 * NATS's default of 1 MiB.
 */
const MAX_BATCH_BYTES = 60_000;

/** An answer: the bytes of a message, or an answer from a `BatchReply`. */
export type HeardAnswer = Uint8Array | SolveReply;

interface AwaitedAnswer {
  readonly solver: string;
  /** The deadline, by the clock of `giveUpLate`. */
  readonly untilMs: number;
  readonly resolve: (answer: HeardAnswer | undefined) => void;
}

/** A message whose answers are awaited. Answered requests are undefined. */
interface Sent {
  readonly calls: (AwaitedAnswer | undefined)[];
  readonly isBatch: boolean;
  left: number;
}

/** A batch that has not been sent. */
interface OpenBatch {
  readonly id: string;
  readonly subject: string;
  readonly sent: Sent;
  readonly searches: Uint8Array[];
  bytes: number;
}

/** The batches that a solver accepts. */
export interface BatchTerms {
  /** Id of the fleet. */
  readonly fleet: string;
  /** Maximum number of requests. */
  readonly most: number;
}

/** Requests in progress. */
export class SolverCalls {
  readonly #bus: NatsConnection;
  readonly #prefix = `_INBOX.${randomId(randomBytes)}.`;
  readonly #answers: Subscription;
  readonly #sent = new Map<string, Sent>();
  /** Batches by solver. */
  readonly #open = new Map<string, OpenBatch & BatchTerms>();
  #sending: NodeJS.Immediate | undefined;
  #next = 0;
  #size = 0;
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
    return this.#size;
  }

  /**
   * Sends a request, and waits for its answer. Never rejects.
   * @param solver key for `giveUp`
   * @param untilMs the deadline, by the clock of `giveUpLate`
   * @param batch if the request may be in a batch. It must then be packed by `packSearch`
   * @returns the answer. Undefined if there is no subscriber, or the request was abandoned.
   */
  ask(
    solver: string,
    subject: string,
    request: Uint8Array,
    untilMs: number,
    batch?: BatchTerms,
  ): Promise<HeardAnswer | undefined> {
    return new Promise((resolve) => {
      if (this.#isOver || this.#bus.isClosed()) {
        resolve(undefined);
        return;
      }
      const call = { solver, untilMs, resolve };
      if (batch !== undefined) {
        this.#collect(subject, request, call, batch);
        return;
      }
      const { id, sent } = this.#begin(false);
      this.#add(sent, call);
      this.#publish(id, subject, request);
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
    clearImmediate(this.#sending);
    this.#open.clear();
    this.#answers.unsubscribe();
    this.#giveUp(() => true);
  }

  #begin(isBatch: boolean): { readonly id: string; readonly sent: Sent } {
    const id = (this.#next++).toString(36);
    const sent = { calls: [], isBatch, left: 0 };
    this.#sent.set(id, sent);
    return { id, sent };
  }

  #add(sent: Sent, call: AwaitedAnswer): void {
    sent.calls.push(call);
    sent.left++;
    this.#size++;
  }

  #collect(subject: string, request: Uint8Array, call: AwaitedAnswer, { fleet, most }: BatchTerms): void {
    let batch = this.#open.get(call.solver);
    const isFull = batch !== undefined && batch.bytes + request.length > MAX_BATCH_BYTES;
    if (isFull) this.#sendBatch(batch!);
    // If all requests of a batch were abandoned, it is not sent.
    if (batch === undefined || isFull || batch.sent.left === 0) {
      batch = { ...this.#begin(true), subject, fleet, most, searches: [], bytes: 0 };
      this.#open.set(call.solver, batch);
    }
    this.#add(batch.sent, call);
    batch.searches.push(request);
    batch.bytes += request.length;
    if (batch.searches.length < most) this.#sending ??= setImmediate(() => this.#sendBatches());
    else {
      this.#open.delete(call.solver);
      this.#sendBatch(batch);
    }
  }

  #sendBatches(): void {
    this.#sending = undefined;
    for (const batch of this.#open.values()) this.#sendBatch(batch);
    this.#open.clear();
  }

  #sendBatch({ id, subject, sent, fleet, searches }: OpenBatch & BatchTerms): void {
    if (sent.left > 0) this.#publish(id, subject, pack({ fleet, searches }));
  }

  #publish(id: string, subject: string, message: Uint8Array): void {
    try {
      this.#bus.publish(subject, message, { reply: this.#prefix + id });
    } catch {
      // The connection is being closed, or the server accepts no message of this size.
      this.#endAll(id, undefined);
    }
  }

  #hear({ subject, data, headers }: Msg): void {
    const id = subject.slice(this.#prefix.length);
    const sent = this.#sent.get(id);
    if (sent === undefined) return;
    const isNobody = data.length === 0 && headers?.code === NO_RESPONDERS;
    const reply = sent.isBatch && !isNobody ? batchReply(data) : undefined;
    if (reply === undefined) {
      this.#endAll(id, isNobody ? undefined : data);
      return;
    }
    const { fleet, solver, answers } = reply;
    for (const [index, packed, other] of answers) {
      this.#end(id, sent, index, packed === null ? { fleet, solver, ...other } : { fleet, solver, packed });
    }
  }

  #endAll(id: string, answer: HeardAnswer | undefined): void {
    const sent = this.#sent.get(id);
    for (let index = 0; index < (sent?.calls.length ?? 0); index++) this.#end(id, sent!, index, answer);
  }

  #end(id: string, sent: Sent, index: number, answer: HeardAnswer | undefined): void {
    const call = sent.calls[index];
    // The index may come from another machine.
    if (call === undefined || typeof index !== 'number') return;
    sent.calls[index] = undefined;
    this.#size--;
    if (--sent.left === 0) this.#sent.delete(id);
    call.resolve(answer);
  }

  #giveUp(isMeant: (call: AwaitedAnswer) => boolean): void {
    for (const [id, sent] of this.#sent) {
      for (const [index, call] of sent.calls.entries()) {
        if (call !== undefined && isMeant(call)) this.#end(id, sent, index, undefined);
      }
    }
  }
}

/** The answers to a batch. Undefined if the message is none, and is judged as an answer to each search. */
function batchReply(data: Uint8Array): BatchReply | undefined {
  try {
    const reply = unpack<BatchReply>(data, { solver: 'string', answers: 'object' });
    return Array.isArray(reply.answers) && reply.answers.every(Array.isArray) ? reply : undefined;
  } catch {
    return undefined;
  }
}
