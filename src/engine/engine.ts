/**
 * The route engine: a queue of route requests, with their deadlines, the choice of a solver and the second try, over
 * links to solvers (solver-link.ts): threads of this process, or others.
 *
 * Requests wait in a bounded queue (request-queue.ts; beyond it: error `busy`) and go to the least loaded worker,
 * of equals to one that has their layers applied already, else to the one idle for longest: who alternates between
 * layers, or two who use different ones, need not have them applied anew for each request. What a payment asks waits
 * for one query at most: it goes to a worker only when no query is in that worker's hands, meanwhile no query goes
 * to any, and one worker never has a second query at hand. The engine knows what every solver's copy of the layers has seen, and sends
 * each change once. The request a solver dies of fails, one that waited behind it is asked again, and so is one for a
 * version of the graph that the solver does not have yet. A request has a deadline: first the search is told to stop, and
 * a worker that does not even then is replaced. Whatever happens, the caller gets a typed error.
 */
import { automaticLayer, resolveLayers } from '../layers/automatic.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { realClock } from '../model/clock.ts';
import { type ErrorName, FulguriteError } from '../model/errors.ts';
import { LayerFeed } from './layer-feed.ts';
import { LocalSolvers, type LocalSolversOptions } from './local-solvers.ts';
import { decodeReply, encode, type RouteReply, type WireQuery } from './messages.ts';
import { nameReservations } from './name-reservations.ts';
import type { ObjectiveKnobs } from './objective.ts';
import { type Lane, RequestQueue } from './request-queue.ts';
import type { RouteAnswer, RouteQuery } from './route.ts';
import { allowedRemedies, type RemedyRules } from './route-outcome.ts';
import type { SolverLink, Solvers } from './solver-link.ts';

export interface EngineOptions extends LocalSolversOptions {
  readonly book: LayerBook;
  /** Who answers; default threads of this process, as the other options say. The engine closes them. */
  readonly solvers?: Solvers;
  /** Queries waiting beyond those in the workers' hands, and as many searches of payments; default 20,000. */
  readonly queueSize?: number;
  /** Deadline in milliseconds of a request that brings none, asked for each; default 10,000 (as askrene-timeout). */
  readonly deadlineMs?: () => number;
}

export interface RouteOptions {
  readonly deadlineMs?: number;
  /** `payment` where money waits for the answer; default `query`. */
  readonly lane?: Lane;
  /** Who asks, for fairness: requests of one client wait for each other. Default: one client for all of them. */
  readonly client?: object;
  /** Whether deprecated automatic layers are known; default true. */
  readonly deprecatedApis?: boolean;
  /** Most hops a route may have: what the onion holds; default 20. */
  readonly maxhops?: number;
  readonly knobs?: ObjectiveKnobs;
  /** What a remedy may change; false: none is looked for. Default: every parameter of `getroutes`. */
  readonly remedies?: RemedyRules | false;
}

export interface EngineStats {
  readonly workers: number;
  readonly queued: number;
  readonly running: number;
  readonly answered: number;
  readonly replaced: number;
  readonly memoryBytes: number;
}

/** After "stop" a search answers within microseconds; a worker silent for this long is stuck. */
const GRACE_MS = 2_000;
/** The worker with at most one query in its hands, where there are several: payments get in there soonest. */
const READY_WORKER = 0;
const DEFAULT_MAXHOPS = 20;
/** How often a request finds solvers that lack the graph it is for, before it fails. */
const MAX_OUTDATED = 8;

/** Who asks when nobody says. */
const NOBODY = {};
const DEFAULT_QUEUE_SIZE = 20_000;

interface Pending {
  readonly task: number;
  readonly lane: Lane;
  readonly client: object;
  readonly query: WireQuery;
  readonly deadline: number;
  readonly resolve: (answer: RouteAnswer) => void;
  readonly reject: (error: Error) => void;
  stopTimer: () => void;
  worker: Worker | undefined;
  /** Its deadline passed while it was in a worker's hands. */
  late: boolean;
  /** Waited in a thread that died of another request. */
  innocent: boolean;
  /** Times that a solver did not have the graph it is for. */
  outdated: number;
}

interface Worker {
  readonly workerIndex: number;
  readonly link: SolverLink;
  /** Layer chunks sent so far; −1 when the solver is new. */
  at: number;
  /** See `WorkerLoad`. */
  layers: string;
  lastTask: number;
  readonly running: Set<Pending>;
}

/** Threads answer in order of arrival: the first one runs. */
const firstOf = (running: ReadonlySet<Pending>): Pending | undefined => running.values().next().value;

/** What the choice of a worker depends on. */
export interface WorkerLoad {
  readonly running: { readonly size: number };
  /** Layers of the last request it was given, which it keeps applied; and that request's number. */
  readonly layers: string;
  readonly lastTask: number;
}

/** The worker for a request under these layers: the least loaded, then one that has them, then the longest idle. */
export function fittestWorker<W extends WorkerLoad>(workers: readonly W[], layers: string): W {
  return workers.reduce((best, other) => (suitsBetter(other, best, layers) ? other : best));
}

function suitsBetter(a: WorkerLoad, b: WorkerLoad, layers: string): boolean {
  if (a.running.size !== b.running.size) return a.running.size < b.running.size;
  const [isReady, isOtherReady] = [a.layers === layers, b.layers === layers];
  return isReady === isOtherReady ? a.lastTask < b.lastTask : isReady;
}

const TIMED_OUT = 'linear_routes: timed out after deadline';

export class RouteEngine {
  readonly #book: LayerBook;
  readonly #solvers: Solvers;
  readonly #feed: LayerFeed;
  readonly #workers: Worker[];
  readonly #queue: RequestQueue<Pending>;
  readonly #deadlineMs: () => number;
  #graphVersion = 0;
  #nextTask = 1;
  #answered = 0;
  #replaced = 0;
  #closed = false;

  constructor(options: EngineOptions) {
    this.#book = options.book;
    this.#queue = new RequestQueue(options.queueSize ?? DEFAULT_QUEUE_SIZE);
    this.#deadlineMs = options.deadlineMs ?? (() => 10_000);
    this.#solvers = options.solvers ?? new LocalSolvers(options);
    this.#feed = new LayerFeed(options.book);
    this.#workers = this.#solvers.links.map((link, workerIndex) => ({
      workerIndex,
      link,
      at: -1,
      layers: '',
      lastTask: 0,
      running: new Set(),
    }));
  }

  /** Publishes the graph as it is now: queries asked from here on are answered on it. */
  publish(graph: ChannelGraph): void {
    this.#graphVersion = this.#solvers.publish(graph);
  }

  /**
   * Finds routes.
   * @throws FulguriteError -32602 unknown layer; 205, 206, 215, 220 with reason and remedy in `data`; 210 when
   *   the deadline passes; -32001 when the queue is full
   *   and no other client has more waiting; -4 when the worker died; -5 when closed.
   */
  getroutes(query: RouteQuery, options: RouteOptions = {}): Promise<RouteAnswer> {
    if (this.#closed) return Promise.reject(new FulguriteError('shuttingDown', 'the route engine is closed'));
    return new Promise((resolve, reject) => {
      const wire = this.#resolve(query, options);
      const task = this.#nextTask;
      this.#nextTask = (this.#nextTask % 0x7fffffff) + 1;
      const deadlineMs = options.deadlineMs ?? this.#deadlineMs();
      const pending: Pending = {
        task,
        lane: options.lane ?? 'query',
        client: options.client ?? NOBODY,
        query: wire,
        deadline: Date.now() + deadlineMs,
        resolve,
        reject,
        stopTimer: () => undefined,
        worker: undefined,
        late: false,
        innocent: false,
        outdated: 0,
      };
      if (deadlineMs <= 0) this.#fail(pending, 'timedOut', TIMED_OUT, { binding: { kind: 'deadline' } });
      else this.#admit(pending, deadlineMs);
    });
  }

  /** Sends it to a worker that is free for it, or lets it wait. */
  #admit(pending: Pending, deadlineMs: number): void {
    pending.stopTimer = realClock.after(deadlineMs, () => this.#onDeadline(pending));
    const worker = this.#queue.size === 0 ? this.#workerFor(pending) : undefined;
    if (worker !== undefined) {
      this.#send(worker, pending);
      return;
    }
    const refused = this.#queue.add(pending);
    if (refused !== undefined) this.#refuse(refused);
    this.#dispatch();
  }

  #refuse(refused: Pending): void {
    const { lane, client } = refused;
    const [size, waiting] = [this.#queue.laneSize, this.#queue.ofClient(lane, client)];
    const what = lane === 'payment' ? 'searches of payments' : 'route queries';
    this.#fail(
      refused,
      'busy',
      `${size} ${what} are waiting, ${waiting} of them of this client: ask again when some are answered, ` +
        'or start with a larger --queue-size',
      { queue_size: size, waiting: this.#queue.waiting(lane), waiting_of_client: waiting },
    );
  }

  #resolve(query: RouteQuery, options: RouteOptions): WireQuery {
    const { layers, ...rest } = query;
    const resolved = resolveLayers(this.#book, layers, options.deprecatedApis ?? true);
    const names = layers.filter((name) => automaticLayer(name)?.changes !== 'request');
    return {
      ...rest,
      maxparts: resolved.noMpp ? 1 : query.maxparts,
      layerIds: resolved.layerIds,
      layerNames: names,
      includeFees: resolved.includeFees,
      maxhops: options.maxhops ?? DEFAULT_MAXHOPS,
      ...(options.knobs && { knobs: options.knobs }),
      ...allowedRemedies(options.remedies, resolved.noMpp),
    };
  }

  #dispatch(): void {
    for (let next = this.#queue.first(); next !== undefined; next = this.#queue.first()) {
      const worker = this.#workerFor(next);
      if (worker === undefined) return;
      this.#queue.take();
      this.#send(worker, next);
    }
  }

  /** The worker that takes the request now; undefined when it has to wait. */
  #workerFor({ lane, query }: Pending): Worker | undefined {
    const free = this.#workers.filter((worker) => worker.running.size < this.#roomFor(lane, worker));
    return free.length === 0 ? undefined : fittestWorker(free, String(query.layerIds));
  }

  /** Requests that the worker may have in its hands for one more of this lane to join them. */
  #roomFor(lane: Lane, { workerIndex, running, link }: Worker): number {
    if (lane === 'query') return workerIndex === READY_WORKER && this.#workers.length > 1 ? 1 : link.depth;
    for (const other of running) if (other.lane === 'query') return 0;
    return link.depth;
  }

  #send(worker: Worker, pending: Pending): void {
    worker.layers = String(pending.query.layerIds);
    worker.lastTask = pending.task;
    const layers = this.#feed.since(worker.at);
    worker.at = layers.to;
    // A thread that never asked anything gets everything from nothing: nothing is kept for it.
    this.#feed.trim(Math.min(...this.#workers.map((w) => w.at).filter((at) => at >= 0)));
    const { task, deadline, query } = pending;
    const message = encode({ task, deadline, graph: this.#graphVersion, layers, query });
    pending.worker = worker;
    worker.running.add(pending);
    worker.link.send(task, message).then(
      (bytes) => this.#onReply(worker, pending, decodeReply(bytes)),
      (error: Error) => this.#onCrash(worker, pending, error),
    );
  }

  #onReply(worker: Worker, pending: Pending, reply: RouteReply): void {
    worker.running.delete(pending);
    const next = firstOf(worker.running);
    if (next?.late) this.#stop(worker, next);
    if ('stale' in reply) {
      worker.at = -1;
      this.#askAgain(pending);
    } else if ('outdated' in reply) {
      pending.outdated++;
      if (pending.outdated < MAX_OUTDATED) this.#askAgain(pending);
      else this.#fail(pending, 'workerDied', 'no solver has the graph yet that the request is for');
    } else {
      this.#answered++;
      pending.stopTimer();
      if ('answer' in reply) pending.resolve(reply.answer);
      else if ('failure' in reply) {
        const { error, message, data } = nameReservations(
          reply.failure,
          this.#book,
          pending.query.layerNames,
        );
        pending.reject(new FulguriteError(error, message, data));
      } else pending.reject(new FulguriteError(reply.broken.error, reply.broken.message));
    }
    this.#dispatch();
  }

  /**
   * The thread is gone, with everything in its hands; piscina starts another. Called for each request it had;
   * the first one was running, the others had not begun.
   */
  #onCrash(worker: Worker, pending: Pending, error: Error): void {
    if (!pending.innocent) {
      for (const other of worker.running) other.innocent = other !== firstOf(worker.running);
      this.#replaced++;
    }
    worker.running.delete(pending);
    worker.at = -1;
    if (this.#closed) this.#fail(pending, 'shuttingDown', 'the route engine is closed');
    else if (Date.now() >= pending.deadline) this.#fail(pending, 'timedOut', TIMED_OUT);
    else if (pending.innocent) this.#askAgain(pending);
    else this.#fail(pending, 'workerDied', `the worker died: ${error.message}`);
    if (!this.#closed) this.#dispatch();
  }

  #fail(pending: Pending, error: ErrorName, message: string, data?: Readonly<Record<string, unknown>>): void {
    pending.stopTimer();
    pending.reject(new FulguriteError(error, message, data));
  }

  #askAgain(pending: Pending): void {
    pending.worker = undefined;
    pending.innocent = false;
    this.#queue.putBack(pending);
  }

  #onDeadline(pending: Pending): void {
    const worker = pending.worker;
    if (worker === undefined) {
      this.#queue.remove(pending);
      this.#fail(pending, 'timedOut', TIMED_OUT, { binding: { kind: 'deadline', waited: 'in the queue' } });
      return;
    }
    pending.late = true;
    if (firstOf(worker.running) === pending) this.#stop(worker, pending);
    else
      this.#fail(pending, 'timedOut', TIMED_OUT, { binding: { kind: 'deadline', waited: 'for a worker' } });
  }

  /** Tells the running request to stop, and ends the thread if it does not. */
  #stop(worker: Worker, running: Pending): void {
    worker.link.cancel(running.task);
    running.stopTimer = realClock.after(GRACE_MS, () => worker.link.reset());
  }

  get stats(): EngineStats {
    return {
      workers: this.#workers.length,
      queued: this.#queue.size,
      running: this.#workers.reduce((sum, worker) => sum + worker.running.size, 0),
      answered: this.#answered,
      replaced: this.#replaced,
      memoryBytes: this.#solvers.memoryBytes,
    };
  }

  /** Stops the workers; waiting requests fail with `shuttingDown`. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#feed.close();
    for (const pending of this.#queue.drain()) {
      this.#fail(pending, 'shuttingDown', 'the route engine is closed');
    }
    await this.#solvers.close();
  }
}
