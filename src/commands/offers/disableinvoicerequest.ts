/** `disableinvoicerequest`: disables one of our invoice requests. */
import { fromHex } from '../../bolt/bytes.ts';
import { field, optionalField, required } from '../../rpc/command.ts';
import { hash } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { requestObject } from './offer-listing.ts';

/** Matches Core Lightning's command. Returns once the change is on disk. */
export const disableinvoicerequest = defineCommand({
  name: 'disableinvoicerequest',
  summary: 'Disable an invoice request.',
  description:
    'Invoices that arrive for the request from now on are rejected. Error 1001: it is already disabled.',
  category: 'offers',
  since: 'Core Lightning v22.11',
  params: { invreq_id: required(hash, 'The request’s id.') },
  result: {
    invreq_id: field('hash', 'SHA-256 of the request.'),
    active: field('boolean', 'False.'),
    single_use: field('boolean', 'Whether we would have paid only once.'),
    bolt12: field('string', 'The request, `lnr1…`.'),
    used: field('boolean', 'Whether an invoice for it was paid.'),
    label: optionalField('string', 'The label given at creation.'),
  },
  async handler({ invreq_id }, { offers }) {
    return requestObject(await offers.own.requests.disable(fromHex(invreq_id)));
  },
});
