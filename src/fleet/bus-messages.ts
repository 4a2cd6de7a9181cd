/**
 * What daemons and solvers say to each other over the bus.
 *
 *     fulgurite.v2.CHAIN.FLEET.solve             SolveRequest, to any solver (queue group `solvers`) ──▶ SolveReply
 *     fulgurite.v2.CHAIN.FLEET.solver.ID.solve   SolveRequest, to this one                           ──▶ SolveReply
 *     fulgurite.v2.CHAIN.FLEET.solver.ID.load    SolverLoad, ten times a second
 *     fulgurite.v2.CHAIN.FLEET.log               copies of the log of layers (log-feed.ts)
 *     fulgurite.v2.CHAIN.FLEET.reserved          what each daemon has reserved (reservation-news.ts)
 *
 * FLEET is the id of the fleet (fleet-name.ts). Every message carries it too, and is dropped with another one.
 *
 * Messages are msgpack maps, 64-bit integers are exact. Releases run side by side by two rules: a member that a reader
 * does not know is ignored, and a change that older readers would misread gets another number in the subject.
 *
 * A search must have the same answer wherever it is made. So a request names the graph, and the layers that all machines
 * share by a position in their log. A graph that does not change is named by a hash of its contents. One that changes is
 * in the log too, so the position says it all, and its name is `shared`. What the daemon has reserved is named by a position
 * too. What only the daemon knows comes with the request: its own channels and the layers of single payments.
 */
import { Packr } from 'msgpackr/pack';
import type { Lane } from '../engine/host/request-queue.ts';
import type { RouteReply } from '../engine/question/messages.ts';
import type { Question } from '../engine/question/question.ts';
import type { FleetName } from './fleet-name.ts';
import type { ReservedPosition } from './reservation-news.ts';

/** The version in the subjects. */
const VERSION = 'v2';

/** The number of the lists in which answers are packed (packed.ts). Lists of another shape get another number. */
export const PACKED_FORM = 1;

/** Name of the graph that is in the log of changes. */
export const SHARED_GRAPH = 'shared';

/** All solvers of a chain take turns in this group. */
export const SOLVER_GROUP = 'solvers';

/** The names of subjects for one fleet. */
export const subjects = ({ chain, id }: Pick<FleetName, 'chain' | 'id'>) => {
  const base = `fulgurite.${VERSION}.${chain}.${id}`;
  return {
    solve: `${base}.solve`,
    solveAt: (solver: string): string => `${base}.solver.${solver}.solve`,
    load: (solver: string): string => `${base}.solver.${solver}.load`,
    everyLoad: `${base}.solver.*.load`,
    log: `${base}.log`,
    reserved: `${base}.reserved`,
  };
};

/** Stands in the list of layers for `auto.sourcefree`. */
export const SOURCEFREE_REF = -1;

/** A layer in a request: a shared one by its name; one that comes with the request by a number below −1. */
export type LayerRef = string | number;

/** A search for a solver. */
export interface SolveRequest {
  /** Id of the fleet. */
  readonly fleet: string;
  /** UNIX milliseconds. A request that arrives later is dropped, and a search stops then. */
  readonly deadline: number;
  /** Name of the graph that the answer is for: its hash in hex, or `SHARED_GRAPH`. */
  readonly graph: string;
  /** The answer must be on the shared layers as they are at this position of their log, or later. 0 without a log. */
  readonly layers: number;
  /** What the asker has reserved up to here must count in the answer. Undefined if nothing was reported. */
  readonly reserved?: ReservedPosition | undefined;
  readonly lane: Lane;
  /** The asker. Askers take turns. */
  readonly asker: string;
  readonly refs: readonly LayerRef[];
  /** Packed changes that make the layers that come with the request; see `RouteRequest`. */
  readonly own?: Uint8Array;
  /** Who asks can read an answer in this form of lists (`PACKED_FORM`). Without it the answer is a map. */
  readonly takes?: number;
  readonly query: Omit<Question, 'layerIds'>;
}

/**
 * Why a solver cannot answer as asked: it has another graph, or its copy of the layers or of the asker's reservations is
 * not far enough.
 */
export type StaleCause = 'graph' | 'layers' | 'layer' | 'reserved';

/** What a solver answers. Exactly one of `reply`, `packed`, `busy`, `stale` and `malformed` is there. */
export interface SolveReply {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly solver: string;
  /** The position of the shared layers that the answer is on. */
  readonly layers?: number;
  readonly reply?: RouteReply;
  /** An answer as lists, as `encode` of the engine's messages makes it. Who reads it needs a third of the time. */
  readonly packed?: Uint8Array;
  /** Its queue is full: the number of requests in it, and the milliseconds until it may have room. */
  readonly busy?: number;
  readonly retryAfterMs?: number;
  readonly stale?: StaleCause;
  /** The request makes no sense to it. */
  readonly malformed?: string;
}

/** What a solver reports of itself, ten times a second. */
export interface SolverLoad {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly id: string;
  /** The release that it runs. */
  readonly version: string;
  /** Number of requests that it is working on, and the maximum that it accepts. */
  readonly depth: number;
  readonly capacity: number;
  readonly graph: string;
  /** Position of its copy of the shared layers. */
  readonly layers: number;
  /** Its time, UNIX milliseconds. */
  readonly nowMs: number;
  /** Searches that it answered, and those that it refused because its copy was behind. */
  readonly answered: number;
  readonly stale: number;
}

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** Packs a message. */
export function pack(
  message: SolveRequest | SolveReply | SolverLoad | Pick<SolveRequest, 'fleet'>,
): Uint8Array {
  return new Uint8Array(packr.pack(message));
}

/** Unpacks what claims to be a message of this kind. @throws TypeError when a member has another type than asked */
export function unpack<T>(bytes: Uint8Array, kinds: Kinds<T>): T {
  const message = packr.unpack(bytes) as Record<string, unknown> | null;
  if (typeof message !== 'object' || message === null) throw new TypeError('not a map');
  for (const [name, kind] of Object.entries(kinds)) {
    if (typeof message[name] !== kind) throw new TypeError(`${name} is no ${kind}`);
  }
  return message as T;
}

type Kinds<T> = { readonly [K in keyof T]?: 'string' | 'number' | 'object' };

/** What a reader needs of each message. Without it, the message is refused. */
export const SOLVE_REQUEST: Kinds<SolveRequest> = {
  deadline: 'number',
  graph: 'string',
  layers: 'number',
  asker: 'string',
  refs: 'object',
  query: 'object',
};
/** As `SOLVE_REQUEST`, for the answer. */
export const SOLVE_REPLY: Kinds<SolveReply> = { solver: 'string' };
/** As `SOLVE_REQUEST`, for the load. */
export const SOLVER_LOAD: Kinds<SolverLoad> = {
  id: 'string',
  depth: 'number',
  capacity: 'number',
  graph: 'string',
  layers: 'number',
  nowMs: 'number',
};
