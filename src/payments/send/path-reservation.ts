/**
 * Reserves the amount of an attempt on each direction of its path, so that no other route uses the same money.
 *
 * The first direction is our own channel, whose balance the network reports. Its reservation is released once a report
 * includes the HTLC; if it were released earlier, the money would look free. With several nodes, the same is true of
 * the direction from the purse to the node.
 *
 *     reserve ──▶ taken at revision r ──▶ report ≥ r: first direction released ──▶ outcome: the rest released
 */
import type { RouteHop } from '../../engine/question/route.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import { reservationsOf } from '../learn/learning.ts';

/** The reservations of one attempt, from its planning to its end. */
export class PathReservation {
  readonly #book: LayerBook;
  #first: ReturnType<typeof reservationsOf>;
  #rest: ReturnType<typeof reservationsOf>;
  /** Whether the HTLC was sent, but no report of our channels includes it yet. */
  #awaitsReport = false;

  /**
   * @param commandId name of the owner of the reservations in lists
   * @param fromPurse the direction from the purse to the node that sends, if several nodes pay
   */
  constructor(book: LayerBook, path: readonly RouteHop[], commandId: string, fromPurse?: ShortChannelIdDir) {
    this.#book = book;
    const all = reservationsOf(path);
    const own = all.slice(0, 1);
    if (fromPurse !== undefined) {
      own.push(...own.map(({ amountMsat }) => ({ shortChannelIdDir: fromPurse, amountMsat })));
    }
    this.#first = own;
    this.#rest = all.slice(1);
    book.reserve([...this.#first, ...this.#rest], commandId);
  }

  /**
   * Call once the network has accepted the HTLC. Releases the first direction as soon as a report includes the HTLC.
   * @param afterReport calls back once a report that includes the HTLC is in the layer book; immediately if it already
   *   is
   */
  taken(afterReport: (callback: () => void) => void): void {
    this.#awaitsReport = true;
    afterReport(() => {
      this.#awaitsReport = false;
      this.#releaseFirst();
    });
  }

  /**
   * Call when the HTLC has ended. Releases all reservations. But if the HTLC settled, its amount has left our channel,
   * and the first direction stays reserved until a report includes this change.
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
