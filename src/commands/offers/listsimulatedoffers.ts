/** `listsimulatedoffers`: offers of a simulated network's nodes, to try `fetchinvoice` with. */
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { simulatedOffer } from './offer-listing.ts';

export const listsimulatedoffers = defineCommand({
  name: 'listsimulatedoffers',
  summary: 'List the offers that nodes of a simulated network issue.',
  description:
    'One of every kind; give their `bolt12` to `fetchinvoice`. They are not ours: `listoffers` shows those. Empty on ' +
    'a real network.',
  category: 'offers',
  readOnly: true,
  params: {},
  result: {
    offers: field('array', 'Objects of offer_id, bolt12, description?, node_id, kind.'),
  },
  handler: (_params, { simulatedOffers }) => ({ offers: simulatedOffers.map(simulatedOffer) }),
});
