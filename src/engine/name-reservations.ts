/**
 * Who reserved what a route would have needed. Kernels only know sums, so an explanation that names a sum is
 * completed where the reservations themselves are: beside the layer book.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import { formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { RouteFailure } from './route-outcome.ts';

/** Reservations named one by one. */
const NAMED = 20;

/** How an explanation speaks of a reserved sum before it is completed. */
export const reservedText = (reservedMsat: bigint): string => `already reserved ${reservedMsat}msat`;

/**
 * The failure with the reservations that count in it: `already reserved Amsat by command ID (S seconds ago), …`
 * in its message, and `reservations` in its binding. Others are returned as they are. O(reservations).
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
