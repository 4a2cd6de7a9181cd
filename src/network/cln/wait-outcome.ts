/**
 * Converts the answers of Core Lightning's `sendonion` and `waitsendpay` about our HTLC to outcomes.
 *
 *     result with the preimage                          settled
 *     result with a different preimage                  misattributed
 *     202 with `onionreply`                             failed: the packet as the first peer returned it
 *     203, 204 from our own node (`erring_index` 0)     refused, with the node's words
 *     203, 204 from index 1 without a packet            refused: the first peer could not read the onion
 *     202 without a packet, 209                         refused: the node does not know the reason
 *     200                                               still pending
 *     208                                               no such part
 */
import { equalBytes } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { FAILURES } from '../../bolt/onion/failure.ts';
import type { HtlcOutcome, RefusalCause } from '../port.ts';
import type { Members, NodeError } from './answer.ts';

/** Error codes of Core Lightning's payment commands. */
export const PAY = {
  inProgress: 200,
  hashUsed: 201,
  unparseableOnion: 202,
  destinationFailed: 203,
  tryOtherRoute: 204,
  noSuchPart: 208,
  unspecified: 209,
  badInvoiceRequest: 212,
  invoiceDeclined: 213,
  keysendDeclined: 214,
} as const;

/**
 * The node reports the preimage of a different payment. Core Lightning (v26.06) does so after a splice while HTLCs are
 * on their way: it mistakes each HTLC for the previous HTLC, until the channel reconnects. So this part may not have
 * been paid, and the preimage proves only that the previous HTLC was.
 */
export interface Misattributed {
  readonly status: 'misattributed';
  readonly preimage: Uint8Array;
}

/** What an answer means for a part: its outcome, that it is pending, or that the node has no such part. */
export type PartAnswer = HtlcOutcome | Misattributed | 'pending' | 'none';

/** Interprets a result. A result without a preimage describes a pending part. */
export function readPart(result: Members, paymentHash: Uint8Array): PartAnswer {
  const preimage = result.bytes('payment_preimage');
  if (preimage.length !== 32) return 'pending';
  const isOfThis = equalBytes(sha256(preimage), paymentHash);
  return { status: isOfThis ? 'settled' : 'misattributed', preimage };
}

/** Whether the node reports the preimage of a different payment. */
export const isMisattributed = (answer: PartAnswer): answer is Misattributed =>
  typeof answer !== 'string' && answer.status === 'misattributed';

/**
 * Whether the node failed a part because it lost the channel's process. It may then have mistaken another part for this
 * part.
 */
export const isOfLostProcess = (answer: PartAnswer): boolean =>
  typeof answer !== 'string' && answer.status === 'refused' && LOST_PROCESS.test(answer.reason);

/** Interprets an error of `waitsendpay`. Undefined when it implies nothing about the part. */
export function readPartError(error: NodeError): PartAnswer | undefined {
  const packet = error.data?.bytes('onionreply') ?? new Uint8Array(0);
  if (packet.length > 0) return { status: 'failed', packet };
  switch (error.code) {
    case PAY.inProgress:
      return 'pending';
    case PAY.noSuchPart:
      return 'none';
    case PAY.unparseableOnion:
    case PAY.unspecified:
      return refusal(FAILURES.permanent_channel_failure.code, error.message, undefined);
    case PAY.destinationFailed:
    case PAY.tryOtherRoute:
      return refusalOf(error);
    default:
      return undefined;
  }
}

/** The refusal of an HTLC by our own node, or an unencrypted refusal by its first peer. */
export function refusalOf({ message, data }: NodeError): HtlcOutcome {
  const failureCode = data?.number('failcode') ?? FAILURES.temporary_channel_failure.code;
  const words = ownWords(message);
  return refusal(failureCode, words, causeOf(words, failureCode));
}

const refusal = (failureCode: number, reason: string, cause: RefusalCause | undefined): HtlcOutcome => ({
  status: 'refused',
  failureCode,
  reason,
  ...(cause !== undefined && { cause }),
});

/** Extracts `why` from `failed: WIRE_A (WIRE_A: why)`. Any other text is the reason itself. */
function ownWords(message: string): string {
  return /\(WIRE_\w+: (.*)\)\s*$/s.exec(message)?.[1] ?? message;
}

/** Matches the error for an HTLC that the channel's process had not acknowledged before the process ended. */
const LOST_PROCESS = /subdaemon died/i;

/** Patterns that match Core Lightning's reasons for refusing an HTLC, each with the cause that it means. */
const CAUSES: readonly (readonly [RegExp, RefusalCause])[] = [
  [/^Capacity exceeded/i, 'balance'],
  [/^Too many HTLCs/i, 'htlcSlots'],
  [/dust/i, 'dust'],
  [/maximum value exceeded|in flight/i, 'inFlightLimit'],
  [/^HTLC too small/i, 'tooSmall'],
  [/^Invalid cltv_expiry|expiry/i, 'expiry'],
  [
    /subdaemon died|First peer not ready|No connection to first peer|not connected|peer.*(?:gone|disconnect)/i,
    'peerAway',
  ],
];

function causeOf(words: string, failureCode: number): RefusalCause | undefined {
  const told = CAUSES.find(([pattern]) => pattern.test(words))?.[1];
  if (told !== undefined) return told;
  return failureCode === FAILURES.unknown_next_peer.code ? 'peerAway' : undefined;
}
