/**
 * Issues and looks up invoices at our node, with its methods `AddInvoice` and `LookupInvoice`. Payments do not need the
 * permission for these methods.
 */
import { LndError, STATUS } from './client/calls.ts';
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

/**
 * The invoice with this payment hash, with the members that the caller names. Undefined if the node has none.
 * @throws LndError; FulguriteError nodeAway; notSupported when the macaroon does not permit it
 */
export async function lookUpInvoice<T>(link: LndLink, hash: Uint8Array): Promise<T | undefined> {
  try {
    return await link.call<T>('LookupInvoice', { r_hash: hash });
  } catch (error) {
    if (error instanceof LndError && isUnknown(error)) return undefined;
    throw error;
  }
}

const isUnknown = ({ status, message }: LndError): boolean =>
  status === STATUS.notFound || /unable to locate invoice|no existing invoices/.test(message);
