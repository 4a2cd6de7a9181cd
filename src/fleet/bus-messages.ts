/**
 * The messages between daemons and solvers over the bus.
 *
 *     fulgurite.v2.CHAIN.FLEET.solve             SolveRequest, to any solver (queue group `solvers`) ──▶ SolveReply
 *     fulgurite.v2.CHAIN.FLEET.solver.ID.solve   SolveRequest, to this solver                        ──▶ SolveReply
 *                                                SolveBatch, to this solver                          ──▶ BatchReply, …
 *     fulgurite.v2.CHAIN.FLEET.solver.ID.load    SolverLoad, five to ten times a second
 *     fulgurite.v2.CHAIN.FLEET.log               copies of the log of layers (log-feed.ts)
 *     fulgurite.v2.CHAIN.FLEET.reserved          what each daemon has reserved (reservation-state.ts)
 *     fulgurite.v2.CHAIN.FLEET.layers            the automatic layers of each daemon (layer-state.ts)
 *
 * FLEET is the id of the fleet (fleet-name.ts). Every message contains it too. Messages with a different id are
 * dropped.
 *
 * Messages are msgpack maps with exact 64-bit integers. Two rules let different releases work together: readers ignore
 * unknown members, and a change that older readers would misread gets a new version in the subject.
 *
 * A search must give the same answer on every machine. So a request names the graph, and identifies the shared layers
 * by a position in their log. An unchanging graph is named by a hash of its contents. A changing graph is in the log
 * too, so the position identifies its state, and its name is `shared`. The daemon's reservations and its automatic
 * layers (own channels, lessons) are also identified by positions, in the changes that it publishes. The request
 * contains the rest of what only this daemon knows, such as the layers of individual payments.
 */
import { Packr } from 'msgpackr/pack';
import type { Lane } from '../engine/host/request-queue.ts';
import type { RouteReply } from '../engine/question/messages.ts';
import { QUESTION_MEMBERS, type Question } from '../engine/question/question.ts';
import { asList, fromList, membersOf } from '../model/as-list.ts';
import type { FleetName } from './fleet-name.ts';
import type { StatePosition } from './state-message.ts';

/** The version in the subjects. */
const VERSION = 'v2';

/** The version of the list format in which answers are packed (packed.ts). A changed format gets a new number. */
export const PACKED_FORM = 1;

/** Name of the graph in the log of changes. */
export const SHARED_GRAPH = 'shared';

/** The NATS queue group that distributes requests among all solvers of a fleet and chain. */
export const SOLVER_GROUP = 'solvers';

/** The subjects of one fleet. */
export const subjects = ({ chain, id }: Pick<FleetName, 'chain' | 'id'>) => {
  const base = `fulgurite.${VERSION}.${chain}.${id}`;
  return {
    solve: `${base}.solve`,
    solveAt: (solver: string): string => `${base}.solver.${solver}.solve`,
    load: (solver: string): string => `${base}.solver.${solver}.load`,
    everyLoad: `${base}.solver.*.load`,
    log: `${base}.log`,
    reserved: `${base}.reserved`,
    layers: `${base}.layers`,
  };
};

/** Represents `auto.sourcefree` in the list of layers. */
export const SOURCEFREE_REF = -1;

/**
 * A layer in a request: the name of a shared layer, the id of an automatic layer of the requesting daemon,
 * `SOURCEFREE_REF`, or a number below −1 for a layer included in the request. A release that does not know an automatic
 * layer refuses the request.
 */
export type LayerRef = string | number;

/** A request to a solver for one route search. */
export interface SolveRequest {
  /** Id of the fleet. */
  readonly fleet: string;
  /** UNIX milliseconds. A request that arrives later is dropped, and a search still running at this time stops. */
  readonly deadline: number;
  /** Name of the graph to search: its hash in hex, or `SHARED_GRAPH`. */
  readonly graph: string;
  /** The answer must use the shared layers at this position of their log, or a later one. 0 without a log. */
  readonly layers: number;
  /**
   * The answer must include the requesting daemon's reservations up to this position. Undefined if none were reported.
   */
  readonly reserved?: StatePosition | undefined;
  /**
   * The answer must include the automatic layers of the requesting daemon up to this position. Undefined if the request
   * names none.
   */
  readonly told?: StatePosition | undefined;
  readonly lane: Lane;
  /** Id of the requesting daemon. Solvers serve the daemons in turn. */
  readonly asker: string;
  readonly refs: readonly LayerRef[];
  /** Packed changes that create the layers included in the request; see `RouteRequest`. */
  readonly own?: Uint8Array | undefined;
  /** The version of the list format that the asker can read (`PACKED_FORM`). Without it, the answer is a map. */
  readonly takes?: number;
  readonly query: Omit<Question, 'layerIds'>;
}

/**
 * Searches that a daemon has sent to one solver in the same turn of the event loop. One message for all of them takes
 * less processor time in the daemon, in the NATS server and in the solver. Each search is judged and answered
 * separately.
 */
export interface SolveBatch {
  /** Id of the fleet. */
  readonly fleet: string;
  /** Requests, packed by `packSearch`. At most as many as the solver's load report allows (`SolverLoad.batch`). */
  readonly searches: readonly Uint8Array[];
}

/** Answers to some searches of a batch. The solver sends as many of these messages as it needs. */
export interface BatchReply {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly solver: string;
  readonly answers: readonly BatchAnswer[];
}

/** The answer to the search with this index in its batch: `SolveReply.packed`, or another answer. */
export type BatchAnswer =
  | readonly [index: number, packed: Uint8Array]
  | readonly [index: number, packed: null, other: SolveAnswer];

/** An answer without the members common to all answers. */
export type SolveAnswer = Omit<SolveReply, 'solver' | 'fleet'>;

/**
 * Why a solver cannot answer. Its graph differs (`graph`), it lacks a layer (`layer`), or its copy of the shared layers
 * (`layers`), of the asker's reservations (`reserved`) or of the asker's automatic layers (`told`) is too old. `full`:
 * it has no room for all automatic layers of the asker.
 */
export type StaleCause = 'graph' | 'layers' | 'layer' | 'reserved' | 'told' | 'full';

/** A solver's answer. Exactly one of `reply`, `packed`, `busy`, `stale` and `malformed` is present. */
export interface SolveReply {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly solver: string;
  /** The position of the shared layers used for the answer. */
  readonly layers?: number;
  readonly reply?: RouteReply;
  /**
   * The answer as lists, or the reason why there is no route, made by `encode` of the engine's messages. Reading lists
   * takes a third of the time that a map takes.
   */
  readonly packed?: Uint8Array;
  /** The solver has no room: its number of requests, running or queued, and the milliseconds until it may have room. */
  readonly busy?: number;
  readonly retryAfterMs?: number;
  readonly stale?: StaleCause;
  /** Why the solver cannot interpret the request. */
  readonly malformed?: string;
}

/**
 * A solver's report about its load and state, sent ten times a second while `depth` changes, and five times otherwise.
 */
export interface SolverLoad {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly id: string;
  /** The release that the solver runs. */
  readonly version: string;
  /** Number of requests, running or queued, and the maximum that the solver accepts. */
  readonly depth: number;
  readonly capacity: number;
  /** The maximum number of searches in a `SolveBatch`. Without it, the solver cannot read batches. */
  readonly batch?: number;
  readonly graph: string;
  /** Position in the log of the solver's copy of the shared layers. */
  readonly layers: number;
  /** The solver's time in UNIX milliseconds. */
  readonly nowMs: number;
  /** Numbers of searches answered, and of searches refused because the solver's data did not suffice. */
  readonly answered: number;
  readonly stale: number;
}

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** Packs a message. */
export function pack(
  message: SolveRequest | SolveBatch | SolveReply | BatchReply | SolverLoad | Pick<SolveRequest, 'fleet'>,
): Uint8Array {
  return new Uint8Array(packr.pack(message));
}

/** The members of a request in a batch, in sending order. */
const SEARCH_MEMBERS = membersOf<SolveRequest>()(
  'fleet',
  'deadline',
  'graph',
  'layers',
  'reserved',
  'told',
  'lane',
  'asker',
  'refs',
  'own',
  'takes',
  'query',
);

const QUERY_AT = SEARCH_MEMBERS.indexOf('query');
/** Layers are sent as `refs`. */
const LAYER_IDS_AT = QUESTION_MEMBERS.indexOf('layerIds');

/** Packs a request for a batch, as a list. Later releases may add members at its end. */
export function packSearch(request: SolveRequest): Uint8Array {
  const list = asList(SEARCH_MEMBERS, request);
  const query = asList<Partial<Question>>(QUESTION_MEMBERS, request.query);
  query[LAYER_IDS_AT] = undefined;
  list[QUERY_AT] = query;
  return new Uint8Array(packr.pack(list));
}

/** Unpacks a request of a batch. @throws TypeError unless it is a list whose members have the right types */
export function unpackSearch(bytes: Uint8Array): SolveRequest {
  const list = packr.unpack(bytes) as unknown;
  if (!Array.isArray(list)) throw new TypeError('not a list');
  const query = list[QUERY_AT] as unknown;
  if (!Array.isArray(query)) throw new TypeError('query must be a list');
  list[QUERY_AT] = fromList(QUESTION_MEMBERS, query);
  return withKinds(fromList<SolveRequest>(SEARCH_MEMBERS, list), SOLVE_REQUEST);
}

/** Unpacks a message. @throws TypeError unless it is a map whose members have the types in `kinds` */
export function unpack<T>(bytes: Uint8Array, kinds: Kinds<T>): T {
  const message = packr.unpack(bytes) as object | null;
  if (typeof message !== 'object' || message === null) throw new TypeError('not a map');
  return withKinds(message, kinds);
}

/** The same message. @throws TypeError unless its members have the types in `kinds` */
export function withKinds<T>(message: object, kinds: Kinds<T>): T {
  for (const [name, kind] of Object.entries(kinds)) {
    if (typeof (message as Record<string, unknown>)[name] !== kind)
      throw new TypeError(`${name} must be of type ${kind}`);
  }
  return message as T;
}

type Kinds<T> = { readonly [K in keyof T]?: 'string' | 'number' | 'object' };

/** The members that a reader requires in a search request, with their types. Messages without them are refused. */
export const SOLVE_REQUEST: Kinds<SolveRequest> = {
  deadline: 'number',
  graph: 'string',
  layers: 'number',
  asker: 'string',
  refs: 'object',
  query: 'object',
};
/**
 * A request without content, which shows whether the subject has subscribers. A solver replies that it lacks the graph.
 */
export const emptyRequest = (fleet: string): Pick<SolveRequest, 'fleet'> => ({ fleet });

/** Whether a message of the fleet is an `emptyRequest`. */
export const isEmpty = (message: Partial<SolveRequest>): boolean => Object.keys(message).length === 1;
/** The members that a reader requires in an answer, with their types. */
export const SOLVE_REPLY: Kinds<SolveReply> = { solver: 'string' };
/** The members that a reader requires in a load report, with their types. */
export const SOLVER_LOAD: Kinds<SolverLoad> = {
  id: 'string',
  depth: 'number',
  capacity: 'number',
  graph: 'string',
  layers: 'number',
  nowMs: 'number',
};
