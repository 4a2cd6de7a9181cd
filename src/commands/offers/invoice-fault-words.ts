/** Messages for a fetched invoice that is invalid or cannot be paid. */
import type { InvoiceFault, Unpayable } from '../../offers/invoice-fault.ts';

/** Names of fields by their types (BOLT 12). */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  160: 'invoice_paths',
  162: 'invoice_blindedpay',
  164: 'invoice_created_at',
  168: 'invoice_payment_hash',
  170: 'invoice_amount',
  174: 'invoice_features',
  176: 'invoice_node_id',
  236: 'invoice_message_paths',
  240: 'signature',
};

/** The name of the faulty field, and its fault as text. */
export function invoiceFaultInWords(fault: InvoiceFault): { field: string; reason: string } {
  switch (fault.kind) {
    case 'undecodable':
      return { field: 'invoice', reason: fault.cause };
    case 'badField':
      return { field: FIELD_NAMES[String(fault.type)] ?? 'invoice', reason: fault.cause };
    case 'otherRequest':
      return {
        field: 'invoice_request match',
        reason:
          'the invoice answers a different request of the same payer: use a different payer_metadata, or repeat the ' +
          'request unchanged',
      };
    case 'notOurRequest':
      return { field: 'invoice_request match', reason: 'the invoice does not repeat our request' };
    case 'otherOffer':
      return {
        field: 'offer match',
        reason: 'the invoice does not repeat the offer for which it was requested',
      };
    case 'otherSigner':
      return { field: 'invoice_node_id', reason: 'not the node that the offer names' };
    case 'amountOverflow':
      return { field: 'quantity overflow', reason: 'offer amount times quantity exceeds 64 bits' };
    case 'otherAmount':
      return {
        field: 'invoice_amount',
        reason: `${fault.amountMsat} msat instead of the ${fault.requestedMsat} requested`,
      };
    case 'expired':
      return { field: 'invoice_relative_expiry', reason: `expired at ${fault.expiry}` };
    case 'basetimeMissing':
      return { field: 'invoice_recurrence_basetime', reason: 'missing' };
    case 'otherBasetime':
      return {
        field: 'invoice_recurrence_basetime',
        reason: `${fault.basetime} instead of ${fault.expected}`,
      };
    case 'badPeriod':
      return { field: 'invoice_recurrence_basetime', reason: fault.cause };
    case 'unpayable':
      return { field: 'invoice_blindedpay', reason: unpayableText(fault.why) };
  }
}

/** Why an invoice cannot be paid over its paths, as text. */
export function unpayableText(why: Unpayable): string {
  switch (why.kind) {
    case 'needsParts':
      return `no path can carry ${why.amountMsat} msat in one part: the largest carries ${why.mostMsat}`;
    case 'tooManyParts':
      return `${why.amountMsat} msat in parts of ${why.partMsat} would take more than ${why.mostParts} parts`;
    case 'noSum':
      return `no parts between ${why.leastMsat} and ${why.mostMsat} msat add up to ${why.amountMsat} msat`;
    case 'maximumZero':
      return 'htlc_maximum_msat is 0';
    case 'minimumAboveMaximum':
      return `htlc_minimum_msat ${why.leastMsat} is above htlc_maximum_msat ${why.mostMsat}`;
    case 'minimumAboveAmount':
      return `htlc_minimum_msat ${why.leastMsat} is above the amount`;
    case 'tooSlow':
      return `cltv_expiry_delta ${why.delayBlocks} is above ${why.mostBlocks} blocks`;
    case 'tooDear':
      return `a fee of ${why.feeMsat} msat exceeds the total supply of bitcoin`;
    case 'tooLong':
      return `${why.hops} hops do not fit in an onion`;
  }
}
