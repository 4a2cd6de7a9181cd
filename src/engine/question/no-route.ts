/**
 * Why a route query has no answer, as data: what prevents a route, remedies, and failures of the search itself. Only
 * the commands turn this into text and member names (src/commands/routes/no-route-words.ts).
 *
 * All amounts are msat, delays are blocks. Reasons are sent between threads as msgpack, and payments store them in
 * their journal. So kinds never change their meaning, and new members are optional.
 */
import { type ErrorName, ReasonedError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { type NumericRefusal, REFUSALS, SHORTAGES } from '../../model/refusals.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { Lane } from '../host/request-queue.ts';
import type { Question } from './question.ts';
import type { RouteAnswer } from './route.ts';

/** One of the two nodes that a query names. */
export type RouteEnd = 'source' | 'destination';

/** What prevents an answer. */
export type Binding =
  /** The node has no channel under the layers of the query. */
  | { readonly kind: 'unknownNode'; readonly end: RouteEnd; readonly node: NodeId }
  /**
   * A limit prevents the answer, or the ends are not connected. The table of refusals (model/refusals.ts) explains each
   * kind.
   */
  | NumericRefusal
  | EndCapacity
  | BlockedDirection
  /** The directions between the ends together cannot carry the amount. `path` is the path with the fewest hops. */
  | {
      readonly kind: 'capacity';
      readonly amountMsat: bigint;
      readonly path: readonly ShortChannelId[];
      readonly cut: readonly ShortChannelIdDir[];
    }
  | Deduction
  /** The time limit was reached, during the search or while the query was queued. */
  | { readonly kind: 'deadline'; readonly waited?: 'inQueue' | 'forWorker' };

/** The channels of one end cannot carry the amount, regardless of the rest of the network. */
export interface EndCapacity {
  readonly kind: 'endCapacity';
  readonly end: RouteEnd;
  /** Every direction that leaves the source, or leads to the destination. */
  readonly channels: readonly ShortChannelIdDir[];
  readonly shortage: EndShortage;
}

/**
 * What is wrong with an end's channels. The cases are checked in this order, and the first that applies is reported.
 */
export type EndShortage =
  /** All channels of the end together are too small. */
  | { readonly kind: 'total'; readonly totalMsat: bigint }
  /** According to layers, all channels together carry too little. */
  | { readonly kind: 'known'; readonly limitMsat: bigint; readonly layers: readonly string[] }
  /** The channels with known terms are together too small. */
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
  /** According to layers, the enabled channels together carry too little. */
  | { readonly kind: 'usable'; readonly limitMsat: bigint; readonly layers: readonly string[] };

/** One direction on the path with the fewest hops cannot carry its amount. */
export interface BlockedDirection {
  readonly kind: 'direction';
  readonly of: ShortChannelIdDir;
  readonly amountMsat: bigint;
  readonly fault: DirectionFault;
  readonly path: readonly ShortChannelId[];
  /** Directions that together bound what can be delivered. Empty unless a maximum flow proved this bound. */
  readonly cut: readonly ShortChannelIdDir[];
}

/** With `auto.include_fees`: fees are deducted from the amount, and the rest is less than the minimum of this hop. */
export interface Deduction {
  readonly kind: 'deduction';
  readonly of: ShortChannelIdDir;
  readonly amountMsat: bigint;
  /** The minimum amount of the hop: its HTLC minimum, or 1. */
  readonly leastMsat: bigint;
  readonly htlcMinimumMsat: bigint;
}

/** Why a direction is disabled. `layer` is the layer that disables it. Without `layer`, gossip disables it. */
export type DisabledFault =
  /** The direction's base fee does not fit 32 bits, so the kernel disables it (`BASE_BEYOND` in kernel-layout.ts). */
  | { readonly kind: 'fee' }
  | { readonly kind: 'disabled'; readonly layer?: string }
  /** A layer created the channel, and no layer has enabled it. */
  | { readonly kind: 'neverEnabled'; readonly layer: string }
  /**
   * A layer disables one of the direction's ends: the node that it leads to (head), or the node that it leaves (tail).
   */
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
  /** The channel is smaller than the amount. `layer` created it, if it is not in gossip. */
  | { readonly kind: 'capacity'; readonly limitMsat: bigint; readonly layer?: string }
  | { readonly kind: 'htlcMaximum'; readonly limitMsat: bigint }
  | { readonly kind: 'htlcMinimum'; readonly limitMsat: bigint }
  | Constraint;

/** The direction is known to carry less than the amount, because of a layer, reservations, or both. */
export interface Constraint {
  readonly kind: 'constraint';
  readonly limitMsat: bigint;
  /**
   * The last layer that limits the direction, and the maximum according to all layers, before subtracting reservations.
   */
  readonly known?: { readonly layer: string; readonly maximumMsat: bigint };
  /** The sum of all reservations that apply to the query; 0 if there are none. */
  readonly reservedMsat: bigint;
  /** The individual reservations, if known (name-reservations.ts). */
  readonly reservations?: ReservationList;
}

/** The first reservations of a direction, and the number of further ones. */
export interface ReservationList {
  readonly first: readonly CountingReservation[];
  readonly more: number;
}

/** A reservation that applies to a query. */
export interface CountingReservation {
  readonly amountMsat: bigint;
  /** Id of the request that made the reservation. */
  readonly commandId: string;
  readonly ageS: number;
  /** Set when the reservation applies only to requests under this layer. */
  readonly layer?: string;
}

/** The parameters of a query that must all change to get an answer, with their new values. */
export type Remedy = Partial<
  Pick<Question, 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts'>
> & {
  /** Present when the remedy works, but a smaller change may work too. */
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

  /** The reason and the remedy, as data. */
  get noRoute(): NoRoute {
    return { binding: this.reason, ...(this.remedy !== undefined && { remedy: this.remedy }) };
  }
}

/** The name, in the table of model/errors.ts, of the error for a query without an answer. */
export function errorOf(binding: Binding): ErrorName {
  if (binding.kind === 'endCapacity' && SHORTAGES[binding.shortage.kind].isOfEnd) {
    return binding.end === 'source' ? 'sourceCapacity' : 'destinationCapacity';
  }
  return REFUSALS[binding.kind].error;
}

/** Reasons why a search failed. They do not show whether there is a route. */
export type SearchFault =
  /** The route engine is closed. */
  | { readonly kind: 'closed' }
  /** Too many requests are queued: `waiting` in this lane, of at most `size`, and `waitingOfClient` of this client. */
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
  /** No solver has the requested graph yet. */
  | { readonly kind: 'noGraph' }
  /** A bug. `cause` is the message of the thrown error. */
  | { readonly kind: 'defect'; readonly error: ErrorName; readonly cause: string };

const FAULT_ERRORS = {
  closed: 'shuttingDown',
  queueFull: 'busy',
  late: 'timedOut',
  workerDied: 'workerDied',
  noGraph: 'workerDied',
} as const satisfies Record<Exclude<SearchFault['kind'], 'defect'>, ErrorName>;

/** The name, in the table of model/errors.ts, of the error for a failed search. */
export function errorOfFault(fault: SearchFault): ErrorName {
  return fault.kind === 'defect' ? fault.error : FAULT_ERRORS[fault.kind];
}

/** The search itself failed. */
export class SearchFailed extends ReasonedError<SearchFault> {
  constructor(fault: SearchFault) {
    super(errorOfFault(fault), fault);
  }
}

/** How a query ended. */
export type RouteOutcome = { readonly answer: RouteAnswer } | { readonly noRoute: NoRoute };
