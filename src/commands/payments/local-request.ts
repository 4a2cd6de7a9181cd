/**
 * The parameter `localinvreqid`: our invoice request that an invoice answers. If the request cannot be used, the
 * payment is refused immediately.
 */

import { equalBytes, fromHex, toHex } from '../../bolt/bytes.ts';
import { invoiceRequestId } from '../../bolt/invoice/bolt12-merkle.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { LocalRequest } from '../../payments/plan/invoice-terms.ts';
import type { NodeContext } from '../context.ts';
import { type Payable, refused } from './invoice-string.ts';

const KINDS = { bolt11: 'BOLT11', offer: 'offer', name: 'BIP353' } as const;

/**
 * The request with this id. A request that this service did not make may belong to our node, which then checks it.
 * @throws FulguriteError -32602 when the invoice does not answer this request; 212 when the request is unknown or
 *   disabled.
 */
export function localRequestOf(
  payable: Payable,
  requestId: string | undefined,
  { offers, networkPort }: Pick<NodeContext, 'offers' | 'networkPort'>,
): LocalRequest | undefined {
  if (requestId === undefined) return undefined;
  if (payable.kind !== 'bolt12') {
    throw refused(`Cannot use localinvreqid with ${KINDS[payable.kind]} payment`, 'localinvreqid');
  }
  const id = fromHex(requestId);
  if (!equalBytes(invoiceRequestId(payable.invoice.bytes), id)) {
    throw refused('The invoice answers another invoice_request', 'localinvreqid');
  }
  const ours = offers.own.requests.find(id);
  if (ours === undefined && networkPort.nodeBehind() !== undefined) {
    return { id, publisher: 'node', singleUse: true };
  }
  if (ours === undefined) throw unusable('Unknown', id);
  // A request that was already paid is inactive too, but its payment is refused later with `InvoiceTaken`, which says
  // more.
  if (!ours.active && !ours.used) throw unusable('Inactive', id);
  return { id, publisher: 'us', singleUse: ours.singleUse };
}

function unusable(why: string, id: Uint8Array): FulguriteError {
  const message = `${why} invoice_request ${toHex(id)}`;
  return new FulguriteError('invoiceRequestUnusable', message, {
    parameter: 'localinvreqid',
    reason: message,
  });
}
