/** `askrene-listreservations`: shows the reserved amounts. */
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import { field } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { defineCommand } from '../context.ts';

/**
 * Matches Core Lightning's command. Lists the global reservations of callers, and those of this node's payments and
 * quotes.
 */
export const askreneListreservations = defineCommand({
  name: 'askrene-listreservations',
  summary: 'Show the global reservations.',
  description: 'Oldest first. Reservations of a layer are not shown.',
  category: 'routes',
  readOnly: true,
  since: 'Core Lightning v24.11',
  params: {},
  result: {
    reservations: field(
      'array',
      'Objects with short_channel_id_dir, amount_msat, age_in_seconds and command_id (the id of the request that ' +
        'made the reservation, or the payment and part for which it was made).',
    ),
  },
  handler(_params, { layers }) {
    const now = layers.now();
    const all = [...layers.reservations()];
    return {
      reservations: JsonList.of(all, ({ shortChannelIdDir, amountMsat, timestamp, commandId }) => ({
        short_channel_id_dir: formatShortChannelIdDir(shortChannelIdDir),
        amount_msat: amountMsat,
        age_in_seconds: Math.max(0, now - timestamp),
        command_id: commandId,
      })),
    };
  },
});
