/**
 * Global reservations made by other daemons of a fleet. They count here like our own. They are listed, but can be
 * released only by the daemon that made them.
 *
 * A daemon's report about a direction replaces its earlier report. So receiving it twice does no harm.
 */
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import { directionKey } from './cell.ts';
import type { Layer } from './layer.ts';
import type { Reservation } from './reservations.ts';

const sumOf = (reservations: readonly Reservation[]): bigint =>
  reservations.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);

/** The reservations of other daemons, by daemon and direction. */
export class ForeignReservations {
  readonly #global: Layer;
  readonly #byDaemon = new Map<string, Map<bigint, readonly Reservation[]>>();

  constructor(global: Layer) {
    this.#global = global;
  }

  /** All reservations, grouped by daemon and direction, in the order of the first reports. */
  *list(): Generator<Reservation, void> {
    for (const ofDaemon of this.#byDaemon.values()) for (const list of ofDaemon.values()) yield* list;
  }

  /** Sets the daemon's reservations on this direction. An empty list removes all. O(its length) */
  set(
    daemon: string,
    { shortChannelId, direction }: ShortChannelIdDir,
    reservations: readonly Reservation[],
  ): void {
    const ofDaemon = this.#byDaemon.get(daemon) ?? new Map<bigint, readonly Reservation[]>();
    const key = directionKey(shortChannelId, direction);
    const change = sumOf(reservations) - sumOf(ofDaemon.get(key) ?? []);
    if (reservations.length > 0) ofDaemon.set(key, reservations);
    else ofDaemon.delete(key);
    if (ofDaemon.size > 0) this.#byDaemon.set(daemon, ofDaemon);
    else this.#byDaemon.delete(daemon);
    if (change !== 0n) this.#global.addReserved(shortChannelId, direction, change);
  }
}
