/**
 * Reservations: amounts in flight over a direction, which other routes must not use.
 *
 * They are a multiset of (direction, amount, layer or global). Equal reservations add up, and releasing removes one of
 * them. A call reserves or releases all of its elements or none.
 */
import type { Msat } from '../model/msat.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import { directionKey } from './cell.ts';
import type { Layer } from './layer.ts';
import { LayerRefused } from './refusal.ts';

/** An amount to reserve on one direction. */
export interface ReservationRequest {
  readonly shortChannelIdDir: ShortChannelIdDir;
  readonly amountMsat: Msat;
  /** The reservation applies to requests with this layer. Undefined for a global reservation. */
  readonly layer?: Layer;
}

/** An existing reservation: the amount, its time, and the request that made it. */
export interface Reservation extends ReservationRequest {
  /** UNIX seconds. */
  readonly timestamp: number;
  /** Id of the request that made the reservation. */
  readonly commandId: string;
}

/** Called with each global reservation made or released here, after the change. */
export interface ReservationWatcher {
  reserved(reservation: Reservation): void;
  released(reservation: Reservation): void;
}

/** Keeps the reservations, and adds up the reserved amounts in their layers. */
export class Reservations {
  readonly #global: Layer;
  readonly #watchers = new Set<ReservationWatcher>();
  /** Reservations by layer, in order of creation. */
  readonly #byLayer = new Map<Layer, Set<Reservation>>();
  /** Equal reservations, by a key that identifies them. */
  readonly #equal = new Map<string, Reservation[]>();

  constructor(global: Layer) {
    this.#global = global;
  }

  /** The global reservations, or those tagged with a layer, oldest first. */
  list(layer: Layer = this.#global): Iterable<Reservation> {
    return this.#byLayer.get(layer) ?? [];
  }

  /** Watches global reservations. @returns a function that ends the watch */
  watch(watcher: ReservationWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Reserves each element. O(1) per element. */
  reserve(path: readonly ReservationRequest[], timestamp: number, commandId: string): void {
    for (const element of path) this.#add({ timestamp, commandId, ...element });
  }

  /**
   * Releases, for each element, the newest reservation that equals it. O(1) per element.
   * @throws LayerRefused with the first element that has no reservation; then nothing has changed
   */
  unreserve(path: readonly ReservationRequest[]): void {
    const keys = path.map((element) => this.#key(element));
    const wanted = new Map<string, number>();
    for (const [index, element] of path.entries()) {
      const key = keys[index]!;
      const count = (wanted.get(key) ?? 0) + 1;
      if (count > (this.#equal.get(key)?.length ?? 0)) throw notReserved(element);
      wanted.set(key, count);
    }
    for (const key of keys) {
      const found = this.#equal.get(key)?.at(-1);
      if (found !== undefined) this.#remove(found, key);
    }
  }

  /** Moves all reservations of a channel to its new id after a splice. O(reservations). */
  rename(from: ShortChannelId, to: ShortChannelId): void {
    const all = [...this.#byLayer.values()].flatMap((ofLayer) => [...ofLayer]);
    for (const reservation of all) {
      if (reservation.shortChannelIdDir.shortChannelId !== from) continue;
      this.#remove(reservation);
      const { direction } = reservation.shortChannelIdDir;
      this.#add({ ...reservation, shortChannelIdDir: { shortChannelId: to, direction } });
    }
  }

  /** Removes all reservations of a removed layer. O(number of reservations). */
  removeLayer(layer: Layer): void {
    for (const reservation of [...this.list(layer)]) this.#remove(reservation);
  }

  /** Removes all reservations of every layer. */
  clear(): void {
    for (const layer of [...this.#byLayer.keys()]) this.removeLayer(layer);
  }

  #add(reservation: Reservation): void {
    const layer = reservation.layer ?? this.#global;
    const key = this.#key(reservation);
    const equal = this.#equal.get(key);
    if (equal === undefined) this.#equal.set(key, [reservation]);
    else equal.push(reservation);
    const ofLayer = this.#byLayer.get(layer);
    if (ofLayer === undefined) this.#byLayer.set(layer, new Set([reservation]));
    else ofLayer.add(reservation);
    const { shortChannelId, direction } = reservation.shortChannelIdDir;
    layer.addReserved(shortChannelId, direction, reservation.amountMsat);
    if (layer === this.#global) for (const watcher of this.#watchers) watcher.reserved(reservation);
  }

  /** Removes the newest reservation that equals this one, except perhaps in time and request. */
  #remove(reservation: Reservation, key = this.#key(reservation)): void {
    const layer = reservation.layer ?? this.#global;
    const equal = this.#equal.get(key) ?? [];
    const removed = equal.pop() ?? reservation;
    if (equal.length === 0) this.#equal.delete(key);
    const ofLayer = this.#byLayer.get(layer);
    ofLayer?.delete(removed);
    if (ofLayer?.size === 0) this.#byLayer.delete(layer);
    const { shortChannelId, direction } = reservation.shortChannelIdDir;
    layer.addReserved(shortChannelId, direction, -reservation.amountMsat);
    if (layer === this.#global) for (const watcher of this.#watchers) watcher.released(removed);
  }

  #key({ shortChannelIdDir, amountMsat, layer = this.#global }: ReservationRequest): string {
    const { shortChannelId, direction } = shortChannelIdDir;
    return `${directionKey(shortChannelId, direction)}:${amountMsat}:${layer.id}`;
  }
}

function notReserved({ shortChannelIdDir: of, layer }: ReservationRequest): LayerRefused {
  return new LayerRefused({ kind: 'notReserved', of, ...(layer !== undefined && { layer: layer.name }) });
}
