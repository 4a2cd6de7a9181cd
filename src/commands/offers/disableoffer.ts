/** `disableoffer`: disables one of our offers. */
import { fromHex } from '../../bolt/bytes.ts';
import { field, optionalField, required } from '../../rpc/command.ts';
import { hash } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { listedOffer } from './offer-listing.ts';

/** Matches Core Lightning's command. Returns once the change is on disk. */
export const disableoffer = defineCommand({
  name: 'disableoffer',
  summary: 'Disable an offer.',
  description:
    'No more invoices are issued for the offer. Invoices issued before remain valid. Error 1001: it is ' +
    'already disabled.',
  category: 'offers',
  params: { offer_id: required(hash, 'The offer’s id.') },
  result: {
    offer_id: field('hash', 'SHA-256 of the offer.'),
    active: field('boolean', 'False.'),
    single_use: field('boolean', 'Whether the first payment would have disabled the offer.'),
    bolt12: field('string', 'The offer, `lno1…`.'),
    force_paths: field('boolean', 'False.'),
    used: field('boolean', 'Whether it has been paid.'),
    label: optionalField('string', 'The label given at creation.'),
    description: optionalField('string', 'The offer’s description.'),
  },
  async handler({ offer_id }, { offers }) {
    return listedOffer(await offers.own.disable(fromHex(offer_id)));
  },
});
