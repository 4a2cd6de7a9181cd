/**
 * What an attempt reserves: its amount on each direction of its path, so that no other route counts on it.
 *
 * The first direction is our own channel, whose balance the network reports. Its reservation ends as soon as a
 * report shows the HTLC, and not before: between the two the money would be counted as free.
 *
 *     reserve ──▶ taken at revision r ──▶ report ≥ r: first direction released ──▶ outcome: the rest released
 */
import type { RouteHop } from '../engine/route.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import { reservationsOf } from './learning.ts';

export class PathReservation {
  readonly #book: LayerBook;
  #first: ReturnType<typeof reservationsOf>;
  #rest: ReturnType<typeof reservationsOf>;
  /** A report of a known revision will release the first direction. */
  #awaitsReport = false;

  /** @param commandId what listings show as the reservation's owner. */
  constructor(book: LayerBook, path: readonly RouteHop[], commandId: string) {
    this.#book = book;
    const all = reservationsOf(path);
    book.reserve(all, commandId);
    this.#first = all.slice(0, 1);
    this.#rest = all.slice(1);
  }

  /**
   * The network has the HTLC.
   * @param afterReport calls back once a report that shows it is in the book; at once when it is there already.
   */
  taken(afterReport: (callback: () => void) => void): void {
    this.#awaitsReport = true;
    afterReport(() => {
      this.#awaitsReport = false;
      this.#releaseFirst();
    });
  }

  /**
   * The HTLC has ended. What settled has left our channel: until a report shows that, the first direction stays
   * reserved.
   */
  ended(isSettled: boolean): void {
    this.#book.unreserve(this.#rest);
    this.#rest = [];
    if (!(isSettled && this.#awaitsReport)) this.#releaseFirst();
  }

  #releaseFirst(): void {
    this.#book.unreserve(this.#first);
    this.#first = [];
  }
}
