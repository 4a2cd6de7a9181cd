/**
 * A solver: answers searches of daemons over the bus. It is stateless: its graph and its copy of the shared layers can
 * be reloaded at any time, and a search changes nothing. So it may be killed at any time, and any number may run.
 *
 * It never keeps a request waiting needlessly. A request that arrives after its deadline is dropped. If the queue is
 * full, the request is refused immediately and goes to another solver. If the copy of the layers is behind the
 * requested position, the solver waits briefly, and then reports that it is behind.
 *
 * Answers of the same turn of the event loop are sent together, those to searches of one batch as one message. While
 * searches wait for a thread, answers are gathered for a moment longer. A write to the socket for each answer takes more
 * processor time than the rest of its way, here, in the NATS server and in the daemon.
 */
import type { RouteEngine } from '../engine/host/engine.ts';
import type { RouteReply } from '../engine/question/messages.ts';
import { type NoRoute, NoRouteError, SearchFailed } from '../engine/question/no-route.ts';
import type { Question } from '../engine/question/question.ts';
import { nameOfAutomatic } from '../layers/layer-book.ts';
import { SOURCEFREE } from '../layers/resolved-layers.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { machineMs } from '../model/clock.ts';
import { VERSION } from '../model/version.ts';
import type { Msg, NatsConnection, Subscription } from './bus.ts';
import {
  type BatchAnswer,
  type BatchReply,
  isEmpty,
  type LayerRef,
  PACKED_FORM,
  pack,
  SOLVE_REQUEST,
  SOLVER_GROUP,
  SOURCEFREE_REF,
  type SolveAnswer,
  type SolveBatch,
  type SolveReply,
  type SolveRequest,
  subjects,
  unpack,
  unpackSearch,
  withKinds,
} from './bus-messages.ts';
import type { FleetName } from './fleet-name.ts';
import { graphHash } from './graph-hash.ts';
import type { LayerItem } from './layer-state.ts';
import { receiveLayers } from './received-layers.ts';
import { receiveReservations } from './received-reservations.ts';
import type { WireDirection } from './reservation-state.ts';
import type { SharedLayers } from './shared-layers.ts';
import type { StateListener } from './state-listener.ts';

/** Milliseconds between two load reports while the number of requests changes. */
const LOAD_EVERY_MS = 100;
/** While nothing in the load reports changes, only one in this many is sent, to show that the solver is alive. */
const UNCHANGED_PER_LOAD = 2;
/** Maximum number of milliseconds for which a request waits for newer layers. */
const LAYERS_WAIT_MS = 50;
/** Milliseconds after which a full queue may have room again, as reported to daemons. */
const RETRY_AFTER_MS = 20;
/** Milliseconds for which answers are gathered while searches wait for a thread. */
const GATHER_MS = 2;
/** Maximum number of searches in one message. */
const MAX_IN_BATCH = 64;
/** Maximum number of milliseconds for which `close` waits for running searches. */
const DRAIN_MS = 10_000;

/** Options of a solver. */
export interface SolverOptions {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  /** Random and unique. Part of a subject, so letters and digits only. */
  readonly id: string;
  readonly engine: RouteEngine;
  readonly shared: SharedLayers;
  /** Maximum number of requests, running or queued. */
  readonly capacity: number;
  /** The name of the graph. Default: its hash. */
  readonly graphName?: string | undefined;
  /**
   * Called if the solver's account may not read the daemons' reservations or automatic layers. Daemons then run the
   * searches of payments themselves.
   */
  readonly onRefused?: (reason: string) => void;
  /** The monotonic clock. Tests replace it. */
  readonly monotonicMs?: () => number;
}

/** A search: a message, or one part of a batch. */
interface AskedSearch {
  readonly message: Msg;
  /** Index in the batch. Undefined if the message is a single search. */
  readonly index?: number;
}

/** Numbers of a solver's requests: those running or queued (`depth`), and the others by outcome. */
export interface SolverStats {
  readonly depth: number;
  readonly answered: number;
  readonly busy: number;
  readonly stale: number;
  readonly dropped: number;
}

/** Answers searches once it has a graph. */
export class Solver {
  readonly #options: SolverOptions;
  readonly #subjects: ReturnType<typeof subjects>;
  /**
   * One object per asker, because the queue tells askers apart by object identity. When there are too many, the oldest
   * is dropped.
   */
  readonly #askers = new Map<string, object>();
  #graph: string | undefined;
  #subscriptions: Subscription[] = [];
  #reservations: StateListener<WireDirection> | undefined;
  #daemonLayers: StateListener<LayerItem> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The last reported figures on which daemons base their choice, and the number of reports left out since. */
  #lastReport = '';
  #unreported = 0;
  #depth = 0;
  #answered = 0;
  #busy = 0;
  #stale = 0;
  #dropped = 0;
  #idle: (() => void) | undefined;
  /** Gathered answers, and what sends them: at the end of this turn of the event loop, or later. */
  #gathered: (readonly [asked: AskedSearch, answer: SolveAnswer])[] = [];
  #sendingSoon: NodeJS.Immediate | undefined;
  #sendingLater: NodeJS.Timeout | undefined;

  constructor(options: SolverOptions) {
    this.#options = options;
    this.#subjects = subjects(options.fleet);
  }

  get stats(): SolverStats {
    const [depth, answered, busy] = [this.#depth, this.#answered, this.#busy];
    return { depth, answered, busy, stale: this.#stale, dropped: this.#dropped };
  }

  /** Uses this graph from now on. The first graph starts the service. */
  publish(graph: ChannelGraph): void {
    this.#options.engine.publish(graph);
    this.#graph = this.#options.graphName ?? graphHash(graph);
    if (this.#timer !== undefined) return;
    const { bus, fleet, id, engine, shared, onRefused, monotonicMs } = this.#options;
    engine.warmUp(graph);
    // Subscribes before serving anything, because a daemon publishes its state before the request that needs it.
    const heard = { bus, fleet, book: shared.book, onRefused, monotonicMs };
    this.#reservations = receiveReservations(heard);
    this.#daemonLayers = receiveLayers(heard);
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) this.#receive(message);
    };
    this.#subscriptions = [
      bus.subscribe(this.#subjects.solve, { queue: SOLVER_GROUP, callback }),
      bus.subscribe(this.#subjects.solveAt(id), { callback }),
    ];
    this.#timer = setInterval(() => this.#reportLoad(), LOAD_EVERY_MS);
    this.#reportLoad();
  }

  /** Accepts no more requests, answers pending ones, and stops. The owner closes the engine. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    if (this.#depth > 0) await this.#drained();
    this.#sendGathered();
    this.#reservations?.close();
    this.#daemonLayers?.close();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, DRAIN_MS);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #reportLoad(): void {
    this.#reservations!.expire();
    this.#daemonLayers!.expire();
    const { bus, fleet, id, shared, capacity } = this.#options;
    if (bus.isClosed()) return;
    const figures = [this.#depth, this.#graph].join();
    if (figures === this.#lastReport && ++this.#unreported < UNCHANGED_PER_LOAD) return;
    this.#lastReport = figures;
    this.#unreported = 0;
    bus.publish(
      this.#subjects.load(id),
      pack({
        fleet: fleet.id,
        id,
        version: VERSION,
        depth: this.#depth,
        capacity,
        batch: MAX_IN_BATCH,
        graph: this.#graph!,
        layers: shared.position,
        nowMs: Date.now(),
        answered: this.#answered,
        stale: this.#stale,
      }),
    );
  }

  #receive(message: Msg): void {
    try {
      const asked = unpack<Partial<SolveRequest & SolveBatch>>(message.data, {});
      if (!this.#options.fleet.owns(asked)) return;
      if (isEmpty(asked)) this.#gather({ message }, { stale: 'graph' });
      else if (asked.searches === undefined) void this.#serve({ message }, withKinds(asked, SOLVE_REQUEST));
      else this.#receiveBatch(message, asked.searches);
    } catch (error) {
      this.#gatherMalformed({ message }, error);
    }
  }

  /** @throws TypeError unless the searches are a list of an acceptable length */
  #receiveBatch(message: Msg, searches: SolveBatch['searches']): void {
    if (!Array.isArray(searches) || searches.length > MAX_IN_BATCH)
      throw new TypeError(`searches must be a list of at most ${MAX_IN_BATCH}`);
    for (const [index, bytes] of searches.entries()) {
      const asked = { message, index };
      try {
        const request = unpackSearch(bytes);
        if (this.#options.fleet.owns(request)) void this.#serve(asked, request);
      } catch (error) {
        this.#gatherMalformed(asked, error);
      }
    }
  }

  #gatherMalformed(asked: AskedSearch, error: unknown): void {
    this.#options.fleet.noteMalformed();
    this.#gather(asked, malformed(error));
  }

  async #serve(asked: AskedSearch, request: SolveRequest): Promise<void> {
    if (Date.now() > request.deadline) {
      this.#dropped++;
      return;
    }
    if (this.#depth >= this.#options.capacity) {
      this.#busy++;
      this.#gather(asked, { busy: this.#depth, retryAfterMs: RETRY_AFTER_MS });
      return;
    }
    this.#depth++;
    try {
      this.#gather(asked, await this.#answer(request));
    } catch (error) {
      this.#gather(asked, malformed(error));
    } finally {
      this.#depth--;
      if (this.#depth === 0) this.#idle?.();
    }
  }

  async #answer(request: SolveRequest): Promise<SolveAnswer> {
    const { shared, engine } = this.#options;
    if (request.graph !== this.#graph) return this.#staleBy('graph');
    const waitMs = Math.min(LAYERS_WAIT_MS, request.deadline - Date.now());
    if (shared.position < request.layers && !(await shared.reach(request.layers, waitMs))) {
      return this.#staleBy('layers');
    }
    const { asker, reserved, told } = request;
    if (reserved !== undefined && this.#reservations!.reachOf(asker, reserved) !== 'reached') {
      return this.#staleBy('reserved');
    }
    const reach = told === undefined ? 'reached' : this.#daemonLayers!.reachOf(asker, told);
    if (reach !== 'reached') return this.#staleBy(reach === 'full' ? 'full' : 'told');
    const layerIds = this.#layerIds(request);
    if (layerIds === undefined) return this.#staleBy('layer');
    const query: Question = Object.assign(request.query, { layerIds });
    const layers = shared.position;
    const { lane, own, takes } = request;
    const deadline = machineMs() + request.deadline - Date.now();
    const options = { deadline, lane, own, client: this.#asker(request.asker) };
    const answer =
      takes === PACKED_FORM
        ? engine.searchPacked(query, options).then((packed) => ({ layers, packed }))
        : engine.search(query, options).then((found) => ({ layers, reply: { answer: found } }));
    const reply = await answer.catch((error) => ({ layers, reply: asReply(error) }));
    this.#answered++;
    return reply;
  }

  #staleBy(stale: NonNullable<SolveReply['stale']>): SolveAnswer {
    this.#stale++;
    return { stale, layers: this.#options.shared.position };
  }

  /**
   * The ids of the request's layers in this process. Undefined if a layer is unknown.
   * @throws TypeError for an invalid layer number
   */
  #layerIds({ refs, asker, told }: SolveRequest): number[] | undefined {
    const { book } = this.#options.shared;
    const ids = refs.map((ref: LayerRef) => {
      if (ref === SOURCEFREE_REF) return SOURCEFREE;
      if (typeof ref === 'string') return book.layerIdByName(ref);
      // If the asker has reported nothing about an automatic layer, that layer is empty, as is this process's own layer
      // with the same id.
      if (told !== undefined && nameOfAutomatic(ref) !== undefined) {
        return book.foreignLayers.idOf(asker, ref) ?? ref;
      }
      if (!(ref < SOURCEFREE_REF)) throw new TypeError(`${ref} is not a layer of a request`);
      return ref;
    });
    return ids.includes(undefined) ? undefined : (ids as number[]);
  }

  #asker(name: string): object {
    const known = this.#askers.get(name);
    if (known !== undefined) return known;
    if (this.#askers.size >= 1_000) this.#askers.delete(this.#askers.keys().next().value!);
    const asker = {};
    this.#askers.set(name, asker);
    return asker;
  }

  /** Sends an answer with the others of this turn of the event loop, or with later ones if searches wait for a thread. */
  #gather(asked: AskedSearch, answer: SolveAnswer): void {
    this.#gathered.push([asked, answer]);
    if (this.#options.engine.stats.queued === 0)
      this.#sendingSoon ??= setImmediate(() => this.#sendGathered());
    else this.#sendingLater ??= setTimeout(() => this.#sendGathered(), GATHER_MS);
  }

  #sendGathered(): void {
    clearImmediate(this.#sendingSoon);
    clearTimeout(this.#sendingLater);
    this.#sendingSoon = this.#sendingLater = undefined;
    const batches = new Map<Msg, BatchAnswer[]>();
    for (const [{ message, index }, answer] of this.#gathered.splice(0)) {
      if (index === undefined) {
        this.#reply(message, answer);
        continue;
      }
      const { packed } = answer;
      const inBatch: BatchAnswer = packed === undefined ? [index, null, answer] : [index, packed];
      const known = batches.get(message);
      if (known === undefined) batches.set(message, [inBatch]);
      else known.push(inBatch);
    }
    for (const [message, answers] of batches) this.#replyTo(message, answers);
  }

  #replyTo(message: Msg, answers: readonly BatchAnswer[]): void {
    try {
      this.#respond(message, { answers });
    } catch (error) {
      // The server accepts no message of this size.
      const half = answers.length >> 1;
      if (half > 0) {
        this.#replyTo(message, answers.slice(0, half));
        this.#replyTo(message, answers.slice(half));
      } else this.#respond(message, { answers: [[answers[0]![0], null, malformed(error)]] });
    }
  }

  #reply(message: Msg, answer: SolveAnswer): void {
    try {
      this.#respond(message, answer);
    } catch (error) {
      this.#respond(message, malformed(error));
    }
  }

  #respond(message: Msg, reply: SolveAnswer | Pick<BatchReply, 'answers'>): void {
    if (this.#options.bus.isClosed()) return;
    const { fleet, id } = this.#options;
    message.respond(pack({ fleet: fleet.id, solver: id, ...reply }));
  }
}

/** The answer in place of one that cannot be sent, or to a request that cannot be read. */
const malformed = (error: unknown): SolveAnswer => ({ malformed: (error as Error).message });

/** Removes the blocking reservations from an answer. The daemon lists them itself (name-reservations.ts). */
function withoutReservations(noRoute: NoRoute): NoRoute {
  const { binding } = noRoute;
  if (binding.kind !== 'direction' || binding.fault.kind !== 'constraint') return noRoute;
  const { reservations: _, ...fault } = binding.fault;
  return { ...noRoute, binding: { ...binding, fault } };
}

/** Converts an error to a reply, if the error explains why there is no answer. @throws any other error */
function asReply(error: unknown): RouteReply {
  if (error instanceof NoRouteError) return { noRoute: withoutReservations(error.noRoute) };
  if (error instanceof SearchFailed) return { fault: error.reason };
  throw error;
}
