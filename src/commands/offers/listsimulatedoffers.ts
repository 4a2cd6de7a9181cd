/** `listsimulatedoffers`: shows offers of simulated nodes, for trying `fetchinvoice`. */
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { simulatedOffer } from './offer-listing.ts';

/** Not in Core Lightning, which has no simulated issuers. `src/simulated-issuers/` describes them. */
export const listsimulatedoffers = defineCommand({
  name: 'listsimulatedoffers',
  summary: 'List the offers that nodes of a simulated network issue.',
  description:
    'Shows one offer of each kind. Pass its `bolt12` to `fetchinvoice`. These offers belong to other nodes; ' +
    '`listoffers` shows our own. On a real network the list is empty.',
  category: 'offers',
  readOnly: true,
  params: {},
  result: {
    offers: field('array', 'Objects with offer_id, bolt12, description?, node_id, kind.'),
  },
  handler: (_params, { simulatedOffers }) => ({ offers: simulatedOffers.map(simulatedOffer) }),
});
