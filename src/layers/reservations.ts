/**
 * Reservations: amounts that are on their way through a direction, so that no other route counts on them.
 *
 * They are a multiset of (direction, amount, layer or everyone). Equal reservations add up, and releasing
 * takes one of them away. All elements of a call are reserved or released together, or none is.
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
  /** The reservation counts only in requests with this layer. Without a layer it counts for everyone. */
  readonly layer?: Layer;
}

/** A reservation that was made: what was asked, when, and by which request. */
export interface Reservation extends ReservationRequest {
  /** UNIX seconds. */
  readonly timestamp: number;
  /** Id of the request that made it. */
  readonly commandId: string;
}

/** Called with each reservation that counts for everyone, after it was made or released here. */
export interface ReservationWatcher {
  reserved(reservation: Reservation): void;
  released(reservation: Reservation): void;
}

/** Adds up reserved amounts per direction and layer. */
export class Reservations {
  readonly #global: Layer;
  readonly #watchers = new Set<ReservationWatcher>();
  /** By layer, in the order they were made. */
  readonly #byLayer = new Map<Layer, Set<Reservation>>();
  /** Equal reservations, by a key that identifies them. */
  readonly #equal = new Map<string, Reservation[]>();

  constructor(global: Layer) {
    this.#global = global;
  }

  /** Reservations that count for everyone, or those tagged with a layer. The oldest first. */
  list(layer: Layer = this.#global): Iterable<Reservation> {
    return this.#byLayer.get(layer) ?? [];
  }

  /** Watches those that count for everyone. @returns a function that ends it */
  watch(watcher: ReservationWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Reserves each element. O(1) per element. */
  reserve(path: readonly ReservationRequest[], timestamp: number, commandId: string): void {
    for (const element of path) this.#add({ ...element, timestamp, commandId });
  }

  /**
   * Releases one equal reservation for each element, the latest that was made. O(1) per element.
   * @throws LayerRefused naming the first element without a reservation. Then nothing has changed.
   */
  unreserve(path: readonly ReservationRequest[]): void {
    const wanted = new Map<string, number>();
    for (const element of path) {
      const key = this.#key(element);
      const count = (wanted.get(key) ?? 0) + 1;
      if (count > (this.#equal.get(key)?.length ?? 0)) throw notReserved(element);
      wanted.set(key, count);
    }
    for (const element of path) {
      const found = this.#equal.get(this.#key(element))?.at(-1);
      if (found !== undefined) this.#remove(found);
    }
  }

  /** Moves all reservations of a channel to the id that it has after a splice. O(reservations). */
  rename(from: ShortChannelId, to: ShortChannelId): void {
    const all = [...this.#byLayer.values()].flatMap((ofLayer) => [...ofLayer]);
    for (const reservation of all) {
      if (reservation.shortChannelIdDir.shortChannelId !== from) continue;
      this.#remove(reservation);
      const { direction } = reservation.shortChannelIdDir;
      this.#add({ ...reservation, shortChannelIdDir: { shortChannelId: to, direction } });
    }
  }

  /** Drops every reservation of a layer that is removed. O(their number). */
  removeLayer(layer: Layer): void {
    for (const reservation of [...this.list(layer)]) this.#remove(reservation);
  }

  /** Drops all reservations of every layer. */
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

  /** Removes the latest of the reservations equal to this one. They differ at most in time and request. */
  #remove(reservation: Reservation): void {
    const layer = reservation.layer ?? this.#global;
    const key = this.#key(reservation);
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
