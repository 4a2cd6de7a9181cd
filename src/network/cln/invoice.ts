/** Issues an invoice at our node, with the node's command `invoice`. */
import { randomBytes } from 'node:crypto';
import type { NodeLink } from './node-link.ts';

/** Lifetime of the invoice in seconds. */
const EXPIRY_SECONDS = 3600;

/** The text of a new BOLT 11 invoice of the node. @throws FulguriteError nodeAway; NodeError when the node refuses */
export async function clnInvoice(link: NodeLink, amountMsat: bigint, description: string): Promise<string> {
  const label = `fulgurite-transfer-${randomBytes(8).toString('hex')}`;
  const params = { amount_msat: amountMsat, label, description, expiry: EXPIRY_SECONDS };
  return (await link.call('invoice', params)).text('bolt11')!;
}
