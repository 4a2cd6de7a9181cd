/** `askrene-reserve`: amounts that are on their way. */
import { required } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { reservationPath } from './reservation-path.ts';

export const askreneReserve = defineCommand({
  name: 'askrene-reserve',
  summary: 'Reserve amounts on channel directions while they are in flight.',
  description:
    'Reserved amounts come off what route requests think a direction can pass: all requests, or those that ' +
    "name the element's layer. All elements are reserved, or none. Equal reservations add up; each is " +
    'released by `askrene-unreserve`. Reservations do not survive a restart.',
  category: 'routes',
  since: 'v24.11',
  params: {
    path: required(
      reservationPath,
      'Objects of short_channel_id_dir, amount_msat (what crosses the channel) and optionally layer.',
    ),
  },
  result: {},
  handler({ path }, { layers }, { id }) {
    layers.reserve(path, commandId(id));
    return {};
  },
});

/** The request's id as text: a string without its quotes, anything else as it was sent. */
function commandId(source: string): string {
  return source.startsWith('"') ? JSON.parse(source) : source;
}
