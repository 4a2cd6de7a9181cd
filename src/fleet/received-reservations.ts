/**
 * Reservations of other daemons, received over the bus by daemons and solvers. They are added to the layer book like
 * local ones.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import type { Msat } from '../model/msat.ts';
import { directionOf, RESERVATIONS, type WireDirection } from './reservation-state.ts';
import { StateListener, type StateListenerOptions } from './state-listener.ts';

/** Maximum number of directions kept for other daemons. Further directions are ignored. */
const MAX_KEPT = 200_000;

/** Options of the reservations. */
export type ReceivedReservationsOptions = Pick<
  StateListenerOptions<WireDirection>,
  'bus' | 'fleet' | 'id' | 'onStranger' | 'onRefused' | 'monotonicMs'
> & { readonly book: LayerBook };

/** Starts a listener that adds the reservations of other daemons to the book. */
export function receiveReservations({
  book,
  ...options
}: ReceivedReservationsOptions): StateListener<WireDirection> {
  const set = (daemon: string, item: WireDirection): void => {
    const shortChannelIdDir = directionOf(item);
    const reservations = item[2].map(
      ([amountMsat, timestamp, commandId]): Reservation => ({
        shortChannelIdDir,
        amountMsat: amountMsat as Msat,
        timestamp,
        commandId,
      }),
    );
    book.foreignReservations.set(daemon, shortChannelIdDir, reservations);
  };
  return new StateListener({
    ...options,
    kind: RESERVATIONS,
    maxKept: MAX_KEPT,
    set,
    forget: (daemon, items) => {
      for (const item of items) set(daemon, item);
    },
  });
}
