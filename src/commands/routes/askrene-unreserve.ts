/** `askrene-unreserve`: amounts that arrived or came back. */
import { forDevelopers, optional, required } from '../../rpc/command.ts';
import { bool } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { reservationPath } from './reservation-path.ts';

export const askreneUnreserve = defineCommand({
  name: 'askrene-unreserve',
  summary: 'Release reserved amounts.',
  description:
    'Takes the same path as `askrene-reserve` and releases one equal reservation per element: all of them, ' +
    'or none when one is missing.',
  category: 'routes',
  since: 'v24.11',
  params: {
    path: required(reservationPath, 'Objects of short_channel_id_dir, amount_msat and optionally layer.'),
    dev_remove_all: forDevelopers(optional(bool, 'Release everything, whatever the path says.')),
  },
  result: {},
  handler({ path, dev_remove_all }, { layers }) {
    if (dev_remove_all === true) layers.unreserveAll();
    else layers.unreserve(path);
    return {};
  },
});
