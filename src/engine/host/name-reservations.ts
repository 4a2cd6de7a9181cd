/**
 * Finds the reservations that prevented a route. Kernels have only sums of reservations, so a constraint with a
 * reserved sum is completed here from the layer book, which has each reservation.
 */
import type { LayerBook } from '../../layers/layer-book.ts';
import { formatShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { NoRoute, ReservationList } from '../question/no-route.ts';

/** Maximum number of reservations listed individually. */
const NAMED = 20;

/**
 * Adds the relevant reservations to a reason. A reason that does not depend on reservations is returned unchanged.
 * Takes time proportional to the number of reservations.
 */
export function nameReservations(
  noRoute: NoRoute,
  book: Pick<LayerBook, 'reservations' | 'layer' | 'now'>,
  layers: readonly string[],
): NoRoute {
  const { binding } = noRoute;
  if (binding.kind !== 'direction' || binding.fault.kind !== 'constraint') return noRoute;
  if (binding.fault.reservedMsat === 0n) return noRoute;
  const reservations = reservationsOf(formatShortChannelIdDir(binding.of), book, layers);
  // The reservations may have been released since the search.
  if (reservations.first.length === 0) return noRoute;
  return { ...noRoute, binding: { ...binding, fault: { ...binding.fault, reservations } } };
}

/** The reservations of a direction: first those that apply to every request, then those of the layers in order. */
function reservationsOf(
  of: string,
  book: Pick<LayerBook, 'reservations' | 'layer' | 'now'>,
  layers: readonly string[],
): ReservationList {
  const counting = [...book.reservations()];
  for (const name of new Set(layers)) {
    const layer = book.layer(name);
    if (layer !== undefined) counting.push(...book.reservations(layer));
  }
  const found = counting.filter(({ shortChannelIdDir }) => formatShortChannelIdDir(shortChannelIdDir) === of);
  const now = book.now();
  const first = found.slice(0, NAMED).map(({ amountMsat, commandId, timestamp, layer }) => ({
    amountMsat,
    commandId,
    ageS: now - timestamp,
    ...(layer !== undefined && { layer: layer.name }),
  }));
  return { first, more: found.length - first.length };
}
