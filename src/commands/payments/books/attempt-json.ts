/**
 * Attempts and routing failures as clients see them, in the `data` of errors and in lists. A routing failure has the
 * members that it has in Core Lightning, in the same order.
 */
import { toHex } from '../../../bolt/bytes.ts';
import type { RouteHop } from '../../../engine/question/route.ts';
import { formatShortChannelId, formatShortChannelIdDir } from '../../../model/short-channel-id.ts';
import type { Attempt, AttemptFailure } from '../../../payments/payment.ts';
import { failureText, learnedText, wireName } from './attempt-words.ts';

/** `erring_index`, `failcode` and related members. Members whose value is unknown are absent. */
export function routingFailureData(failure: AttemptFailure) {
  const { erringIndex, erringNode, erringChannel, failcode, failcodename, rawMessage } = failure;
  return withoutAbsent({
    erring_index: erringIndex,
    failcode,
    failcodename: failcodename && wireName(failcodename),
    erring_node: erringNode,
    erring_channel: erringChannel && formatShortChannelId(erringChannel.shortChannelId),
    erring_direction: erringChannel?.direction,
    raw_message: rawMessage && toHex(rawMessage),
  });
}

/** The members of an attempt that clients see. Events have all of them except the lessons. */
export type ReportedAttempt = Pick<
  Attempt,
  | 'status'
  | 'failure'
  | 'partId'
  | 'ownNode'
  | 'learned'
  | 'probabilityPpm'
  | 'createdAtMs'
  | 'completedAtMs'
  | 'path'
> & { readonly amountMsat: bigint; readonly amountSentMsat: bigint };

/** The states of an attempt in events, errors and lists of attempts. */
const ATTEMPT_WORDS = { sent: 'pending', settled: 'success', failed: 'failed' } as const;

/** An attempt with its route, outcome and lessons. Amounts in msat, delays in blocks. */
export function attemptData(attempt: ReportedAttempt) {
  const { status, failure, partId, learned } = attempt;
  return withoutAbsent({
    status: ATTEMPT_WORDS[status],
    failreason: failure && failureText(failure),
    partid: partId,
    node: attempt.ownNode,
    amount_msat: attempt.amountMsat,
    amount_sent_msat: attempt.amountSentMsat,
    probability_ppm: attempt.probabilityPpm,
    created_at: seconds(attempt.createdAtMs),
    completed_at: attempt.completedAtMs === undefined ? undefined : seconds(attempt.completedAtMs),
    route: attempt.path.map(hopData),
    failure: failure && routingFailureData(failure),
    learned: learned.length === 0 ? undefined : learned.map(learnedText),
  });
}

/** A hop: the node that it leads to, the amount that it delivers, and the blocks left on arrival. */
export function hopData(hop: RouteHop) {
  return {
    short_channel_id_dir: formatShortChannelIdDir(hop.shortChannelIdDir),
    id: hop.nodeIdOut,
    amount_msat: hop.amountOutMsat,
    delay: hop.cltvOut,
  };
}

const seconds = (ms: number): number => ms / 1000;

function withoutAbsent<T extends object>(members: T): T {
  const present = {} as T;
  for (const key in members) if (members[key] !== undefined) present[key] = members[key];
  return present;
}
