/** Sends a part along the caller's route and returns its row, for `sendpay` and `sendonion`. */
import { fromHex } from '../../../bolt/bytes.ts';
import { FAILURES } from '../../../bolt/onion/failure.ts';
import { MAX_DELAY_BLOCKS } from '../../../engine/question/remedy-rules.ts';
import { FulguriteError } from '../../../model/errors.ts';
import type { Msat } from '../../../model/msat.ts';
import type { NodeId } from '../../../model/node-id.ts';
import type { ShortChannelId } from '../../../model/short-channel-id.ts';
import type { GivenOnion, PaymentRequest } from '../../../payments/payment.ts';
import { MAX_PAYABLE_MSAT } from '../../../payments/plan/limits.ts';
import { hopsThatFit } from '../../../payments/plan/recipient.ts';
import { PaymentRefused } from '../../../payments/refusal.ts';
import type { GivenPart } from '../../../payments/send/given-route.ts';
import type { Call } from '../../../rpc/command.ts';
import { field, optionalField } from '../../../rpc/command.ts';
import { unsignedInteger } from '../../../rpc/param-types.ts';
import { badParameter } from '../../../rpc/params.ts';
import type { NodeContext } from '../../context.ts';
import { codeText } from '../books/attempt-words.ts';
import { ATTEMPT_ID_RESULT, orderOf, randomSeed, sendpayJson } from '../books/payment-json.ts';
import { attemptError } from './attempt-error.ts';
import type { FirstHop, GivenHop } from './route-hop.ts';

/** A group number below 2^53. Larger numbers would not be exact in JavaScript. */
export const groupNumber = unsignedInteger(
  'u64',
  'should be an unsigned 64 bit integer below 2^53',
  Number.MAX_SAFE_INTEGER,
);

/** The members of the result. */
export const SENT_PART_RESULT = {
  message: optionalField('string', 'How to follow the part. Absent when it has arrived.'),
  ...ATTEMPT_ID_RESULT,
  destination: optionalField('pubkey', 'Node id of the destination.'),
  amount_msat: optionalField('msat', 'Amount that arrives.'),
  amount_sent_msat: field('msat', 'Amount sent.'),
  created_at: field('u64', 'UNIX time of creation.'),
  completed_at: optionalField('u64', 'UNIX time of completion.'),
  status: field('string', '`pending`, or `complete` for a part that has already arrived.'),
  payment_preimage: optionalField('secret', 'Proof that the part arrived.'),
  label: optionalField('string', 'The label of the payment.'),
  bolt11: optionalField('string', 'The invoice that the caller gave.'),
  bolt12: optionalField('string', 'The invoice that the caller gave.'),
  description: optionalField('string', 'The description that the caller gave.'),
};

/** What the caller specifies about the payment, apart from the route. */
export interface GivenTerms {
  readonly payment_hash: string;
  readonly label: string | undefined;
  readonly bolt11: string | undefined;
  readonly description: string | undefined;
  readonly partid: number;
  readonly groupid: number | undefined;
}

/** The data for the recipient's payload, and the amounts that the recipient gets. */
export interface GivenEnd {
  readonly destination: NodeId;
  /** The amount of this part, and the total amount of all parts. */
  readonly amountMsat: Msat;
  readonly totalMsat: Msat;
  readonly delay: number;
  readonly secret?: string | undefined;
  readonly metadata?: Uint8Array | undefined;
  readonly onion?: GivenOnion | undefined;
}

/** The request of a part, as the journal stores it. */
export function givenRequest(terms: GivenTerms, end: GivenEnd): PaymentRequest {
  const { bolt11: text = '' } = terms;
  return {
    kind: 'sendpay',
    destination: end.destination,
    amountMsat: end.totalMsat,
    label: terms.label,
    maxfeeMsat: MAX_PAYABLE_MSAT,
    maxdelay: MAX_DELAY_BLOCKS,
    retryForS: 0,
    extraTlvs: [],
    routeHints: [],
    layers: [],
    invoice: {
      format: text.startsWith('lni1') ? 'bolt12' : 'bolt11',
      text,
      paymentHash: fromHex(terms.payment_hash),
      totalMsat: end.totalMsat,
      expiresAt: BigInt(Number.MAX_SAFE_INTEGER),
      minFinalCltvExpiryDelta: end.delay,
      takesParts: end.secret !== undefined,
      paymentSecret: end.secret === undefined ? undefined : fromHex(end.secret),
      paymentMetadata: end.metadata,
      blindedTails: [],
      description: terms.description,
      payerNote: undefined,
      invoiceRequestId: undefined,
    },
    ...(end.onion && { onion: end.onion }),
    seed: randomSeed(),
    isSeedChosen: false,
    useShadow: false,
    randomize: false,
    idempotencyKey: undefined,
  };
}

/**
 * Sends a part. Returns its row once the network has accepted the part.
 * @throws FulguriteError 204 when our own node or channel refuses it; 200, 201, -32602 because of earlier parts
 */
export async function sentPart(
  part: Omit<GivenPart, 'groupId'>,
  { groupid }: GivenTerms,
  context: NodeContext,
  call: Call<NodeContext>,
) {
  const groupId = groupid === undefined ? undefined : BigInt(groupid);
  const { payment, attempt } = await context.payments.sendPart({ ...part, groupId }, orderOf(call));
  await context.payments.journal.readPlaces(payment);
  if (attempt.failure?.notSent !== undefined) throw attemptError(payment, attempt);
  const message = attempt.status === 'settled' ? undefined : 'Monitor status with listpays or waitsendpay';
  return { message, ...sendpayJson(payment, attempt) };
}

/**
 * @throws FulguriteError -32005 for an invoice that answers our own invoice request, because its payment needs the keys
 *   of the request
 */
export function requireNoInvoiceRequest(localinvreqid: string | undefined): void {
  if (localinvreqid === undefined) return;
  throw new FulguriteError('notSupported', 'An invoice for our own request is paid with xpay only', {
    parameter: 'localinvreqid',
  });
}

/** @throws FulguriteError when the hops do not fit in an onion, or an amount exceeds the total supply */
export function requireFit(request: PaymentRequest, hops: readonly Pick<GivenHop, 'amountMsat'>[]): void {
  if (hops.some(({ amountMsat }) => amountMsat > MAX_PAYABLE_MSAT)) {
    throw new PaymentRefused({ kind: 'amountTooLarge' });
  }
  if (hops.length > hopsThatFit(request, request.invoice?.takesParts === true)) {
    throw badParameter('route', 'the payloads exceed the maximum onion packet size');
  }
}

/**
 * Our channel to the first hop, and the peer: the given channel, or a channel to the given node that can send the
 * amount.
 * @throws FulguriteError 204 when there is none; -32005 if several nodes pay
 */
export function firstChannel(
  { nodeId, channel, amountMsat }: FirstHop,
  context: NodeContext,
): { readonly channel: ShortChannelId; readonly peerId: NodeId } {
  const { networkPort, payments } = context;
  const { kind, identity, capabilities } = networkPort;
  if (!capabilities.pays) throw new PaymentRefused({ kind: 'noChannels', network: kind });
  if (payments.purse !== undefined) {
    throw new FulguriteError(
      'notSupported',
      'A given route cannot select one of our several nodes: use xpay',
      {
        network_kind: kind,
      },
    );
  }
  const found = networkPort
    .ownChannels()
    .channels.find(
      (one) =>
        one.usable &&
        (nodeId === undefined || one.peerId === nodeId) &&
        one.shortChannelId !== undefined &&
        (channel === undefined ? one.spendableMsat >= amountMsat : one.shortChannelId === channel),
    );
  if (found !== undefined) return { channel: found.shortChannelId!, peerId: found.peerId };
  const { code } = FAILURES.unknown_next_peer;
  throw new FulguriteError('routeFailed', 'No connection to first peer found', {
    erring_index: 0,
    failcode: code,
    failcodename: codeText(code),
    erring_node: identity.nodeId,
  });
}
