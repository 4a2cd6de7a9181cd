/** `listinvoicerequests`: shows our requests for invoices that we will pay. */
import { toHex } from '../../bolt/bytes.ts';
import { field, optional, withDefault } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { bool, hash } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { requestObject } from './offer-listing.ts';

/** Matches Core Lightning's command. */
export const listinvoicerequests = defineCommand({
  name: 'listinvoicerequests',
  summary: 'List invoice requests.',
  description: 'Shows the requests made by `invoicerequest`, in order of creation.',
  category: 'offers',
  readOnly: true,
  since: 'Core Lightning v22.11',
  params: {
    invreq_id: optional(hash, 'Only the request with this id.'),
    active_only: withDefault(bool, false, 'Whether to omit requests that no longer accept invoices.'),
  },
  result: {
    invoicerequests: field('array', 'Objects with invreq_id, active, single_use, bolt12, used, label?.'),
  },
  handler({ invreq_id, active_only }, { offers }) {
    const wanted = [...offers.own.requests.list()].filter(
      ({ requestId, active }) =>
        (invreq_id === undefined || toHex(requestId) === invreq_id) && (active || !active_only),
    );
    return { invoicerequests: JsonList.of(wanted, requestObject) };
  },
});
