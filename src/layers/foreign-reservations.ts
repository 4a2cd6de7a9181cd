/**
 * Reservations that other daemons of a fleet made, as far as they count for everyone. They count here as our own do. They
 * are listed, and only the daemon that made them can release them.
 *
 * What a daemon says of a direction replaces what it said before. So hearing it twice does no harm.
 */
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import { directionKey } from './cell.ts';
import type { Layer } from './layer.ts';
import type { Reservation } from './reservations.ts';

const sumOf = (reservations: readonly Reservation[]): bigint =>
  reservations.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);

/** By daemon and direction. */
export class ForeignReservations {
  readonly #global: Layer;
  readonly #byDaemon = new Map<string, Map<bigint, readonly Reservation[]>>();

  constructor(global: Layer) {
    this.#global = global;
  }

  /** All of them, by daemon and direction in the order they were first heard of. */
  *list(): Generator<Reservation, void> {
    for (const ofDaemon of this.#byDaemon.values()) for (const list of ofDaemon.values()) yield* list;
  }

  /** What the daemon reserves on this direction from now on. An empty list takes everything away. O(its length) */
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
