/** `sendonion`: sends an onion that the caller made. */
import { fromHex } from '../../../bolt/bytes.ts';
import { curve } from '../../../bolt/crypto/curve.ts';
import { FAILURES } from '../../../bolt/onion/failure.ts';
import { MAX_ONION_HOPS, ONION_OVERHEAD_BYTES, PAYMENT_AREA_BYTES } from '../../../bolt/onion/sphinx.ts';
import { FulguriteError } from '../../../model/errors.ts';
import { type Msat, msat } from '../../../model/msat.ts';
import { NODE_ID_BYTES } from '../../../model/node-id.ts';
import { optional, required, withDefault } from '../../../rpc/command.ts';
import {
  arrayOf,
  hash,
  msat as msatType,
  nodeId,
  shortText,
  stringOrNumber,
  u32,
} from '../../../rpc/param-types.ts';
import { refuse } from '../../../rpc/params.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { labelOf } from '../payment-params.ts';
import { hexBytes } from './hex-bytes.ts';
import { asPath, firstHop } from './route-hop.ts';
import {
  firstChannel,
  givenRequest,
  groupNumber,
  requireFit,
  requireNoInvoiceRequest,
  SENT_PART_RESULT,
  sentPart,
} from './sent-part.ts';

const PACKET_BYTES = PAYMENT_AREA_BYTES + ONION_OVERHEAD_BYTES;

/** Matches Core Lightning's command, for one part at a time. */
export const sendonion = defineCommand({
  name: 'sendonion',
  summary: 'Send an onion built by the caller.',
  description:
    'Sends an onion of `createonion` or any other source to the first hop, and returns when it is on its way. `waitsendpay` returns ' +
    'the outcome. Pass shared_secrets, so that a failure can be decrypted. Only one onion per payment hash can be in flight. Errors: ' +
    '-32005 our node builds all onions itself, as LND does. 200, 201, 204 as `sendpay`.',
  category: 'payments',
  params: {
    onion: required(hexBytes(PACKET_BYTES), 'The packet, in hex.'),
    first_hop: required(firstHop, 'Object with id or channel (or both), amount_msat and delay.'),
    payment_hash: required(hash, 'Payment hash that the onion commits to.'),
    label: optional(labelOf(stringOrNumber), 'Attached to the part. `listsendpays` returns it.'),
    shared_secrets: optional(
      arrayOf(hash, MAX_ONION_HOPS),
      'The secrets of `createonion`, for decrypting a failure.',
    ),
    partid: withDefault(u32, 0, 'Number of the part, from 1; 0 for a payment in one part.'),
    bolt11: optional(shortText, 'The invoice, stored with the part. It is not parsed.'),
    amount_msat: withDefault(
      msatType,
      msat(0n) as Msat,
      'The amount that the recipient receives. Default: unknown, and the amount sent is shown.',
    ),
    destination: optional(nodeId, 'The recipient, stored with the part. Default: the first hop.'),
    localinvreqid: optional(hash, 'Not supported: pay the invoice with `xpay`.'),
    groupid: optional(
      groupNumber,
      'Group of parts. Default: one more than the last group of this payment hash.',
    ),
    description: optional(shortText, 'A text stored with the part.'),
    total_amount_msat: withDefault(
      msatType,
      msat(0n) as Msat,
      'Amount of the whole payment. Default: the amount of this part.',
    ),
  },
  outgo: ({ first_hop }) => first_hop.amountMsat,
  result: SENT_PART_RESULT,
  handler(params, context, call) {
    requireOnions(context);
    requireNoInvoiceRequest(params.localinvreqid);
    requirePacket(params.onion);
    const { first_hop: hop } = params;
    const amountMsat = params.amount_msat === 0n ? hop.amountMsat : params.amount_msat;
    const first = firstChannel(hop, context);
    const request = givenRequest(params, {
      destination: params.destination ?? first.peerId,
      amountMsat,
      totalMsat: params.total_amount_msat === 0n ? amountMsat : params.total_amount_msat,
      delay: hop.delay,
      onion: { packet: params.onion, sharedSecrets: (params.shared_secrets ?? []).map(fromHex) },
    });
    requireFit(request, [hop]);
    const path = asPath(
      [{ ...hop, nodeId: first.peerId, channel: first.channel }],
      context.networkPort.identity.nodeId,
    );
    const route = { probabilityPpm: 0, amountMsat, finalCltv: hop.delay, path };
    return sentPart({ request, partId: params.partid, route }, params, context, call);
  },
});

/** @throws FulguriteError -32005 if our node builds its own onions */
function requireOnions({ networkPort: { kind, capabilities } }: NodeContext): void {
  if (capabilities.sendsOnions === true) return;
  throw new FulguriteError(
    'notSupported',
    `The network '${kind}' does not send onions built by others: use sendpay, or xpay`,
    { network_kind: kind },
  );
}

/**
 * @throws FulguriteError -32602 with the failure code that the first hop would return for the packet (BOLT 4, "Failure
 *   Messages")
 */
function requirePacket(onion: Uint8Array): void {
  const { invalid_onion_version, invalid_onion_key } = FAILURES;
  const isWhole = onion.length === PACKET_BYTES;
  const isKnown = !isWhole || onion[0] === 0;
  if (isWhole && isKnown && curve.isPoint(onion.subarray(1, 1 + NODE_ID_BYTES))) return;
  const { code } = isKnown ? invalid_onion_key : invalid_onion_version;
  refuse('onion', `Could not parse the onion. Parsing failed with failcode=${code}`);
}
