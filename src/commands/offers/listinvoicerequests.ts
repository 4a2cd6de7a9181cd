/** `listinvoicerequests`: our requests for invoices that pay others. */
import { toHex } from '../../bolt/bytes.ts';
import { field, optional, withDefault } from '../../rpc/command.ts';
import { bool, hash } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { requestObject } from './offer-listing.ts';

export const listinvoicerequests = defineCommand({
  name: 'listinvoicerequests',
  summary: 'List invoice requests.',
  description: 'All requests that `invoicerequest` made, in the order in which they were made, or one.',
  category: 'offers',
  readOnly: true,
  since: 'v22.11',
  params: {
    invreq_id: optional(hash, 'Only this one.'),
    active_only: withDefault(bool, false, 'Leave out those that no invoice may come for any more.'),
  },
  result: {
    invoicerequests: field('array', 'Objects of invreq_id, active, single_use, bolt12, used, label?.'),
  },
  handler({ invreq_id, active_only }, { offers }) {
    const wanted = [...offers.own.requests.list()].filter(
      ({ requestId, active }) =>
        (invreq_id === undefined || toHex(requestId) === invreq_id) && (active || !active_only),
    );
    return { invoicerequests: wanted.map(requestObject) };
  },
});
