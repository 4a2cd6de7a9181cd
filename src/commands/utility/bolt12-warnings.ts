/**
 * Faults of a BOLT 12 message that can still be decoded. `decode` shows the message, says why it must not be used, and
 * sets `valid` to false. Names and texts are Core Lightning's.
 */

import type { InvoiceFields, InvoiceRequestFields, OfferFields } from '../../bolt/invoice/bolt12-fields.ts';
import { isBip353Text } from '../../bolt/invoice/bolt12-invoice-request.ts';
import { invoiceBasetime, recurrenceOf, requestedPeriod } from '../../bolt/invoice/bolt12-recurrence.ts';
import type { BlindedPath } from '../../bolt/onion/blinded-path.ts';
import type { Warning } from './decode-members.ts';

/** Members `warning_…` of a result, each with its text. Empty when nothing is wrong. */
export type Warnings = Readonly<Partial<Record<Warning, string>>>;

/** Warnings about the fields of an offer, in any message that contains them. */
export function offerWarnings(fields: OfferFields): Warnings {
  const { offerAmount, offerDescription, offerPaths } = fields;
  return {
    ...(offerAmount !== undefined &&
      offerDescription === undefined && {
        warning_missing_offer_description:
          'description is required if offer_amount is set (for the user to know what it was they paid for)',
      }),
    ...pathWarnings(offerPaths),
  };
}

/** Warnings about the fields of a request, in a request or in its invoice. */
export function requestWarnings(fields: InvoiceRequestFields): Warnings {
  const { invreqMetadata, invreqPaths, invreqBip353Name: name } = fields;
  return {
    ...offerWarnings(fields),
    ...(invreqMetadata === undefined && { warning_missing_invreq_metadata: 'invreq_metadata required' }),
    ...pathWarnings(invreqPaths),
    ...(name !== undefined && !isBip353Text(name.name) && badName('name')),
    ...(name !== undefined && !isBip353Text(name.domain) && badName('domain')),
    ...cancelWarnings(fields),
  };
}

function badName(part: 'name' | 'domain'): Warnings {
  const text = `bip353 ${part} field contains invalid characters`;
  return { [`warning_invreq_bip_353_name_${part}_invalid`]: text };
}

/** Warnings about a cancellation. The first payment of a series cannot cancel the series. */
function cancelWarnings(fields: InvoiceRequestFields): Warnings {
  const isCancel = fields.invreqRecurrenceCancel ?? fields.invreqRecurrenceCancelDraft;
  const { counter } = requestedPeriod(fields);
  if (!isCancel || (counter ?? 0) > 0) return {};
  return counter === undefined
    ? {
        warning_invreq_recurrence_cancel_without_counter:
          'invreq_recurrence_cancel is invalid without invreq_recurrence_counter',
      }
    : {
        warning_invreq_recurrence_cancel_with_zero_counter:
          'invreq_recurrence_cancel is invalid with invreq_recurrence_counter zero',
      };
}

/** Warnings that apply to a request but not to its invoice. */
export function ownRequestWarnings({ invreqPayerId }: InvoiceRequestFields): Warnings {
  return invreqPayerId === undefined ? { warning_missing_invreq_payer_id: 'invreq_payer_id required' } : {};
}

/** Warnings about an invoice that is signed and complete. */
export function invoiceWarnings(fields: InvoiceFields): Warnings {
  const lacksBasetime = recurrenceOf(fields) !== undefined && invoiceBasetime(fields) === undefined;
  return {
    ...requestWarnings(fields),
    ...(lacksBasetime && {
      warning_missing_invoice_recurrence_basetime:
        'recurring invoices without a recurrence_basetime are invalid',
    }),
  };
}

function pathWarnings(paths: readonly BlindedPath[] = []): Warnings {
  const empty = paths.findIndex(({ hops }) => hops.length === 0);
  return empty < 0 ? {} : { warning_empty_blinded_path: `blinded path ${empty} has 0 hops` };
}
