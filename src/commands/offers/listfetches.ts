/** `listfetches`: shows recent invoice fetches, step by step. */

import { toHex } from '../../bolt/bytes.ts';
import { formatInvoice, invoiceExpiry } from '../../bolt/invoice/bolt12-invoice.ts';
import { formatOffer } from '../../bolt/invoice/bolt12-offer.ts';
import { ERRORS } from '../../model/errors.ts';
import type { FetchAnswer, FetchEnd } from '../../offers/fetch-event.ts';
import { expectedAmount } from '../../offers/fetch-parameters.ts';
import type { RecentFetch } from '../../offers/index.ts';
import { field, optional } from '../../rpc/command.ts';
import { u32 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { fetchFailureWords, stepData } from './fetch-failure-words.ts';

/** Not in Core Lightning. Shows the steps of `fetchinvoice`, even to clients that did not call it. */
export const listfetches = defineCommand({
  name: 'listfetches',
  summary: 'Show the latest invoice fetches: the routes tried and their results.',
  description:
    'Shows the fetches since the service started, oldest first: all fetches in progress, and at most the ' +
    'last 200 finished ones. `steps` lists the routes to the issuer that were tried, with milliseconds ' +
    'since the start of the fetch. `offered` and `invoiced` are the terms of offer and invoice, `changes` ' +
    'their differences, as in `fetchinvoice` but without next_period.',
  category: 'offers',
  readOnly: true,
  params: { number: optional(u32, 'Only the fetch with this number.') },
  result: { fetches: field('array', 'One object per fetch.') },
  handler({ number }, { offers }) {
    const all = offers.recentFetches.list();
    const shown = number === undefined ? all : all.filter(({ fetch }) => fetch.number === number);
    return { fetches: shown.map(fetchJson) };
  },
});

/** The status of a fetch that has ended. */
const STATUS = { answered: 'complete', failed: 'failed' } as const;

function fetchJson({ fetch, offer, beganAtMs, tookMs, steps, end, answer }: RecentFetch) {
  const { offerDescription, offerIssuer } = offer.fields;
  return {
    number: fetch.number,
    status: end === undefined ? ('pending' as const) : STATUS[end.status],
    created_at: beganAtMs / 1000,
    took_ms: tookMs,
    timeout: fetch.timeoutMs / 1000,
    offer_id: toHex(fetch.offerId),
    offer: formatOffer(offer),
    offered: {
      description: offerDescription,
      vendor: offerIssuer,
      amount_msat: fetch.amountMsat ?? expectedAmount(offer.fields, answer?.invoice.fields.invreqQuantity),
    },
    steps: steps.map(stepData),
    ...(answer && answerJson(answer)),
    failure: end?.status === 'failed' ? failureJson(end) : undefined,
  };
}

function answerJson({ invoice, changes }: FetchAnswer) {
  const { offerDescription, offerIssuer, invoiceAmountMsat, invoiceCreatedAt } = invoice.fields;
  const { descriptionAppended, description, vendorRemoved, vendor, amountMsat } = changes;
  return {
    invoice: formatInvoice(invoice),
    invoiced: {
      description: offerDescription,
      vendor: offerIssuer,
      amount_msat: invoiceAmountMsat,
      created_at: invoiceCreatedAt,
      expires_at: invoiceExpiry(invoice.fields),
    },
    changes: {
      description_appended: descriptionAppended,
      description,
      vendor_removed: vendorRemoved,
      vendor,
      amount_msat: amountMsat,
    },
  };
}

function failureJson({ error, failure }: Extract<FetchEnd, { status: 'failed' }>) {
  const { message, data } =
    failure === undefined ? { message: ERRORS[error].meaning, data: undefined } : fetchFailureWords(failure);
  return { code: ERRORS[error].code, message, data };
}
