/** Finds how an invoice differs from the offer for which it was requested. Payers should check this before they pay. */
import type { InvoiceFields, OfferFields } from '../bolt/invoice/bolt12-fields.ts';
import type { Msat } from '../model/msat.ts';
import { expectedAmount } from './fetch-parameters.ts';

/** The differences. A member is present only if its value differs. */
export interface Changes {
  readonly descriptionAppended?: string;
  readonly description?: string;
  readonly vendorRemoved?: string;
  readonly vendor?: string;
  readonly amountMsat?: Msat;
}

/**
 * Compares an invoice with its offer.
 * @param offer the fields of the offer that the caller gave
 * @param invoice the fields of the invoice; must include the amount
 */
export function changesOf(offer: OfferFields, invoice: InvoiceFields): Changes {
  const amountMsat = invoice.invoiceAmountMsat;
  const expected = expectedAmount(offer, invoice.invreqQuantity);
  return {
    ...changedDescription(offer.offerDescription, invoice.offerDescription),
    ...changedVendor(offer.offerIssuer, invoice.offerIssuer),
    ...(amountMsat !== undefined && amountMsat !== expected && { amountMsat }),
  };
}

/** A description that is missing in the invoice counts as replaced by an empty one. */
function changedDescription(offered: string | undefined, invoiced: string | undefined): Changes {
  if (offered === invoiced) return {};
  if (offered !== undefined && invoiced?.startsWith(offered)) {
    return { descriptionAppended: invoiced.slice(offered.length) };
  }
  return { description: invoiced ?? '' };
}

function changedVendor(offered: string | undefined, invoiced: string | undefined): Changes {
  if (offered === invoiced) return {};
  if (invoiced !== undefined) return { vendor: invoiced };
  return offered === undefined ? {} : { vendorRemoved: offered };
}
