/** `invoicerequest`: creates a request for an invoice that we will pay. */
import { xkeysendMaxfee } from '../../payments/plan/limits.ts';
import { field, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import { bool, positiveMsat, shortText, u64 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { requestObject } from './offer-listing.ts';
import { offerText } from './offer-types.ts';

/**
 * Matches Core Lightning's command (BOLT 12, "Invoice Requests" without an offer). Returns once the request is on disk.
 */
export const invoicerequest = defineCommand({
  name: 'invoicerequest',
  summary: 'Create an invoice request to send a payment.',
  description:
    'The holder of the request can send us an invoice for up to the amount, for example to receive a ' +
    'refund, a prize or a voucher. The invoice is paid when it arrives, like `xpay` with the default limits ' +
    'of fee and time. A single-use request is paid once. `disableinvoicerequest` disables a request.',
  category: 'offers',
  params: {
    amount: required(positiveMsat, 'Amount that we will pay.'),
    description: optional(offerText, 'What the payment is for.'),
    issuer: optional(offerText, 'Who we are.'),
    label: optional(shortText, 'A local label. It is not part of the request.'),
    absolute_expiry: optional(u64, 'UNIX time after which the request is no longer valid.'),
    single_use: withDefault(bool, true, 'Whether we pay only once.'),
  },
  // We pay each invoice that arrives for this request. Without `single_use` there may be any number of them, so there
  // is no maximum.
  outgo: ({ amount, single_use }) => (single_use ? amount + xkeysendMaxfee(amount) : undefined),
  result: {
    invreq_id: field('hash', 'SHA-256 of the request.'),
    active: field('boolean', 'True.'),
    single_use: field('boolean', 'Whether we pay only once.'),
    bolt12: field('string', 'The request, `lnr1…`.'),
    used: field('boolean', 'False.'),
    label: optionalField('string', 'The label that was given.'),
    warning_not_paid: optionalField(
      'string',
      'Present if this node cannot pay. Says what happens to invoices.',
    ),
  },
  async handler({ amount, description, issuer, label, absolute_expiry, single_use }, { offers }) {
    const request = await offers.own.requests.create({
      amountMsat: amount,
      description,
      issuer,
      label,
      absoluteExpiry: absolute_expiry,
      singleUse: single_use,
    });
    return {
      ...requestObject(request),
      warning_not_paid:
        offers.own.requests.payer === undefined
          ? 'This node cannot pay invoices. It answers an invoice for this request with an error that says so.'
          : undefined,
    };
  },
});
