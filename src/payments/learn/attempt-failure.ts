/** Interprets the network's report of a failed attempt: which node failed it, with which code, and what is learned. */

import { toHex } from '../../bolt/bytes.ts';
import {
  decodeFailure,
  FAILURES,
  type Failure,
  failureName,
  isBadOnion,
  isNodeFailure,
} from '../../bolt/onion/failure.ts';
import { unwrapFailurePacket } from '../../bolt/onion/failure-packet.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { RefusalCause } from '../../network/port.ts';
import type { Attempt, AttemptFailure, NotSent } from '../payment.ts';
import type { AttemptOutcome } from '../send/outgoing-htlc.ts';
import {
  type AttemptCircumstances,
  type Judgement,
  judgeFailure,
  judgeRefusal,
  judgeUnreadable,
} from './lesson.ts';

/** An interpreted failure: `failure` is shown in lists, and `judgement` guides the next search. */
export interface Reading {
  readonly failure: AttemptFailure;
  readonly judgement: Judgement;
  /** How long each node reports to have held the HTLC, from the first peer on, as far as valid reports reach. */
  readonly holdTimesMs?: readonly number[];
}

/** What is needed, besides the attempt, to interpret its failure. */
export interface ReadingContext {
  /** The secrets shared with each hop of the onion, in order. Called only if there is something to decrypt. */
  readonly secrets: () => readonly Uint8Array[];
  readonly severalParts: boolean;
  /** Number of hops of the blinded path that the last hop stands for. Undefined when the last hop is a channel. */
  readonly blindedHops: number | undefined;
  /** Number of hops of an onion built by the caller. The attempt's path then has only the first hop. */
  readonly onionHops?: number | undefined;
  /** A number in [0, 1) that selects the suspect when nothing identifies one. */
  readonly draw: number;
}

/** Interprets how an attempt failed. Does not throw for an undecryptable failure, which teaches something too. */
export function readFailure(
  attempt: Attempt,
  outcome: Exclude<AttemptOutcome, { status: 'settled' }>,
  context: ReadingContext,
): Reading {
  if (outcome.status === 'neverLeft') {
    return readRefusal(attempt, FAILURES.temporary_node_failure.code, outcome.why);
  }
  if (outcome.status === 'refused') {
    const { failureCode, reason, cause, preimage } = outcome;
    return readRefusal(attempt, failureCode, {
      kind: 'byNode',
      reason,
      ...(cause !== undefined && { cause }),
      ...(preimage !== undefined && { preimage: toHex(preimage) }),
    });
  }
  if (outcome.status === 'decoded') {
    return readMessage(attempt, outcome.sourceIndex, outcome.failure, undefined, context);
  }
  const returned = unwrapOrNothing(outcome.packet, context.secrets(), outcome.attribution);
  const failure = returned?.failure === undefined ? undefined : decodeOrNothing(returned.failure);
  if (returned?.hopIndex === undefined || failure === undefined) {
    const suspect = returned?.suspectIndex;
    const suspectIndex = suspect === undefined ? undefined : suspect + 1;
    return {
      failure: UNREADABLE,
      judgement:
        context.onionHops === undefined
          ? judgeUnreadable(attempt.path, suspectIndex, context.draw)
          : NO_LESSON,
    };
  }
  const { hopIndex, holdTimesMs } = returned;
  return { ...readMessage(attempt, hopIndex + 1, failure, returned.failure!, context), holdTimesMs };
}

/**
 * Judges an attempt of an earlier process by its journaled failure. If the failure is unreadable, guesses again which
 * node damaged it.
 */
export function judgeAgain(
  { path, height }: Attempt,
  { failcode, failcodename, erringIndex, rawMessage, notSent }: AttemptFailure,
  { severalParts, isBlinded, draw }: Omit<AttemptCircumstances, 'height'> & Pick<ReadingContext, 'draw'>,
): Judgement {
  if (failcode === undefined || erringIndex === undefined) return judgeUnreadable(path, undefined, draw);
  if (notSent !== undefined) return refusalOf(path, failcode, notSent);
  const failure = rawMessage && decodeOrNothing(rawMessage);
  const asNamed = { code: failcode, name: failcodename, fields: {}, isComplete: false, tlvs: [] };
  return judgeFailure(path, erringIndex, failure ?? asNamed, { height, severalParts, isBlinded });
}

/**
 * The route position of the node that reported the failure. For a failure inside a blinded path, the introduction node
 * reports (BOLT 4, "Route Blinding"). If a later node of the path reports anyway, its report is attributed to the
 * introduction node, unless that later node is the recipient.
 */
function placeOf(index: number, { length }: Attempt['path'], blindedHops: number | undefined): number {
  if (blindedHops === undefined) return index;
  const introduction = length - 1;
  if (index >= introduction + blindedHops - 1) return length;
  return Math.min(index, introduction);
}

const NO_LESSON: Judgement = { lessons: [], isHopeless: false, awaitHeight: undefined };

const UNREADABLE: AttemptFailure = {
  rawMessage: undefined,
  failcode: undefined,
  failcodename: undefined,
  erringIndex: undefined,
  erringNode: undefined,
  erringChannel: undefined,
  isFinal: false,
};

/** Causes for which our node refuses this payment, or all payments at the moment, on all its channels. */
const OF_THE_NODE: ReadonlySet<RefusalCause | undefined> = new Set([
  'declined',
  'nodeAway',
  'paidElsewhere',
  'underWayElsewhere',
]);

function readRefusal({ path }: Attempt, code: number, notSent: NotSent): Reading {
  const first = path[0]!;
  return {
    failure: {
      rawMessage: undefined,
      failcode: code,
      failcodename: failureName(code),
      erringIndex: 0,
      erringNode: first.nodeIdIn,
      erringChannel: first.shortChannelIdDir,
      isFinal: false,
      notSent,
    },
    judgement: refusalOf(path, code, notSent),
  };
}

function refusalOf(path: Attempt['path'], code: number, notSent: NotSent): Judgement {
  const cause = notSent.kind === 'byNode' ? notSent.cause : undefined;
  return { ...judgeOwn(path, code, cause), isDeclined: OF_THE_NODE.has(cause) };
}

function judgeOwn(path: Attempt['path'], code: number, cause: RefusalCause | undefined): Judgement {
  // The HTLC never reached the channel, so the channel may still be able to carry it.
  if (cause === 'neverLeft') return NO_LESSON;
  // The absence of the peer reveals nothing about the balance.
  if (cause === 'peerAway') return judgeRefusal(path, false);
  // The HTLC never left, so a node failure can only be our own node's, and no channel is to blame.
  if (isNodeFailure(code)) return NO_LESSON;
  return judgeRefusal(path, code === FAILURES.temporary_channel_failure.code);
}

function readMessage(
  { path, height }: Attempt,
  nodeIndex: number,
  failure: Failure,
  raw: Uint8Array | undefined,
  { severalParts, blindedHops, onionHops }: ReadingContext,
): Reading {
  if (onionHops !== undefined) return readOfOnion(nodeIndex, failure, raw, onionHops);
  const index = placeOf(nodeIndex, path, blindedHops);
  const isBlinded = blindedHops !== undefined;
  const isFinal = index >= path.length;
  const hop = path[index];
  const reporter = path[index - 1]!.nodeIdOut;
  const isInsidePath = isBlinded && index === path.length - 1;
  const speaksForNext = isBadOnion(failure.code) && hop !== undefined && !isInsidePath;
  return {
    failure: {
      rawMessage: raw && Uint8Array.from(raw),
      failcode: failure.code,
      failcodename: failure.name,
      erringIndex: index,
      erringNode: speaksForNext ? hop.nodeIdOut : reporter,
      // A refusal by the recipient has no erring channel, because the last channel delivered the HTLC.
      erringChannel: hop?.shortChannelIdDir,
      isFinal,
    },
    judgement: judgeFailure(path, index, failure, { height, severalParts, isBlinded }),
  };
}

/** The failure of an onion built by the caller. We do not know its nodes, so it teaches nothing. */
function readOfOnion(
  index: number,
  { code, name }: Failure,
  raw: Uint8Array | undefined,
  onionHops: number,
): Reading {
  const rawMessage = raw && Uint8Array.from(raw);
  const isFinal = index >= onionHops;
  return {
    failure: { ...UNREADABLE, rawMessage, failcode: code, failcodename: name, erringIndex: index, isFinal },
    judgement: NO_LESSON,
  };
}

function unwrapOrNothing(
  packet: Uint8Array,
  sharedSecrets: readonly Uint8Array[],
  attribution: Uint8Array | undefined,
): ReturnType<typeof unwrapFailurePacket> | undefined {
  try {
    return unwrapFailurePacket(sharedSecrets, packet, attribution);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function decodeOrNothing(bytes: Uint8Array): Failure | undefined {
  try {
    return decodeFailure(bytes);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
