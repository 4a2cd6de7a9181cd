/** `askrene-unreserve`: amounts that arrived or came back. */
import { FulguriteError } from '../model/errors.ts';
import { optional, required } from '../rpc/command.ts';
import { bool } from '../rpc/param-types.ts';
import { reservationPath } from './askrene-types.ts';
import { defineCommand } from './context.ts';

const REMOVE_ALL = 'dev_remove_all';

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
    [REMOVE_ALL]: optional(bool, 'Developer mode only: release everything, whatever the path says.'),
  },
  result: {},
  handler({ path, dev_remove_all }, { layers, developer }, { params }) {
    if (dev_remove_all !== undefined && !developer) {
      const parameter = params?.kind === 'array' ? '1' : `'${REMOVE_ALL}'`;
      const message = `Parameter ${parameter} is developer-only`;
      throw new FulguriteError('invalidParams', message, { parameter: REMOVE_ALL, reason: 'developer-only' });
    }
    if (dev_remove_all === true) layers.unreserveAll();
    else layers.unreserve(path);
    return {};
  },
});
