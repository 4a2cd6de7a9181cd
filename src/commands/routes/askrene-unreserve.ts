/** `askrene-unreserve`: releases amounts that arrived or came back. */
import { forDevelopers, optional, required } from '../../rpc/command.ts';
import { bool } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { reservationPath } from './reservation-path.ts';

/** Matches Core Lightning's command. @throws FulguriteError -32602 naming the first element that is not reserved. */
export const askreneUnreserve = defineCommand({
  name: 'askrene-unreserve',
  summary: 'Release reserved amounts.',
  description:
    'Takes the same path as `askrene-reserve`. Releases one equal reservation per element. If one is ' +
    'missing, releases nothing.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    path: required(reservationPath, 'Objects with short_channel_id_dir, amount_msat and optionally layer.'),
    dev_remove_all: forDevelopers(optional(bool, 'Whether to release all reservations, ignoring the path.')),
  },
  result: {},
  handler({ path, dev_remove_all }, { layers }) {
    if (dev_remove_all === true) layers.unreserveAll();
    else layers.unreserve(path);
    return {};
  },
});
