/** Offers, invoice requests and invoices as commands show them. */

import { toHex } from '../../bolt/bytes.ts';
import { formatInvoice } from '../../bolt/invoice/bolt12-invoice.ts';
import { formatInvoiceRequest } from '../../bolt/invoice/bolt12-invoice-request.ts';
import { formatOffer } from '../../bolt/invoice/bolt12-offer.ts';
import { type IssuedInvoice, type IssuedOffer, statusOf } from '../../offers/offer-book.ts';
import type { SimulatedOffer } from '../../simulated-issuers/index.ts';
import type { InvoiceRequestRow } from '../../store/offer-repository.ts';

/**
 * One of our offers with the members of the result of `offer`. `force_paths` is always false, because we make no offers
 * with it.
 */
export function offerObject({ offer, offerId, active, singleUse, used, label }: IssuedOffer) {
  return {
    offer_id: toHex(offerId),
    active,
    single_use: singleUse,
    bolt12: formatOffer(offer),
    force_paths: false,
    used,
    label,
  };
}

/**
 * An offer as `listoffers` and `disableoffer` show it, with its description. The result of `offer` omits the
 * description, as in Core Lightning.
 */
export function listedOffer(issued: IssuedOffer) {
  return { ...offerObject(issued), description: issued.offer.fields.offerDescription };
}

/** One of our invoice requests with the members of `listinvoicerequests`. */
export function requestObject(request: InvoiceRequestRow) {
  return {
    invreq_id: toHex(request.requestId),
    active: request.active,
    single_use: request.singleUse,
    bolt12: formatInvoiceRequest(request),
    used: request.used,
    label: request.label,
  };
}

/** An offer of a simulated node, with its issuer and kind. */
export function simulatedOffer({ offer, offerId, kind, nodeId }: SimulatedOffer) {
  return {
    offer_id: toHex(offerId),
    bolt12: formatOffer(offer),
    description: offer.fields.offerDescription,
    node_id: nodeId,
    kind: kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  };
}

/**
 * One of our invoices with the members of `listinvoices`. Its preimage is shown only once it is paid. @param nowSeconds
 * current UNIX time in seconds, for telling whether the invoice has expired
 */
export function invoiceObject(invoice: IssuedInvoice, nowSeconds: bigint) {
  const { label, offerId, bytes, preimage, paymentHash, amountMsat, isPaid } = invoice;
  return {
    label,
    bolt12: formatInvoice({ bytes }),
    payment_hash: toHex(paymentHash),
    amount_msat: amountMsat,
    status: statusOf(invoice, nowSeconds),
    description: invoice.description,
    expires_at: invoice.expiresAt,
    created_index: invoice.createdIndex,
    local_offer_id: toHex(offerId),
    invreq_payer_note: invoice.payerNote,
    payment_preimage: isPaid ? toHex(preimage) : undefined,
  };
}
