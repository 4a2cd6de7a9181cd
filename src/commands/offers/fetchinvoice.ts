/** `fetchinvoice`: ask the issuer of an offer for an invoice. */
import { formatInvoice } from '../../bolt/bolt12-invoice.ts';
import type { Period } from '../../bolt/bolt12-recurrence.ts';
import type { FetchParameters } from '../../offers/index.ts';
import {
  field,
  optional,
  optionalField,
  type ParsedParams,
  required,
  withDefault,
} from '../../rpc/command.ts';
import { msat, u64 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { bip353Name, metadata, number32, offerString, payerNote, seriesLabel } from './offer-types.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

const PARAMS = {
  offer: required(offerString, 'The offer, `lno1…`.'),
  amount_msat: optional(msat, 'What to pay; required when the offer names no amount at all.'),
  quantity: optional(u64, 'How many; required when the offer has quantity_max, refused otherwise.'),
  recurrence_counter: optional(
    number32,
    'Required for recurring offers: 0, then one more for each successive invoice of the series.',
  ),
  recurrence_start: optional(number32, 'First period of the series, for offers with a base; usually 0.'),
  recurrence_label: optional(seriesLabel, 'Links the invoices of one series; required with a counter.'),
  timeout: withDefault(number32, DEFAULT_TIMEOUT_SECONDS, 'Seconds from the call to the answer; 60.'),
  payer_note: optional(payerNote, 'A note for the issuer, repeated in the invoice.'),
  payer_metadata: optional(
    metadata,
    'Text or hex from which the payer id is derived; should be secret. Random by default.',
  ),
  bip353: optional(bip353Name, 'The human-readable name that the offer was found by.'),
} as const;

export const fetchinvoice = defineCommand({
  name: 'fetchinvoice',
  summary: 'Fetch an invoice for an offer.',
  description:
    'Sends a signed invoice request to whoever made the offer, over onion messages, and answers the invoice ' +
    'after checking every field of it. `changes` tells in what the invoice differs from the offer: look at it ' +
    'before paying. Where no route supports onion messages, or none brings an answer, we connect to the ' +
    'destination, unless `fetchinvoice-noconnect` is set. An error’s `data.steps` tells which ways were ' +
    'tried, how far each came and how long it took: 1002 the offer has expired, 1003 nobody could be ' +
    'reached, 1004 the issuer refused or its invoice is wrong (`data.field`), 1005 no answer in time, -1 the ' +
    'request could not be handed over.',
  category: 'offers',
  params: PARAMS,
  result: {
    invoice: field('string', 'The invoice, `lni1…`.'),
    changes: field('object', 'Differences from the offer; empty when there are none.'),
    next_period: optionalField('object', 'The same as in `changes`: when the next invoice may be fetched.'),
  },
  check: (params, { offers }) => offers.fetcher.check(fetchOf(params)),
  async handler(params, { offers }) {
    const { invoice, changes, nextPeriod } = await offers.fetcher.fetch(fetchOf(params));
    const next = nextPeriod && periodObject(nextPeriod);
    return {
      invoice: formatInvoice(invoice),
      changes: {
        description_appended: changes.descriptionAppended,
        description: changes.description,
        vendor_removed: changes.vendorRemoved,
        vendor: changes.vendor,
        amount_msat: changes.amountMsat,
        next_period: next,
      },
      next_period: next,
    };
  },
});

function periodObject({ counter, starttime, endtime, paywindowStart, paywindowEnd }: Period): object {
  return { counter, starttime, endtime, paywindow_start: paywindowStart, paywindow_end: paywindowEnd };
}

function fetchOf(params: ParsedParams<typeof PARAMS>): FetchParameters {
  return {
    offer: params.offer,
    amountMsat: params.amount_msat,
    quantity: params.quantity,
    recurrenceCounter: params.recurrence_counter,
    recurrenceStart: params.recurrence_start,
    recurrenceLabel: params.recurrence_label,
    timeoutMs: params.timeout * 1000,
    payerNote: params.payer_note,
    payerMetadata: params.payer_metadata,
    bip353: params.bip353,
  };
}
