/**
 * The checks that a fetched static invoice must pass (bolts#1149). It must belong to the requested offer, be signed by
 * the signer that the offer names, be unexpired, and obey the rules of every field. The first fault is reported with
 * its field.
 */
import { equalBytes } from '../bolt/bytes.ts';
import {
  checkStaticInvoice,
  decodeStaticInvoice,
  hasSameOffer,
  type StaticInvoice,
  staticInvoiceExpiry,
} from '../bolt/invoice/bolt12-static-invoice.ts';
import { WireError } from '../bolt/wire-error.ts';
import { FetchFailed } from './fetch-failure.ts';
import type { InvoiceExpectation } from './invoice-check.ts';
import type { InvoiceFault } from './invoice-fault.ts';

/** Reads and checks a static invoice. @throws FetchFailed with the field that is at fault */
export function readFetchedStaticInvoice(
  bytes: Uint8Array,
  {
    request,
    invoiceNodeId,
    nowSeconds,
  }: Pick<InvoiceExpectation, 'request' | 'invoiceNodeId' | 'nowSeconds'>,
): StaticInvoice {
  const failed = (fault: InvoiceFault): FetchFailed =>
    new FetchFailed({ kind: 'wrongStaticInvoice', fault, bytes });
  const invoice = decoded(bytes, failed);
  try {
    if (!hasSameOffer(bytes, request)) throw failed({ kind: 'otherOffer' });
    checkStaticInvoice(invoice);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw failed({ kind: 'badField', type: error.tlvType, cause: error.message });
  }
  if (!equalBytes(invoice.fields.invoiceNodeId!, invoiceNodeId)) throw failed({ kind: 'otherSigner' });
  const expiry = staticInvoiceExpiry(invoice.fields);
  if (nowSeconds > expiry) throw failed({ kind: 'expired', expiry });
  return invoice;
}

function decoded(bytes: Uint8Array, failed: (fault: InvoiceFault) => FetchFailed): StaticInvoice {
  try {
    return decodeStaticInvoice(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw failed({ kind: 'undecodable', cause: error.message });
  }
}
