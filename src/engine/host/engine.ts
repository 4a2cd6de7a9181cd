/**
 * The route engine: queues route requests, chooses a solver for each, and repeats those that a dying solver had not
 * started. A solver is a kernel behind a link (solver-link.ts), usually a thread of this process, here called a
 * worker.
 *
 * Queueing. Requests wait in a bounded queue (request-queue.ts). Those that do not fit are refused as `busy`.
 *
 * Choice. A request goes to the least loaded worker. Among equally loaded workers, one that already has the request's
 * layers applied is chosen, otherwise the one whose last request is the oldest. So clients with different layers use
 * different workers, and layers need not be applied again for each request. Consecutive requests with the same layers
 * go to the same worker, whose processor has the graph in its caches: 2 workers with cold caches took 1.7 times the
 * processor time of one worker with warm caches.
 *
 * Payments. A payment search goes to a worker without a query. While payments wait, queries go to workers only after
 * every `PAYMENTS_PER_QUERY` payments (request-queue.ts). If there are several workers and recent payments, one worker
 * (`READY_WORKER`) never holds a second query, so that it is soon free for payments.
 *
 * Other machines. With a fleet, queries for several parts go to remote solvers while these have capacity. All other
 * searches go there only when many requests wait (`WAITING_PER_WORKER`), or the next one has waited for `PATIENCE_MS`:
 * the round trip costs more processor time than most searches. Searches without a usable reply are repeated locally,
 * and so are searches of payments that found no route.
 *
 * Layers. The engine knows which changes of layers each solver has seen, and sends each change once. A layer that no
 * query has named yet is not sent (layer-feed.ts).
 *
 * Failures. When a solver dies, the request in progress fails, and requests queued behind it are repeated. A request is
 * also repeated when its solver does not have the right version of the graph yet. When a request's deadline passes, its
 * search is cancelled; a worker that does not stop is replaced. The caller always gets an answer or a typed error.
 */
import { automaticLayer } from '../../layers/automatic.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { resolveLayers } from '../../layers/resolved-layers.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { machineMs, realClock } from '../../model/clock.ts';
import { withoutStack } from '../../model/without-stack.ts';
import { type CheckedAnswer, checkAnswer } from '../question/answer-check.ts';
import { decodeReply, encodeForNow, isPackedOutcome, type RouteReply } from '../question/messages.ts';
import { NoRouteError, type RouteOutcome, SearchFailed, type SearchFault } from '../question/no-route.ts';
import type { Question } from '../question/question.ts';
import { allowedRemedies } from '../question/remedy-rules.ts';
import type { RouteAnswer, RouteQuery } from '../question/route.ts';
import { searchReport } from '../question/search-report.ts';
import type { Client, EngineOptions, EngineStats, ResolvedOptions, RouteOptions } from './engine-options.ts';
import { fittestWorker } from './fittest-worker.ts';
import { LayerFeed } from './layer-feed.ts';
import { LocalSolvers } from './local-solvers.ts';
import { nameReservations } from './name-reservations.ts';
import type { RemoteSearch, RemoteSolvers } from './remote-solvers.ts';
import { type Lane, RequestQueue, removeFrom } from './request-queue.ts';
import { type SolverLink, SolverLost, type Solvers } from './solver-link.ts';
import { WARM_UP_TASK, warmUpRequests } from './warm-up.ts';

/** A cancelled search returns within microseconds. A worker that is silent for this long is stuck. */
const GRACE_MS = 2_000;
/** With a fleet, searches are sent to other machines if more than this many per local worker are queued. */
const WAITING_PER_WORKER = 8;
/** With a fleet, a search that has waited this long for a local worker is sent to another machine. */
const PATIENCE_MS = 50;
/**
 * Index of a worker that holds at most one query while there are payments, so that it is soon free for them. A single
 * worker may hold several queries.
 */
const READY_WORKER = 0;
/** For this long after a payment's search, the ready worker is kept for the next one. */
const READY_FOR_MS = 10_000;
const DEFAULT_MAXHOPS = 20;
/** Maximum number of times a payment's search is repeated because its answer no longer fits the network. */
const MAX_RECHECKS = 5;
/** A request fails once solvers have replied this often that they do not have its graph yet. */
const MAX_OUTDATED = 8;

/** The client of requests that have no `client` option. */
const NOBODY: Client = {};
const DEFAULT_QUEUE_SIZE = 20_000;

type PendingStage =
  /** In the queue. */
  | { readonly name: 'waiting' }
  /** A worker holds the request. */
  | { readonly name: 'atWorker'; readonly worker: Worker }
  /** The request's deadline passed while a worker held it. */
  | { readonly name: 'late'; readonly worker: Worker }
  /** The request was queued at a worker that died before starting it. */
  | { readonly name: 'orphaned' }
  /** Another machine has the request. */
  | { readonly name: 'outside' }
  /** The request's deadline passed while another machine had it. */
  | { readonly name: 'over' };

const WAITING: PendingStage = { name: 'waiting' };

interface Pending {
  readonly task: number;
  readonly lane: Lane;
  readonly client: Client;
  readonly query: Question;
  /** The ids of the request's layers as text. */
  readonly layers: string;
  readonly own: Uint8Array | undefined;
  readonly deadline: number;
  readonly resolve: (answer: RouteAnswer) => void;
  /** Receives the outcome as packed by a worker, in place of `resolve`. */
  readonly resolvePacked: ((outcome: Uint8Array) => void) | undefined;
  readonly reject: (error: Error) => void;
  stopTimer: () => void;
  stage: PendingStage;
  /** How often a solver has replied that it does not have this request's graph. */
  outdated: number;
  /** Number of times that the request's answer no longer fitted the network. */
  rechecked: number;
  /** Whether other machines have been asked. They are asked at most once. */
  wasOutside: boolean;
  /** When the request arrived, and when a solver last received it, both on the monotonic clock. */
  readonly askedAtMs: number;
  sentAtMs: number | undefined;
}

interface Worker {
  readonly workerIndex: number;
  readonly link: SolverLink;
  /** Number of the next chunk of layer changes to send; −1 if all layers must be sent. */
  at: number;
  /** The ids of the worker's applied layers as text. */
  layers: string;
  lastTask: number;
  /** The requests that the worker holds, in order of sending. */
  readonly running: Pending[];
}

/** Workers answer in order of arrival, so the first request is the running one. */
const firstOf = (running: readonly Pending[]): Pending | undefined => running[0];

/** Whether the bytes can go to the caller unchanged: if the caller wants a packed outcome, and they are one. */
const isPassedOn = ({ resolvePacked }: Pending, bytes: Uint8Array): boolean =>
  resolvePacked !== undefined && isPackedOutcome(bytes);

/** Answers route queries on the published graph under the layers of the book. */
export class RouteEngine {
  readonly #book: LayerBook;
  readonly #solvers: Solvers;
  readonly #fleet: RemoteSolvers | undefined;
  readonly #feed: LayerFeed;
  readonly #workers: Worker[];
  readonly #queue: RequestQueue<Pending>;
  readonly #deadlineMs: () => number;
  readonly #onSearch: EngineOptions['onSearch'];
  #graphVersion = 0;
  /** The graph that was published last. Its owner may have changed it since then. */
  #graph: ChannelGraph | undefined;
  /** Timer after which waiting searches may be sent to other machines (`#mayWait`). */
  #impatience: NodeJS.Timeout | undefined;
  /** When a payment last asked, on the monotonic clock. */
  #paymentAtMs = Number.NEGATIVE_INFINITY;
  #nextTask = 1;
  #answered = 0;
  #replaced = 0;
  #outside = 0;
  #closed = false;

  constructor(options: EngineOptions) {
    this.#book = options.book;
    this.#queue = new RequestQueue(options.queueSize ?? DEFAULT_QUEUE_SIZE);
    this.#deadlineMs = options.deadlineMs ?? (() => 10_000);
    this.#onSearch = options.onSearch;
    this.#solvers = options.solvers ?? new LocalSolvers(options);
    this.#fleet = options.fleet;
    this.#feed = new LayerFeed(options.book);
    this.#workers = this.#solvers.links.map((link, workerIndex) => ({
      workerIndex,
      link,
      at: -1,
      layers: '',
      lastTask: 0,
      running: [],
    }));
  }

  /** Publishes the current graph, on which later queries are answered. */
  publish(graph: ChannelGraph): void {
    this.#graph = graph;
    this.#graphVersion = this.#solvers.publish(graph);
    this.#fleet?.publish(graph);
  }

  /**
   * Makes every worker answer some queries in advance, so that its code gets compiled. Does nothing after the first
   * query. These queries are not awaited and not counted.
   */
  warmUp(graph: ChannelGraph): void {
    if (this.#nextTask > 1) return;
    const requests = warmUpRequests(graph, this.#graphVersion);
    for (const { link } of this.#workers) {
      for (const request of requests) link.send(WARM_UP_TASK, request).catch(() => undefined);
    }
  }

  /**
   * Finds routes.
   * @throws LayerRefused for an unknown layer. NoRouteError with the reason and a remedy when there is no route, or
   *   when the deadline passes. SearchFailed for the reasons in `SearchFault`: for example, the queue is full, the
   *   worker died, or the engine is closed.
   */
  getroutes(query: RouteQuery, options: RouteOptions = {}): Promise<RouteAnswer> {
    // Errors about layers are thrown inside the promise, so that the caller gets a rejection.
    return new Promise((resolve) => {
      if (this.#closed) throw new SearchFailed({ kind: 'closed' });
      const leftMs = options.deadlineMs ?? this.#deadlineMs();
      const { lane, client } = options;
      const resolved = this.#resolve(query, options);
      resolve(this.#ask(resolved, { lane, client, deadline: machineMs() + leftMs }, leftMs));
    });
  }

  /**
   * Finds routes for a query with resolved layers, for solvers that serve daemons elsewhere.
   * @throws as `getroutes`, except for unknown layers
   */
  search(query: Question, options: ResolvedOptions): Promise<RouteAnswer> {
    if (this.#closed) return Promise.reject(new SearchFailed({ kind: 'closed' }));
    return this.#ask(query, options, options.deadline - machineMs());
  }

  /**
   * Like `search`, for callers that only forward the outcome, packed as by `encode`: an answer, or why there is no route,
   * without the names of reservations. `onSearch` is called only for failures.
   * @throws as `search`, but NoRouteError only when the deadline passes before the search
   */
  searchPacked(query: Question, options: ResolvedOptions): Promise<Uint8Array> {
    if (this.#closed) return Promise.reject(new SearchFailed({ kind: 'closed' }));
    return new Promise((resolve, reject) => {
      this.#ask(query, options, options.deadline - machineMs(), resolve).catch(reject);
    });
  }

  #ask(
    query: Question,
    options: ResolvedOptions,
    leftMs: number,
    resolvePacked?: Pending['resolvePacked'],
  ): Promise<RouteAnswer> {
    return new Promise((resolve, reject) => {
      const task = this.#nextTask;
      this.#nextTask = (this.#nextTask % 0x7fffffff) + 1;
      const pending: Pending = {
        task,
        lane: options.lane ?? 'query',
        client: options.client ?? NOBODY,
        query,
        layers: String(query.layerIds),
        own: options.own,
        deadline: options.deadline,
        resolvePacked,
        resolve: (answer) => {
          this.#tellEnd(pending, answer);
          resolve(answer);
        },
        reject: (error) => {
          this.#tellEnd(pending, error);
          reject(error);
        },
        stopTimer: () => undefined,
        stage: WAITING,
        outdated: 0,
        rechecked: 0,
        wasOutside: false,
        askedAtMs: performance.now(),
        sentAtMs: undefined,
      };
      if (pending.lane === 'payment') this.#paymentAtMs = pending.askedAtMs;
      if (leftMs <= 0) this.#reject(pending, new NoRouteError({ binding: { kind: 'deadline' } }));
      else this.#admit(pending, leftMs);
    });
  }

  #tellEnd({ query, askedAtMs, sentAtMs }: Pending, end: RouteAnswer | Error): void {
    this.#onSearch?.(searchReport(query, end, { askedAtMs, sentAtMs, endedAtMs: performance.now() }));
  }

  /** Sends the request to another machine or to a free worker, or queues it. */
  #admit(pending: Pending, deadlineMs: number): void {
    pending.stopTimer = realClock.after(deadlineMs, () => this.#onDeadline(pending));
    if (this.#isBetterOut(pending) && this.#sendOut(pending)) return;
    const worker = this.#queue.size === 0 ? this.#workerFor(pending) : undefined;
    if (worker !== undefined) {
      this.#send(worker, pending);
      return;
    }
    const refused = this.#queue.add(pending);
    if (refused !== undefined) this.#refuse(refused);
    this.#dispatch();
  }

  /** Whether other machines are asked first. */
  #isBetterOut({ query, lane }: Pending): boolean {
    return lane === 'query' && query.maxparts !== 1;
  }

  #refuse(refused: Pending): void {
    const { lane, client } = refused;
    const waitingOfClient = this.#queue.ofClient(lane, client);
    const waiting = this.#queue.waiting(lane);
    this.#fail(refused, { kind: 'queueFull', lane, size: this.#queue.laneSize, waiting, waitingOfClient });
  }

  #resolve(query: RouteQuery, options: RouteOptions): Question {
    const { layers } = query;
    const resolved = resolveLayers(this.#book, layers, options.deprecatedApis ?? true);
    const { remedies } = allowedRemedies(options.remedies, resolved.noMpp);
    // In Node.js 20, adding members to an object that begins with a spread takes 1 to 2 µs per member, because V8 makes
    // new hidden classes each time. So the spread comes last wherever this happens for every request.
    return {
      layerIds: resolved.layerIds,
      layerNames: layers.filter((name) => automaticLayer(name)?.changes !== 'request'),
      includeFees: resolved.includeFees,
      maxhops: options.maxhops ?? DEFAULT_MAXHOPS,
      knobs: options.knobs,
      inBatch: options.inBatch,
      remedies,
      ...query,
      maxparts: resolved.noMpp ? 1 : query.maxparts,
    };
  }

  #dispatch(): void {
    for (let next = this.#queue.first(); next !== undefined; next = this.#queue.first()) {
      if (next.lane === 'query' && next.client.isClosed === true) {
        this.#queue.take();
        this.#fail(next, { kind: 'late' });
        continue;
      }
      const worker = this.#workerFor(next);
      if (worker !== undefined) {
        this.#queue.take();
        this.#send(worker, next);
      } else {
        if (this.#mayWait(next) || !this.#sendOut(next)) return;
        this.#queue.take();
      }
    }
  }

  /**
   * Whether the first request of the queue waits for a local worker, and is not sent to another machine yet. If it may
   * be sent later, sets a timer that dispatches again.
   */
  #mayWait({ askedAtMs, wasOutside }: Pending): boolean {
    if (this.#fleet === undefined || wasOutside) return true;
    if (this.#queue.size > WAITING_PER_WORKER * this.#workers.length) return false;
    const leftMs = askedAtMs + PATIENCE_MS - performance.now();
    if (leftMs <= 0) return false;
    this.#impatience ??= setTimeout(() => {
      this.#impatience = undefined;
      this.#dispatch();
    }, leftMs);
    return true;
  }

  /** Sends the request to another machine. Returns false if that is not possible; the search must then run here. */
  #sendOut(pending: Pending): boolean {
    const fleet = this.#fleet;
    if (fleet === undefined || pending.wasOutside || !fleet.hasRoom()) return false;
    pending.wasOutside = true;
    pending.stage = { name: 'outside' };
    pending.sentAtMs = performance.now();
    this.#outside++;
    const { query, lane, deadline } = pending;
    let checked: RouteAnswer | undefined;
    const judge: RemoteSearch['judge'] = (reply) => {
      if (!('answer' in reply)) return 'good';
      const verdict = this.#check(pending, reply.answer);
      if (verdict.kind === 'good') checked = verdict.answer;
      return verdict.kind;
    };
    const failed = (): RouteReply => ({ stale: true });
    const asked = fleet.ask({ query, lane, deadline, judge }).catch(failed);
    void asked.then((reply) => {
      this.#outside--;
      if (pending.stage.name === 'over') return;
      if (this.#closed) this.#fail(pending, { kind: 'closed' });
      else if ('answer' in reply && checked !== undefined) this.#settle(pending, { answer: checked });
      // A refusal makes a payment fail, so a payment accepts refusals only from our own solvers.
      else if ('noRoute' in reply && lane === 'query') this.#settle(pending, reply);
      else this.#askAgain(pending);
      if (!this.#closed) this.#dispatch();
    });
    return true;
  }

  /** Checks and recomputes an answer. If the request has its own layers, only its sender can check the answer fully. */
  #check({ query, own }: Pending, answer: RouteAnswer): CheckedAnswer {
    const graph = this.#graph;
    const network = own === undefined && graph !== undefined ? { graph, book: this.#book } : undefined;
    return checkAnswer(answer, query, network);
  }

  /** The worker that can take the request now. Undefined when the request has to wait. */
  #workerFor({ lane, layers }: Pending): Worker | undefined {
    const free = this.#workers.filter((worker) => worker.running.length < this.#roomFor(lane, worker));
    return free.length === 0 ? undefined : fittestWorker(free, layers);
  }

  /** A worker that holds fewer requests than this number may get one more request of this lane. */
  #roomFor(lane: Lane, { workerIndex, running, link }: Worker): number {
    if (lane === 'query') return workerIndex === READY_WORKER && this.#isKeptReady() ? 1 : link.depth;
    for (const other of running) if (other.lane === 'query' || this.#mayBeLong(other)) return 0;
    return link.depth;
  }

  #isKeptReady(): boolean {
    return this.#workers.length > 1 && performance.now() - this.#paymentAtMs < READY_FOR_MS;
  }

  /**
   * Whether this search may take long. With a fleet, a payment does not wait behind such a search at a worker,
   * because another machine can run the payment's search.
   */
  #mayBeLong({ query }: Pending): boolean {
    return this.#fleet !== undefined && query.maxparts > 1;
  }

  #send(worker: Worker, pending: Pending): void {
    worker.layers = pending.layers;
    worker.lastTask = pending.task;
    const layers = this.#feed.since(worker.at, pending.query.layerIds);
    worker.at = layers.to;
    // A new worker gets all layers from scratch, so no chunks are kept for it.
    let slowest = layers.to;
    for (const { at } of this.#workers) if (at >= 0 && at < slowest) slowest = at;
    this.#feed.trim(slowest);
    const { task, deadline, query, own } = pending;
    const graph = this.#graphVersion;
    const message = encodeForNow({ task, deadline, graph, layers, ...(own && { own }), query });
    pending.stage = { name: 'atWorker', worker };
    pending.sentAtMs = performance.now();
    worker.running.push(pending);
    worker.link.send(task, message).then(
      (bytes) => this.#onReply(worker, pending, isPassedOn(pending, bytes) ? bytes : decodeReply(bytes)),
      (error: Error) => this.#onCrash(worker, pending, error),
    );
  }

  #onReply(worker: Worker, pending: Pending, reply: RouteReply | Uint8Array): void {
    removeFrom(worker.running, pending);
    const next = firstOf(worker.running);
    if (next?.stage.name === 'late') this.#stop(worker, next);
    if (reply instanceof Uint8Array) {
      this.#answered++;
      pending.stopTimer();
      pending.resolvePacked!(reply);
    } else if ('stale' in reply) {
      worker.at = -1;
      this.#askAgain(pending);
    } else if ('outdated' in reply) {
      pending.outdated++;
      if (pending.outdated < MAX_OUTDATED) this.#askAgain(pending);
      else this.#fail(pending, { kind: 'noGraph' });
    } else if ('answer' in reply && pending.lane === 'payment') {
      this.#settleChecked(pending, reply.answer);
    } else {
      this.#settle(pending, reply);
    }
    this.#dispatch();
  }

  /**
   * Recomputes the answer to a payment before anything is sent. Changes during the search, such as reservations, can
   * make an answer outdated; the search is then repeated.
   */
  #settleChecked(pending: Pending, answer: RouteAnswer): void {
    const checked = this.#check(pending, answer);
    if (checked.kind === 'good') this.#settle(pending, checked);
    else if (pending.rechecked++ < MAX_RECHECKS && machineMs() < pending.deadline) this.#askAgain(pending);
    else this.#fail(pending, { kind: 'defect', error: 'internal', cause: checked.reason });
  }

  #settle(pending: Pending, reply: RouteOutcome | { readonly fault: SearchFault }): void {
    this.#answered++;
    pending.stopTimer();
    if ('answer' in reply) pending.resolve(reply.answer);
    else if ('fault' in reply) pending.reject(new SearchFailed(reply.fault));
    else {
      const noRoute = nameReservations(reply.noRoute, this.#book, pending.query.layerNames);
      pending.reject(withoutStack(() => new NoRouteError(noRoute)));
    }
  }

  /**
   * Called for each request that a dying solver held. By then the link has a new solver. Unless the link reports
   * otherwise, the first of these requests was running, and the others had not started.
   */
  #onCrash(worker: Worker, pending: Pending, error: Error): void {
    if (error instanceof SolverLost && !error.hadBegun) pending.stage = { name: 'orphaned' };
    const isOrphaned = pending.stage.name === 'orphaned';
    if (!isOrphaned) {
      const running = firstOf(worker.running);
      for (const other of worker.running) if (other !== running) other.stage = { name: 'orphaned' };
      this.#replaced++;
    }
    removeFrom(worker.running, pending);
    worker.at = -1;
    if (this.#closed) this.#fail(pending, { kind: 'closed' });
    else if (machineMs() >= pending.deadline) this.#fail(pending, { kind: 'late' });
    else if (isOrphaned) this.#askAgain(pending);
    else this.#fail(pending, { kind: 'workerDied', cause: error.message });
    if (!this.#closed) this.#dispatch();
  }

  #fail(pending: Pending, fault: SearchFault): void {
    this.#reject(pending, new SearchFailed(fault));
  }

  #reject(pending: Pending, error: Error): void {
    pending.stopTimer();
    pending.reject(error);
  }

  #askAgain(pending: Pending): void {
    pending.stage = WAITING;
    this.#queue.putBack(pending);
  }

  #onDeadline(pending: Pending): void {
    const { stage } = pending;
    if (stage.name === 'outside') {
      pending.stage = { name: 'over' };
      this.#reject(pending, new NoRouteError({ binding: { kind: 'deadline' } }));
      return;
    }
    if (stage.name !== 'atWorker') {
      this.#queue.remove(pending);
      this.#reject(pending, new NoRouteError({ binding: { kind: 'deadline', waited: 'inQueue' } }));
      return;
    }
    const { worker } = stage;
    pending.stage = { name: 'late', worker };
    if (firstOf(worker.running) === pending) this.#stop(worker, pending);
    else this.#reject(pending, new NoRouteError({ binding: { kind: 'deadline', waited: 'forWorker' } }));
  }

  /** Asks the running search to stop, and terminates the thread if the search does not stop. */
  #stop(worker: Worker, running: Pending): void {
    worker.link.cancel(running.task);
    running.stopTimer = realClock.after(GRACE_MS, () => worker.link.reset());
  }

  get stats(): EngineStats {
    return {
      workers: this.#workers.length,
      queued: this.#queue.size,
      running: this.#workers.reduce((sum, worker) => sum + worker.running.length, 0),
      outside: this.#outside,
      answered: this.#answered,
      replaced: this.#replaced,
      memoryBytes: this.#solvers.memoryBytes,
    };
  }

  /** Stops the workers. Queued requests fail with `shuttingDown`. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#impatience);
    this.#feed.close();
    for (const pending of this.#queue.drain()) {
      this.#fail(pending, { kind: 'closed' });
    }
    await Promise.all([this.#solvers.close(), this.#fleet?.close()]);
  }
}
