/**
 * Issues an invoice at our node, with the node's method `AddInvoice`. Payments do not need the permission for that
 * method.
 */
import type { LndLink } from './node-link.ts';

/** Lifetime of the invoice in seconds. */
const EXPIRY_SECONDS = 3600;

/**
 * The text of a new BOLT 11 invoice of the node.
 * @throws LndError when the node refuses; FulguriteError nodeAway; notSupported when the macaroon does not permit it
 */
export async function lndInvoice(link: LndLink, amountMsat: bigint, description: string): Promise<string> {
  const request = {
    value_msat: String(amountMsat),
    memo: description,
    expiry: String(EXPIRY_SECONDS),
    private: true,
  };
  const { payment_request } = await link.call<{ readonly payment_request: string }>('AddInvoice', request);
  return payment_request;
}
