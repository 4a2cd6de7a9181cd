/** `invoicerequest`: a request for an invoice that pays somebody from us. */
import { field, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import { bool, positiveMsat, shortText, u64 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { requestObject } from './offer-listing.ts';
import { offerText } from './offer-types.ts';

export const invoicerequest = defineCommand({
  name: 'invoicerequest',
  summary: 'Make an invoice request for sending payments.',
  description:
    'Whoever gets it may send us an invoice for the amount: for refunds, prizes, vouchers. This node does not ' +
    'pay invoices yet: who sends one learns that.',
  category: 'offers',
  params: {
    amount: required(positiveMsat, 'What we will pay.'),
    description: optional(offerText, 'What it is for.'),
    issuer: optional(offerText, 'Who we are.'),
    label: optional(shortText, 'Ours alone: not part of the request.'),
    absolute_expiry: optional(u64, 'UNIX time after which it is no longer valid.'),
    single_use: withDefault(bool, true, 'Whether we pay only once.'),
  },
  result: {
    invreq_id: field('hash', 'SHA-256 of the request.'),
    active: field('boolean', 'True.'),
    single_use: field('boolean', 'Whether we pay only once.'),
    bolt12: field('string', 'The request, `lnr1…`.'),
    used: field('boolean', 'False.'),
    label: optionalField('string', 'As given.'),
    warning_not_paid: field('string', 'What happens to invoices that arrive for it.'),
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
      warning_not_paid: 'This node pays no invoices: those that arrive for it are answered with that error.',
    };
  },
});
