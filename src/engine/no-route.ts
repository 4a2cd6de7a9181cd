/**
 * Why a route query has no answer, as data: what stands in the way, what would help, and what can go wrong with a search
 * itself. Words and member names for it are the commands' alone (src/commands/routes/no-route-words.ts).
 *
 * All amounts are msat, delays are blocks. Reasons cross the border between threads as msgpack, and payments keep them in
 * their journal: a kind is never given another meaning, and a new member is optional.
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { Lane } from './request-queue.ts';
import type { ResolvedQuery } from './route-outcome.ts';

/** One of the two nodes that a query names. */
export type RouteEnd = 'source' | 'destination';

/** What stands in the way of an answer. */
export type Binding =
  /** No channel reaches the node under the layers of the query. */
  | { readonly kind: 'unknownNode'; readonly end: RouteEnd; readonly node: NodeId }
  /** There is an answer for more than this in fees. */
  | { readonly kind: 'feeLimit'; readonly maxfeeMsat: bigint }
  /** There is an answer that takes longer than this, the recipient's own blocks included. */
  | { readonly kind: 'delayLimit'; readonly maxdelay: number }
  /** There is an answer in more parts; `needed` is the fewest that were found to do. */
  | { readonly kind: 'partsLimit'; readonly maxparts: number; readonly needed: number }
  /** Only longer paths than an onion holds connect the two ends. */
  | { readonly kind: 'hopLimit'; readonly maxhops: number }
  | EndCapacity
  | { readonly kind: 'unconnected' }
  | BlockedDirection
  /** The directions between the ends cannot pass the amount together; `path` is the one of fewest hops. */
  | {
      readonly kind: 'capacity';
      readonly amountMsat: bigint;
      readonly path: readonly ShortChannelId[];
      readonly cut: readonly ShortChannelIdDir[];
    }
  | Deduction
  /** The search ended for its effort before it found an answer or proved that there is none. */
  | { readonly kind: 'effort' }
  /** The time allowed ran out, in a search or while the query waited. */
  | { readonly kind: 'deadline'; readonly waited?: 'inQueue' | 'forWorker' };

/** The channels of one end cannot pass the amount, whatever lies beyond them. */
export interface EndCapacity {
  readonly kind: 'endCapacity';
  readonly end: RouteEnd;
  /** Every direction that leaves the source, or leads to the destination. */
  readonly channels: readonly ShortChannelIdDir[];
  readonly shortage: EndShortage;
}

/** What the channels of an end lack: the first of these that says why. */
export type EndShortage =
  /** Together they are too small. */
  | { readonly kind: 'total'; readonly totalMsat: bigint }
  /** Layers know that they pass too little. */
  | { readonly kind: 'known'; readonly limitMsat: bigint; readonly layers: readonly string[] }
  /** Those whose terms are known are too small. */
  | {
      readonly kind: 'gossip';
      readonly announced: number;
      readonly announcedMsat: bigint;
      readonly totalMsat: bigint;
    }
  /** Those that are enabled are too small. The first disabled ones are told one by one. */
  | {
      readonly kind: 'disabled';
      readonly enabled: number;
      readonly enabledMsat: bigint;
      readonly totalMsat: bigint;
      readonly disabled: readonly { readonly of: ShortChannelIdDir; readonly fault: DisabledFault }[];
    }
  /** Layers know that those which are enabled pass too little. */
  | { readonly kind: 'usable'; readonly limitMsat: bigint; readonly layers: readonly string[] };

/** On the path of fewest hops one direction does not pass what it would have to. */
export interface BlockedDirection {
  readonly kind: 'direction';
  readonly of: ShortChannelIdDir;
  readonly amountMsat: bigint;
  readonly fault: DirectionFault;
  readonly path: readonly ShortChannelId[];
  /** Directions that together bound what can be delivered, where a maximum flow proved it; else none. */
  readonly cut: readonly ShortChannelIdDir[];
}

/** `auto.include_fees`: fees taken out of the amount leave a hop less than it passes on. */
export interface Deduction {
  readonly kind: 'deduction';
  readonly of: ShortChannelIdDir;
  readonly amountMsat: bigint;
  /** What it would have to be: the HTLC minimum, or 1. */
  readonly leastMsat: bigint;
  readonly htlcMinimumMsat: bigint;
}

/** Why a direction is out of use. `layer` is the one that says so; without one it is gossip. */
export type DisabledFault =
  /** It asks more than any payment is worth. */
  | { readonly kind: 'fee' }
  | { readonly kind: 'disabled'; readonly layer?: string }
  /** A layer made the channel, and none has enabled it. */
  | { readonly kind: 'neverEnabled'; readonly layer: string }
  /** One of its ends is avoided: the one it leads to, or the one it leaves. */
  | {
      readonly kind: 'nodeDisabled';
      readonly side: 'head' | 'tail';
      readonly node: NodeId;
      readonly layer: string;
    };

/** Why a direction does not pass an amount. */
export type DirectionFault =
  | DisabledFault
  | { readonly kind: 'noGossip' }
  /** The channel is smaller; `layer` made it, where gossip does not have it. */
  | { readonly kind: 'capacity'; readonly limitMsat: bigint; readonly layer?: string }
  | { readonly kind: 'htlcMaximum'; readonly limitMsat: bigint }
  | { readonly kind: 'htlcMinimum'; readonly limitMsat: bigint }
  | Constraint;

/** A direction is known to pass less: a layer says so, or some of it is reserved, or both. */
export interface Constraint {
  readonly kind: 'constraint';
  readonly limitMsat: bigint;
  /** What the last layer that limits it says, before reservations are taken off. */
  readonly known?: { readonly layer: string; readonly maximumMsat: bigint };
  /** All reservations that count for the query; 0 without any. */
  readonly reservedMsat: bigint;
  /** Who made them, where that is known (name-reservations.ts). */
  readonly reservations?: ReservationList;
}

/** The first reservations of a direction, and how many more there are. */
export interface ReservationList {
  readonly first: readonly CountingReservation[];
  readonly more: number;
}

/** A reservation that counts for a query. */
export interface CountingReservation {
  readonly amountMsat: bigint;
  /** Id of the request that made it. */
  readonly commandId: string;
  readonly ageS: number;
  /** Where it counts for requests under this layer alone. */
  readonly layer?: string;
}

/** The parameters of a query that must change, all of them, and to what, so that there is an answer. */
export type Remedy = Partial<
  Pick<ResolvedQuery, 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts'>
>;

/** Why there is no route, and what would help; no remedy where nothing is known to help. */
export interface NoRoute {
  readonly binding: Binding;
  readonly remedy?: Remedy;
}

/** There is no answer to the query. */
export class NoRouteError extends ReasonedError<Binding> {
  readonly remedy: Remedy | undefined;

  constructor({ binding, remedy }: NoRoute) {
    super(errorOf(binding), binding);
    this.remedy = remedy;
  }

  /** The same as data. */
  get noRoute(): NoRoute {
    return { binding: this.reason, ...(this.remedy !== undefined && { remedy: this.remedy }) };
  }
}

/** Which error of the table (model/errors.ts) a query without an answer is. */
export function errorOf(binding: Binding): ErrorName {
  switch (binding.kind) {
    case 'deadline':
      return 'timedOut';
    case 'effort':
      return 'undecided';
    case 'feeLimit':
    case 'delayLimit':
      return 'routeTooExpensive';
    case 'endCapacity': {
      const { kind } = binding.shortage;
      if (kind !== 'total' && kind !== 'known') return 'routeNotFound';
      return binding.end === 'source' ? 'sourceCapacity' : 'destinationCapacity';
    }
    default:
      return 'routeNotFound';
  }
}

/** What can go wrong with a search: nobody knows then whether there is a route. */
export type SearchFault =
  /** The route engine is closed. */
  | { readonly kind: 'closed' }
  /** Too many wait already: `size` of this lane may, `waiting` of it do, some of them of this client. */
  | {
      readonly kind: 'queueFull';
      readonly lane: Lane;
      readonly size: number;
      readonly waiting: number;
      readonly waitingOfClient: number;
    }
  /** Nobody waits for the answer any more. */
  | { readonly kind: 'late' }
  | { readonly kind: 'workerDied'; readonly cause: string }
  /** No solver has the graph yet that the request is for. */
  | { readonly kind: 'noGraph' }
  /** A defect, in the words of the program. */
  | { readonly kind: 'defect'; readonly error: ErrorName; readonly cause: string };

const FAULT_ERRORS = {
  closed: 'shuttingDown',
  queueFull: 'busy',
  late: 'timedOut',
  workerDied: 'workerDied',
  noGraph: 'workerDied',
} as const satisfies Record<Exclude<SearchFault['kind'], 'defect'>, ErrorName>;

/** Which error of the table a failed search is. */
export function errorOfFault(fault: SearchFault): ErrorName {
  return fault.kind === 'defect' ? fault.error : FAULT_ERRORS[fault.kind];
}

/** The search itself failed. */
export class SearchFailed extends ReasonedError<SearchFault> {
  constructor(fault: SearchFault) {
    super(errorOfFault(fault), fault);
  }
}
