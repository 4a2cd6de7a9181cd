/** `listoffers`: shows our offers. */
import { toHex } from '../../bolt/bytes.ts';
import { field, optional, withDefault } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { bool, hash } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { listedOffer } from './offer-listing.ts';

/** Matches Core Lightning's command, and adds the `description` of each offer. */
export const listoffers = defineCommand({
  name: 'listoffers',
  summary: 'List offers.',
  description:
    'Shows our offers in order of creation. `listsimulatedoffers` shows offers issued by nodes of the ' +
    'simulated network.',
  category: 'offers',
  readOnly: true,
  params: {
    offer_id: optional(hash, 'Only the offer with this id.'),
    active_only: withDefault(bool, false, 'Whether to omit disabled offers.'),
  },
  result: {
    offers: field(
      'array',
      'Objects with offer_id, active, single_use, bolt12, force_paths, used, label?, description?.',
    ),
  },
  handler({ offer_id, active_only }, { offers }) {
    const listed = [...offers.own.book.offers()]
      .filter(({ offerId }) => offer_id === undefined || toHex(offerId) === offer_id)
      .filter(({ active }) => active || !active_only);
    return { offers: JsonList.of(listed, listedOffer) };
  },
});
