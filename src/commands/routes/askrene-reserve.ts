/** `askrene-reserve`: reserves amounts that are in flight. */
import { required } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { reservationPath } from './reservation-path.ts';

/**
 * Matches Core Lightning's command. A reservation lasts until the caller releases it, because the service does not know
 * when the amount has arrived.
 */
export const askreneReserve = defineCommand({
  name: 'askrene-reserve',
  summary: 'Reserve amounts on channel directions while they are in flight.',
  description:
    'Route requests subtract reserved amounts from the capacity of a direction. A reservation is global, ' +
    'or, if its element of `path` names a layer, applies to requests that use that layer. Either all elements are ' +
    'reserved or none. Equal reservations add up; `askrene-unreserve` releases them one by one. ' +
    'Reservations do not survive a restart.',
  category: 'routes',
  since: 'Core Lightning v24.11',
  params: {
    path: required(
      reservationPath,
      'Objects with short_channel_id_dir, amount_msat (the amount carried by the channel) and optionally layer.',
    ),
  },
  result: {},
  handler({ path }, { layers }, { id }) {
    layers.reserve(path, commandId(id));
    return {};
  },
});

/** The id of the request as text: a string without its quotes, any other JSON unchanged. */
function commandId(source: string): string {
  return source.startsWith('"') ? JSON.parse(source) : source;
}
