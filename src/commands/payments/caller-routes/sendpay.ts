/**
 * `sendpay`: sends one HTLC along a route chosen by the caller. Older clients pay with `getroute`, `sendpay` and
 * `waitsendpay`.
 */

import { msat } from '../../../model/msat.ts';
import { optional, type ParsedParams, required, withDefault } from '../../../rpc/command.ts';
import { hash, msat as msatType, shortText, stringOrNumber, u32 } from '../../../rpc/param-types.ts';
import { refusedParameter } from '../../../rpc/params.ts';
import { defineCommand } from '../../context.ts';
import { labelOf } from '../payment-params.ts';
import { hexBytes } from './hex-bytes.ts';
import { asPath, routeHops } from './route-hop.ts';
import {
  firstChannel,
  givenRequest,
  groupNumber,
  requireFit,
  requireNoInvoiceRequest,
  SENT_PART_RESULT,
  sentPart,
} from './sent-part.ts';

/** Maximum bytes of an invoice's payment metadata. An onion has no room for more. */
const MAX_METADATA_BYTES = 1300;

const PARAMS = {
  route: required(
    routeHops,
    'Hops: objects with id, channel, amount_msat and delay, as `getroute` returns them. Other members are ignored.',
  ),
  payment_hash: required(hash, 'Payment hash of the invoice.'),
  label: optional(labelOf(stringOrNumber), 'Attached to the part. `listsendpays` returns it.'),
  amount_msat: optional(msatType, 'Amount of the whole payment. Required with partid.'),
  bolt11: optional(shortText, 'The invoice, stored with the part. It is not parsed.'),
  payment_secret: optional(hash, 'The invoice’s payment secret. Recipients refuse a payment without it.'),
  partid: withDefault(u32, 0, 'Number of the part, from 1; 0 for a payment in one part.'),
  localinvreqid: optional(hash, 'Not supported: pay the invoice with `xpay`.'),
  groupid: optional(
    groupNumber,
    'Group of parts. Default: one more than the last group of this payment hash.',
  ),
  payment_metadata: optional(hexBytes(MAX_METADATA_BYTES), 'The invoice’s metadata, in hex.'),
  description: optional(shortText, 'A text stored with the part.'),
};
type SendpayParams = ParsedParams<typeof PARAMS>;

/** Matches Core Lightning's command. */
export const sendpay = defineCommand({
  name: 'sendpay',
  summary: 'Send a payment along a route of your own.',
  description:
    'Sends one HTLC along the given route and returns when it is on its way. `waitsendpay` returns the outcome. Nothing is ' +
    'retried, and no fee limit applies: the first hop’s amount is sent. Prefer `xpay`. Parts of one payment ' +
    'share one groupid and one payment_secret, and have partids from 1. A part that is in flight or has arrived is not sent again: its row ' +
    'is returned. Errors: 200 this payment hash is being paid in another way. 201 it was used for another payment, or ' +
    'another part has arrived. 204 our own node or channel refused the part.',
  category: 'payments',
  params: PARAMS,
  outgo: ({ route }) => route[0]!.amountMsat,
  result: SENT_PART_RESULT,
  handler(params, context, call) {
    requireRules(params);
    const { route: hops } = params;
    const last = hops.at(-1)!;
    const request = givenRequest(params, {
      destination: last.nodeId,
      amountMsat: last.amountMsat,
      totalMsat: msat(params.amount_msat ?? last.amountMsat),
      delay: last.delay,
      secret: params.payment_secret,
      metadata: params.payment_metadata,
    });
    requireFit(request, hops);
    firstChannel(hops[0]!, context);
    const path = asPath(hops, context.networkPort.identity.nodeId);
    const { amountMsat } = last;
    const route = { probabilityPpm: 0, amountMsat, finalCltv: last.delay, path };
    return sentPart({ request, partId: params.partid, route }, params, context, call);
  },
});

/** Checks Core Lightning's rules for parts, with its error texts. @throws FulguriteError -32602, -32005 */
function requireRules({
  route,
  amount_msat: totalMsat,
  partid,
  payment_secret,
  localinvreqid,
}: SendpayParams): void {
  const { amountMsat } = route.at(-1)!;
  requireNoInvoiceRequest(localinvreqid);
  if (partid !== 0 && totalMsat === undefined)
    throw refusedParameter('amount_msat', 'Must specify msatoshi with partid');
  if (partid === 0 && totalMsat !== undefined && totalMsat !== amountMsat) {
    const shown = `Do not specify msatoshi (${totalMsat}msat) without partid: if you do, it must be exactly the final amount`;
    throw refusedParameter('amount_msat', `${shown} (${amountMsat}msat)`);
  }
  if (partid !== 0 && amountMsat > totalMsat!) {
    throw refusedParameter(
      'route',
      `Final amount ${amountMsat}msat is greater than ${totalMsat}msat, despite MPP`,
    );
  }
  if (partid !== 0 && payment_secret === undefined)
    throw refusedParameter('payment_secret', 'partid requires payment_secret');
}
