/** `cancelrecurringinvoice`: informs the issuer of a recurring offer that a series ends. */
import { formatInvoiceRequest } from '../../bolt/invoice/bolt12-invoice-request.ts';
import type { CancelParameters } from '../../offers/index.ts';
import { field, optional, type ParsedParams, required } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { bip353Name, number32, offerString, payerNote, seriesLabel } from './offer-types.ts';

/** Timeout in milliseconds for finding a way to the issuer and sending the message. There is no reply to it. */
const TIMEOUT_MS = 60_000;

const PARAMS = {
  offer: required(offerString, 'The offer, `lno1…`.'),
  recurrence_counter: required(number32, 'Counter of the first period to cancel, at least 1.'),
  recurrence_label: required(seriesLabel, 'Label of the series, as given to `fetchinvoice`.'),
  recurrence_start: optional(number32, 'First period of the series. Only for offers with a base.'),
  payer_note: optional(payerNote, 'A note for the issuer.'),
  bip353: optional(bip353Name, 'The human-readable name (BIP 353) that the offer was resolved from.'),
} as const;

/** Matches Core Lightning's command: sends an invoice request with `invreq_recurrence_cancel` (BOLT 12, recurrence). */
export const cancelrecurringinvoice = defineCommand({
  name: 'cancelrecurringinvoice',
  summary: 'Cancel a series of recurring invoices.',
  description:
    'Tells the issuer that the payer wants no invoice for the period with this counter or for any later ' +
    'period. Issuers do not reply. Success means that the message was sent.',
  category: 'offers',
  params: PARAMS,
  result: { bolt12: field('string', 'The invoice request that was sent, `lnr1…`.') },
  check: (params, { offers }) => offers.fetcher.checkCancel(cancelOf(params)),
  async handler(params, { offers }) {
    const bytes = await offers.fetcher.cancel(cancelOf(params));
    return { bolt12: formatInvoiceRequest({ bytes }) };
  },
});

function cancelOf(params: ParsedParams<typeof PARAMS>): CancelParameters {
  return {
    offer: params.offer,
    recurrenceCounter: params.recurrence_counter,
    recurrenceLabel: params.recurrence_label,
    recurrenceStart: params.recurrence_start,
    payerNote: params.payer_note,
    bip353: params.bip353,
    timeoutMs: TIMEOUT_MS,
  };
}
