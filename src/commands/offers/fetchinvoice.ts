/** `fetchinvoice`: requests an invoice from the issuer of an offer. */
import { formatInvoice } from '../../bolt/invoice/bolt12-invoice.ts';
import type { Period } from '../../bolt/invoice/bolt12-recurrence.ts';
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
  amount_msat: optional(msat, 'Amount to pay. Required when the offer names no amount.'),
  quantity: optional(u64, 'Number of items. Required if the offer has quantity_max, refused otherwise.'),
  recurrence_counter: optional(
    number32,
    'Required for recurring offers. 0 for the first invoice of the series, incremented for each later one.',
  ),
  recurrence_start: optional(number32, 'First period of the series. Only for offers with a base. Usually 0.'),
  recurrence_label: optional(seriesLabel, 'Identifies the invoices of one series. Required with a counter.'),
  timeout: withDefault(
    number32,
    DEFAULT_TIMEOUT_SECONDS,
    'Maximum number of seconds to wait for the result.',
  ),
  payer_note: optional(payerNote, 'A note for the issuer. The invoice repeats it.'),
  payer_metadata: optional(
    metadata,
    'Text or hex from which the payer id is derived, with a secret of our node. The issuer receives it. Default: random.',
  ),
  bip353: optional(bip353Name, 'The human-readable name (BIP 353) that the offer was resolved from.'),
} as const;

/** Matches Core Lightning's command (BOLT 12). Adds `data.steps` to errors. */
export const fetchinvoice = defineCommand({
  name: 'fetchinvoice',
  summary: 'Fetch an invoice for an offer.',
  description:
    'Sends a signed invoice request to the issuer of the offer in an onion message. Checks every field of ' +
    'the invoice and returns it. `changes` lists the differences between offer and invoice; review them ' +
    'before paying. If no route supports onion messages, or no reply arrives, we connect to the destination ' +
    'directly, unless the option `fetchinvoice-noconnect` is set. `data.steps` of an error lists each route ' +
    'tried, how far it got and how long it took. Errors: 1002 the offer has expired. 1003 the issuer is ' +
    'unreachable. 1004 the issuer returned an error, or its invoice is invalid (`data.field`). 1005 timed ' +
    'out. -32010 the recipient is offline and a server answered with a static invoice, which is shown in ' +
    '`data.static_invoice` and is paid by `xpay` only. -1 the request could not be sent.',
  category: 'offers',
  params: PARAMS,
  result: {
    invoice: field('string', 'The invoice, `lni1…`.'),
    changes: field('object', 'Differences from the offer. Empty if there are none.'),
    next_period: optionalField('object', 'When the next invoice may be fetched. The same as in `changes`.'),
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

function periodObject({ counter, starttime, endtime, paywindowStart, paywindowEnd }: Period) {
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
