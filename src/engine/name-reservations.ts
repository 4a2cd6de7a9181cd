/**
 * Tells who reserved what a route would have needed. Kernels know only sums of reservations. So an
 * explanation that names a sum is completed here, beside the layer book, which knows each reservation.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { RouteFailure } from './route-outcome.ts';

/** Most reservations that are named one by one. */
const NAMED = 20;

/** How an explanation names a reserved sum before it is completed. */
export const reservedText = (reservedMsat: bigint): string => `already reserved ${reservedMsat}msat`;

/**
 * Adds the reservations that count to a failure. Its message gets `already reserved Amsat by command ID (S
 * seconds ago), …`, its binding gets `reservations`. Other failures are returned as they are.
 * O(reservations).
 */
export function nameReservations(
  failure: RouteFailure,
  book: Pick<LayerBook, 'reservations' | 'layer' | 'now'>,
  layers: readonly string[],
): RouteFailure {
  const binding = failure.data.binding as Readonly<Record<string, unknown>> | undefined;
  const reservedMsat = binding?.reserved_msat;
  if (typeof reservedMsat !== 'bigint') return failure;
  const counting = [...book.reservations()];
  for (const name of new Set(layers)) {
    const layer = book.layer(name);
    if (layer !== undefined) counting.push(...book.reservations(layer));
  }
  const found = counting.filter(
    ({ shortChannelIdDir }) => formatShortChannelIdDir(shortChannelIdDir) === binding?.short_channel_id_dir,
  );
  // They may have been released since the search.
  if (found.length === 0) return failure;
  const named = found.slice(0, NAMED);
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const text = `already reserved ${named.map((one) => inWords(one, book.now())).join(', ')}${more}`;
  const reservations = named.map((one) => asData(one, book.now()));
  return {
    ...failure,
    message: failure.message.replace(reservedText(reservedMsat), () => text),
    data: { ...failure.data, binding: { ...binding, reservations } },
  };
}

function inWords({ amountMsat, commandId, timestamp }: Reservation, now: number): string {
  const age = now - timestamp;
  return `${amountMsat}msat by command ${commandId}${age >= 1 ? ` (${age} seconds ago)` : ''}`;
}

function asData({ amountMsat, commandId, timestamp, layer }: Reservation, now: number): object {
  return {
    amount_msat: amountMsat,
    command_id: commandId,
    age_in_seconds: now - timestamp,
    ...(layer !== undefined && { layer: layer.name }),
  };
}
