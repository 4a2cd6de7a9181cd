/** `listoffers`: our offers, and on a simulated network those of its nodes. */
import { toHex } from '../bolt/bytes.ts';
import { field, optional, withDefault } from '../rpc/command.ts';
import { bool, hash } from '../rpc/param-types.ts';
import { defineCommand } from './context.ts';
import { listedOffer, simulatedOffer } from './offer-listing.ts';

export const listoffers = defineCommand({
  name: 'listoffers',
  summary: 'List offers.',
  description:
    'All offers of ours, or one. On a simulated network also those that its nodes issue, one of every kind, ' +
    'marked by `simulated_node_id` and `simulated_kind`: give their `bolt12` to `fetchinvoice`.',
  category: 'offers',
  params: {
    offer_id: optional(hash, 'Only this one.'),
    active_only: withDefault(bool, false, 'Leave out disabled offers.'),
  },
  result: {
    offers: field(
      'array',
      'Objects of offer_id, active, single_use, bolt12, force_paths, used, label?, description?.',
    ),
  },
  handler({ offer_id, active_only }, { offers }) {
    const isWanted = (offerId: Uint8Array): boolean => offer_id === undefined || toHex(offerId) === offer_id;
    const own = [...offers.own.book.offers()].filter(
      (one) => isWanted(one.offerId) && (one.active || !active_only),
    );
    const simulated = offers.simulated.filter(({ offerId }) => isWanted(offerId));
    return { offers: [...own.map(listedOffer), ...simulated.map(simulatedOffer)] };
  },
});
