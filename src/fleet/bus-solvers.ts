/**
 * Solvers on the bus, as the route engine of a daemon sees them (remote-solvers.ts).
 *
 * Choice. Each solver reports its load five to ten times a second. Each daemon prefers one solver, because its kernels
 * then have the layers of this daemon applied. Switching between the layers of several daemons takes more processor
 * time than most searches. The order of preference is the hash of both ids, so different daemons prefer different
 * solvers. For each request, two solvers are drawn at random. The less loaded of these two gets the request if the
 * preferred solver is much busier.
 *
 * A solver is eligible if it has the same graph, is not far behind in the shared layers, has a clock that agrees with
 * ours, reported its load recently, and has room. If no solver is eligible, searches run locally. The queue group gets
 * requests only while no loads arrive and the group has a subscriber (group-window.ts).
 *
 * Loss. A search changes nothing, so a lost search is repeated: once by another solver, and then locally. A crashed
 * solver no longer reports its load, and the server immediately reports that its subject has no subscribers.
 */

import { createHash } from 'node:crypto';
import type { RemoteSearch, RemoteSolvers } from '../engine/host/remote-solvers.ts';
import { type RouteReply, unpackReply } from '../engine/question/messages.ts';
import type { Question } from '../engine/question/question.ts';
import { readPackedReply, readReply } from '../engine/question/reply-shape.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { machineMs } from '../model/clock.ts';
import type { Msg, NatsConnection, Subscription } from './bus.ts';
import {
  emptyRequest,
  PACKED_FORM,
  pack,
  packSearch,
  SOLVE_REPLY,
  SOLVER_LOAD,
  type SolveReply,
  type SolveRequest,
  type SolverLoad,
  subjects,
  unpack,
  withKinds,
} from './bus-messages.ts';
import type { FleetName } from './fleet-name.ts';
import { graphHash } from './graph-hash.ts';
import { GroupWindow } from './group-window.ts';
import { ownLayers } from './own-layers.ts';
import { PublishedLayers } from './published-layers.ts';
import type { SharedLayers } from './shared-layers.ts';
import { SharedReservations } from './shared-reservations.ts';
import { type BatchTerms, type HeardAnswer, SolverCalls } from './solver-calls.ts';

/**
 * A solver that was silent for this many milliseconds gets no requests, and its pending searches are repeated
 * elsewhere.
 */
const SILENT_MS = 500;
/** If clocks differ by more than this many milliseconds, deadlines are meaningless. */
const CLOCK_MS = 250;
/** A solver that lags the log by more than this many positions gets no requests. */
const FAR_BEHIND = 50_000;
/** The preferred solver gets a request unless its share of used capacity exceeds the drawn solver's by this much. */
const PREFERRED_BY = 0.25;
/** Milliseconds between two checks for silent solvers. */
const LOOK_EVERY_MS = 100;
/** Milliseconds between two checks for a subscriber of the queue group, while no loads arrive. */
const GROUP_EVERY_MS = 1_000;
/** The queue group's name in lists of solver ids. It cannot be an id, because those consist of letters and digits. */
const GROUP = '*';
/** Maximum packed size of a request, below the bus's limit of 1 MiB. Larger searches are run locally. */
const MAX_BYTES = 900_000;
const MAX_SOLVERS = 1_000;
/** Milliseconds for which a solver gets no requests after a reply that cannot be honest. */
const ASIDE_MS = 60_000;

/** Options of `BusSolvers`. */
export interface BusSolversOptions {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  /** Id of this daemon. */
  readonly id: string;
  readonly shared: SharedLayers;
  /** The name of the graph. Default: its hash. */
  readonly graphName?: string | undefined;
  /** The monotonic clock, and UNIX time, both in milliseconds. Tests replace them. */
  readonly monotonicMs?: () => number;
  readonly nowMs?: () => number;
  readonly random?: () => number;
  readonly log?: { unusual(message: string): void };
}

/** A solver, according to its last load report. */
export interface KnownSolver {
  readonly load: SolverLoad;
  /** Its clock minus ours, in milliseconds, including the message's time in transit. */
  readonly offsetMs: number;
  /** Time of the last load report, by the monotonic clock. */
  readonly heardAtMs: number;
  /** Number of our searches in progress on this solver. */
  readonly ours: number;
}

/** Counts of the searches sent to solvers, by outcome. */
export interface BusSolversStats {
  readonly sent: number;
  readonly answered: number;
  /**
   * Numbers of refusals because the solver was full, of other replies without a usable result (usually because the
   * solver's data was out of date), and of requests without a reply.
   */
  readonly busy: number;
  readonly stale: number;
  readonly lost: number;
  /**
   * Number of replies that were malformed or violated the limits of their query. If the sender is known, it is excluded
   * for a while.
   */
  readonly rejected: number;
}

interface FollowedSolver extends KnownSolver {
  load: SolverLoad;
  offsetMs: number;
  heardAtMs: number;
  ours: number;
  /** This daemon prefers the solver with the highest rank. */
  readonly rank: number;
}

/** Sends searches to solvers over the bus. */
export class BusSolvers implements RemoteSolvers {
  readonly #options: BusSolversOptions;
  readonly #subjects: ReturnType<typeof subjects>;
  readonly #peers = new Map<string, FollowedSolver>();
  readonly #loads: Subscription;
  readonly #calls: SolverCalls;
  readonly #reservations: SharedReservations;
  readonly #publishedLayers: PublishedLayers;
  readonly #timer: NodeJS.Timeout;
  readonly #monotonicMs: () => number;
  readonly #nowMs: () => number;
  readonly #random: () => number;
  readonly #warned = new Set<string>();
  /** Excluded solvers, with the time until which each is excluded, by the monotonic clock. */
  readonly #aside = new Map<string, number>();
  #graph: string | undefined;
  readonly #group = new GroupWindow();
  #groupAskedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  readonly #counts = { sent: 0, answered: 0, busy: 0, stale: 0, lost: 0, rejected: 0 };

  constructor(options: BusSolversOptions) {
    this.#options = options;
    this.#subjects = subjects(options.fleet);
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#nowMs = options.nowMs ?? (() => Date.now());
    this.#random = options.random ?? Math.random;
    this.#loads = options.bus.subscribe(this.#subjects.everyLoad, {
      callback: (error, message) => {
        if (error === null) this.#hear(message);
      },
    });
    this.#calls = new SolverCalls(options.bus);
    const { bus, fleet, id, shared, monotonicMs } = options;
    this.#reservations = new SharedReservations({ bus, fleet, id, book: shared.book, monotonicMs });
    this.#publishedLayers = new PublishedLayers({ bus, fleet, id, book: shared.book });
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  get stats(): BusSolversStats {
    return { ...this.#counts };
  }

  /** Every solver that reported its load recently. */
  known(): KnownSolver[] {
    return [...this.#peers.values()];
  }

  publish(graph: ChannelGraph): void {
    this.#graph = this.#options.graphName ?? graphHash(graph);
  }

  hasRoom(): boolean {
    if (this.#peers.size === 0) return this.#group.hasRoom();
    for (const peer of this.#peers.values()) if (this.#mayAsk(peer)) return true;
    return false;
  }

  async ask(search: RemoteSearch): Promise<RouteReply> {
    const request = this.#request(search);
    if (request === undefined) return { stale: true };
    if (this.#peers.size === 0) return (await this.#askGroup(request, search)) ?? { stale: true };
    const tried = new Set<string>();
    for (let attempt = 0; attempt < 2; attempt++) {
      const peer = this.#choose(tried);
      if (peer === undefined || this.#isClosed) break;
      tried.add(peer.load.id);
      const reply = await this.#askOne(peer, request, search);
      if (reply !== undefined) return reply;
    }
    return { stale: true };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#loads.unsubscribe();
    this.#reservations.close();
    this.#publishedLayers.close();
    this.#calls.close();
  }

  #request({ query, lane, deadline }: RemoteSearch): SolveRequest | undefined {
    const { shared, id, fleet } = this.#options;
    const layers = ownLayers(shared, query.layerIds);
    if (layers === undefined) return undefined;
    const { refs, own, hasAutomatic } = layers;
    return {
      fleet: fleet.id,
      // Another machine can only compare it with its time of day.
      deadline: Math.round(this.#nowMs() + deadline - machineMs()),
      graph: this.#graph!,
      layers: shared.position,
      // Changes of reservations are sent before the request, and the bus keeps the order.
      reserved: this.#reservations.flush(),
      told: hasAutomatic ? this.#publishedLayers.flush() : undefined,
      lane,
      asker: id,
      refs,
      takes: PACKED_FORM,
      own,
      query,
    };
  }

  async #askOne(
    peer: FollowedSolver,
    request: SolveRequest,
    search: RemoteSearch,
  ): Promise<RouteReply | undefined> {
    const leftMs = search.deadline - machineMs();
    if (leftMs <= 0) return undefined;
    const { id, batch: most } = peer.load;
    const batch = most !== undefined && most > 0 ? { fleet: request.fleet, most } : undefined;
    peer.ours++;
    const answer = await this.#send(id, this.#subjects.solveAt(id), request, leftMs, search, batch);
    peer.ours--;
    if (answer?.isInvalid === true) return this.#putAside(peer);
    // No answer: the solver is dropped from the list. Its next load report adds it again.
    if (answer === undefined) this.#forget(peer);
    return answer?.reply;
  }

  /**
   * Sends a request to the queue group. The solver that gets it is unknown, so its silence cannot be noticed; hence the
   * short timeout.
   */
  async #askGroup(request: SolveRequest, search: RemoteSearch): Promise<RouteReply | undefined> {
    const leftMs = Math.min(SILENT_MS, search.deadline - machineMs());
    if (leftMs <= 0 || this.#isClosed || !this.#group.hasRoom()) return undefined;
    this.#group.begin();
    const answer = await this.#send(GROUP, this.#subjects.solve, request, leftMs, search);
    const isRefused = answer?.busy !== undefined;
    this.#group.end(answer?.reply !== undefined ? 'answered' : isRefused ? 'busy' : 'lost');
    return answer?.reply;
  }

  /** Excludes a solver for a while, since no honest one sends such a reply. */
  #putAside(peer: FollowedSolver): undefined {
    const { id } = peer.load;
    if (this.#aside.size < MAX_SOLVERS) this.#aside.set(id, this.#monotonicMs() + ASIDE_MS);
    this.#options.log?.unusual(
      `solver ${id} sent an invalid answer and gets no requests for ${ASIDE_MS / 1000} s`,
    );
    this.#forget(peer);
  }

  /**
   * Sends a request, judges the reply, and counts the outcome. If the solver lacks some of our state, publishes that
   * state again.
   * @param batch undefined if the receiver may not be able to read batches
   * @returns undefined if no reply from a solver of this fleet arrives
   */
  async #send(
    to: string,
    subject: string,
    request: SolveRequest,
    leftMs: number,
    { judge }: RemoteSearch,
    batch?: BatchTerms,
  ): Promise<ReadAnswer | undefined> {
    const packed = batch === undefined ? packAlone(request) : packSearch(request);
    if (packed.length > MAX_BYTES) return {};
    const counts = this.#counts;
    counts.sent++;
    const heard = await this.#calls.ask(to, subject, packed, this.#monotonicMs() + leftMs, batch);
    const answer = heard && readAnswer(heard, this.#options.fleet, judge);
    if (answer === undefined) counts.lost++;
    else if (answer.busy !== undefined) counts.busy++;
    else if (answer.reply !== undefined) counts.answered++;
    else if (answer.isInvalid === true) counts.rejected++;
    else counts.stale++;
    if (answer?.stale === 'reserved') this.#reservations.repeatSoon();
    if (answer?.stale === 'told') this.#publishedLayers.repeatSoon();
    if (answer?.stale === 'full') this.#publishedLayers.repeatLater();
    return answer;
  }

  /** Checks once a second whether the queue group has a subscriber, while no loads arrive. */
  #lookForGroup(now: number): void {
    if (this.#peers.size > 0 || this.#group.isOpen || now - this.#groupAskedAtMs < GROUP_EVERY_MS) return;
    this.#groupAskedAtMs = now;
    void this.#calls
      .ask(GROUP, this.#subjects.solve, pack(emptyRequest(this.#options.fleet.id)), now + SILENT_MS)
      .then((data) => {
        if (data !== undefined) this.#group.open();
      });
  }

  #hear(message: Msg): void {
    let load: SolverLoad;
    try {
      load = unpack(message.data, SOLVER_LOAD);
    } catch {
      this.#options.fleet.noteMalformed();
      return;
    }
    if (!this.#options.fleet.owns(load)) return;
    const offsetMs = load.nowMs - this.#nowMs();
    const heardAtMs = this.#monotonicMs();
    if (heardAtMs < (this.#aside.get(load.id) ?? 0)) return;
    this.#aside.delete(load.id);
    const known = this.#peers.get(load.id);
    if (known !== undefined) Object.assign(known, { load, offsetMs, heardAtMs });
    else if (this.#peers.size < MAX_SOLVERS) {
      const rank = rankOf(load.id, this.#options.id);
      this.#peers.set(load.id, { load, offsetMs, heardAtMs, ours: 0, rank });
    }
    if (Math.abs(offsetMs) > CLOCK_MS && !this.#warned.has(load.id)) {
      if (this.#warned.size < MAX_SOLVERS) this.#warned.add(load.id);
      this.#options.log?.unusual(
        `solver ${load.id} gets no requests, because its clock is ${offsetMs} ms off`,
      );
    }
  }

  #look(): void {
    const now = this.#monotonicMs();
    for (const peer of this.#peers.values()) if (now - peer.heardAtMs > SILENT_MS) this.#forget(peer);
    this.#calls.giveUpLate(now);
    this.#lookForGroup(now);
  }

  #forget(peer: FollowedSolver): void {
    if (this.#peers.get(peer.load.id) !== peer) return;
    this.#peers.delete(peer.load.id);
    this.#calls.giveUp(peer.load.id);
  }

  #mayAsk({ load, offsetMs, heardAtMs, ours }: FollowedSolver): boolean {
    return (
      load.graph === this.#graph &&
      Math.max(load.depth, ours) < load.capacity &&
      load.layers + FAR_BEHIND >= this.#options.shared.position &&
      Math.abs(offsetMs) <= CLOCK_MS &&
      this.#monotonicMs() - heardAtMs <= SILENT_MS
    );
  }

  /**
   * The preferred solver, or the less loaded of two eligible solvers drawn at random if the preferred one is much
   * busier. Undefined if no solver is eligible.
   */
  #choose(tried: ReadonlySet<string>): FollowedSolver | undefined {
    const fit = [...this.#peers.values()].filter((peer) => !tried.has(peer.load.id) && this.#mayAsk(peer));
    if (fit.length <= 1) return fit[0];
    const preferred = fit.reduce((best, peer) => (peer.rank > best.rank ? peer : best));
    const first = Math.floor(this.#random() * fit.length);
    const second = (first + 1 + Math.floor(this.#random() * (fit.length - 1))) % fit.length;
    const [a, b] = [fit[first]!, fit[second]!];
    const drawn = loadOf(b) < loadOf(a) ? b : a;
    return loadOf(preferred) < loadOf(drawn) + PREFERRED_BY ? preferred : drawn;
  }
}

/** Packs a request outside a batch. Its layers are in `refs`. */
function packAlone(request: SolveRequest): Uint8Array {
  const { layerIds: _, ...query } = request.query as Question;
  return pack({ ...request, query });
}

/** How much a daemon prefers a solver: a number that differs for each pair. */
const rankOf = (solver: string, daemon: string): number =>
  createHash('sha256').update(`${solver} ${daemon}`).digest().readUInt32BE();

/** The share of a solver's capacity in use: as last reported, or by our own requests alone if these are more. */
const loadOf = ({ load, ours }: KnownSolver): number => Math.max(load.depth, ours) / load.capacity;

/**
 * A solver's answer: a result, its load if it has no room, the reason why its data does not suffice, or the fact that
 * the answer is malformed or violates the limits of the query. Empty if the search failed on the solver, the solver
 * could not interpret the request, or its result is outdated.
 */
type ReadAnswer = Pick<SolveReply, 'busy' | 'reply' | 'stale'> & { readonly isInvalid?: boolean };

/** Reads and judges a solver's answer. Undefined if it is from another fleet. */
function readAnswer(
  heard: HeardAnswer,
  fleet: FleetName,
  judge: RemoteSearch['judge'],
): ReadAnswer | undefined {
  try {
    const answer =
      heard instanceof Uint8Array ? unpack<SolveReply>(heard, SOLVE_REPLY) : withKinds(heard, SOLVE_REPLY);
    if (!fleet.owns(answer)) return undefined;
    const { busy, stale, packed, reply } = answer;
    if (busy !== undefined) return { busy };
    if (packed === undefined && reply === undefined) return stale === undefined ? {} : { stale };
    // If the search failed on that solver, it is run elsewhere.
    if (reply !== undefined && 'fault' in reply) return {};
    const read = packed === undefined ? readReply(reply) : readPackedReply(unpackReply(packed));
    const verdict = read === undefined ? 'false' : judge(read);
    if (verdict === 'outdated') return {};
    return verdict === 'false' ? { isInvalid: true } : { reply: read! };
  } catch {
    return { isInvalid: true };
  }
}
