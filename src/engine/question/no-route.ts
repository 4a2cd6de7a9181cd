/**
 * Why a route query has no answer, as data: what prevents a route, remedies, and what can go wrong with a
 * search itself. Only the commands turn this into words and member names (src/commands/routes/no-route-words.ts).
 *
 * All amounts are msat, delays are blocks. Reasons pass between threads as msgpack, and payments keep them in their
 * journal. So a kind never gets another meaning, and a new member is optional.
 */
import { type ErrorName, ReasonedError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { type NumericRefusal, REFUSALS, SHORTAGES } from '../../model/refusals.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { Lane } from '../host/request-queue.ts';
import type { Question } from './question.ts';

/** One of the two nodes that a query names. */
export type RouteEnd = 'source' | 'destination';

/** What prevents an answer. */
export type Binding =
  /** The node has no channel under the layers of the query. */
  | { readonly kind: 'unknownNode'; readonly end: RouteEnd; readonly node: NodeId }
  /** Limits, and ends that nothing connects. The rows of the table say what each means. */
  | NumericRefusal
  | EndCapacity
  | BlockedDirection
  /** The directions between the ends together cannot pass the amount. `path` is the path of fewest hops. */
  | {
      readonly kind: 'capacity';
      readonly amountMsat: bigint;
      readonly path: readonly ShortChannelId[];
      readonly cut: readonly ShortChannelIdDir[];
    }
  | Deduction
  /** The time allowed ran out, in a search or while the query waited. */
  | { readonly kind: 'deadline'; readonly waited?: 'inQueue' | 'forWorker' };

/** The channels of one end cannot pass the amount, regardless of the rest of the network. */
export interface EndCapacity {
  readonly kind: 'endCapacity';
  readonly end: RouteEnd;
  /** Every direction that leaves the source, or leads to the destination. */
  readonly channels: readonly ShortChannelIdDir[];
  readonly shortage: EndShortage;
}

/**
 * What the channels of an end lack. The cases are checked in this order, and the first that holds is reported.
 */
export type EndShortage =
  /** All channels of the end together are too small. */
  | { readonly kind: 'total'; readonly totalMsat: bigint }
  /** By what layers know, all channels together pass too little. */
  | { readonly kind: 'known'; readonly limitMsat: bigint; readonly layers: readonly string[] }
  /** The channels whose terms are known are together too small. */
  | {
      readonly kind: 'gossip';
      readonly announced: number;
      readonly announcedMsat: bigint;
      readonly totalMsat: bigint;
    }
  /** The enabled channels are together too small. The first disabled ones are listed individually. */
  | {
      readonly kind: 'disabled';
      readonly enabled: number;
      readonly enabledMsat: bigint;
      readonly totalMsat: bigint;
      readonly disabled: readonly { readonly of: ShortChannelIdDir; readonly fault: DisabledFault }[];
    }
  /** By what layers know, the enabled channels together pass too little. */
  | { readonly kind: 'usable'; readonly limitMsat: bigint; readonly layers: readonly string[] };

/** One direction on the path of fewest hops cannot pass the amount that it would have to carry. */
export interface BlockedDirection {
  readonly kind: 'direction';
  readonly of: ShortChannelIdDir;
  readonly amountMsat: bigint;
  readonly fault: DirectionFault;
  readonly path: readonly ShortChannelId[];
  /** Directions that together bound what can be delivered. Empty unless a maximum flow proved it. */
  readonly cut: readonly ShortChannelIdDir[];
}

/** With `auto.include_fees`: fees are taken out of the amount, and leave this hop less than it must carry. */
export interface Deduction {
  readonly kind: 'deduction';
  readonly of: ShortChannelIdDir;
  readonly amountMsat: bigint;
  /** The least amount that the hop must carry: its HTLC minimum, or 1. */
  readonly leastMsat: bigint;
  readonly htlcMinimumMsat: bigint;
}

/** Why a direction is out of use. `layer` is the layer that says so. Without `layer`, gossip says so. */
export type DisabledFault =
  /** Its base fee does not fit 32 bits, so the kernel takes it out of use (`BASE_BEYOND` in kernel-layout.ts). */
  | { readonly kind: 'fee' }
  | { readonly kind: 'disabled'; readonly layer?: string }
  /** A layer created the channel, and no layer has enabled it. */
  | { readonly kind: 'neverEnabled'; readonly layer: string }
  /** A layer disables one of its ends: the node that it leads to (head), or the one that it leaves (tail). */
  | {
      readonly kind: 'nodeDisabled';
      readonly side: 'head' | 'tail';
      readonly node: NodeId;
      readonly layer: string;
    };

/** Why a direction cannot carry an amount. */
export type DirectionFault =
  | DisabledFault
  | { readonly kind: 'noGossip' }
  /** The channel is smaller than the amount. `layer` created it, if gossip does not know the channel. */
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
  /** Set when the reservation counts only for requests under this layer. */
  readonly layer?: string;
}

/**
 * The parameters of a query that must change, all of them together, so that there is an answer. Each with its new
 * value.
 */
export type Remedy = Partial<
  Pick<Question, 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts'>
> & {
  /** Present when the remedy works, but a lesser change may work too. */
  readonly minimal?: false;
};

/** Why there is no route, and what would help. Without `remedy`, nothing is known to help. */
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
  if (binding.kind === 'endCapacity' && SHORTAGES[binding.shortage.kind].isOfEnd) {
    return binding.end === 'source' ? 'sourceCapacity' : 'destinationCapacity';
  }
  return REFUSALS[binding.kind].error;
}

/** What can go wrong with a search. Then it is not known whether there is a route. */
export type SearchFault =
  /** The route engine is closed. */
  | { readonly kind: 'closed' }
  /**
   * Too many requests wait already: `waiting` in this lane, of `size` that may, and `waitingOfClient` of this client.
   */
  | {
      readonly kind: 'queueFull';
      readonly lane: Lane;
      readonly size: number;
      readonly waiting: number;
      readonly waitingOfClient: number;
    }
  /** The answer is no longer needed. */
  | { readonly kind: 'late' }
  | { readonly kind: 'workerDied'; readonly cause: string }
  /** No solver has the graph yet for which the request asks. */
  | { readonly kind: 'noGraph' }
  /** A defect. `cause` is the message of the error that was thrown. */
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
