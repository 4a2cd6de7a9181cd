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
import { reservationsOf } from '../learn/learning.ts';
import type { Purse } from '../plan/purse.ts';

type Holdings = ReturnType<typeof reservationsOf>;

/** The part of a purse that a reservation needs. Undefined unless we have several nodes. */
type PurseDirections = Pick<Purse, 'directionTo'> | undefined;

/**
 * What an attempt holds: in our own channel and, with several nodes, in the direction from the purse to the node that
 * sends (`own`); and in the rest of its path.
 */
export function holdingsOf(
  path: readonly RouteHop[],
  purse: PurseDirections,
): { readonly own: Holdings; readonly rest: Holdings } {
  const [first, ...rest] = reservationsOf(path);
  const fromPurse = purse?.directionTo(path[0]!.nodeIdIn);
  const own = [first!, ...(fromPurse === undefined ? [] : [{ ...first!, shortChannelIdDir: fromPurse }])];
  return { own, rest };
}

/** The reservations of one attempt, from its planning to its end. */
export class PathReservation {
  readonly #book: LayerBook;
  #first: Holdings;
  #rest: Holdings;
  /** Whether the HTLC was sent, but no report of our channels includes it yet. */
  #awaitsReport = false;

  /** @param commandId name of the owner of the reservations in lists */
  constructor(book: LayerBook, path: readonly RouteHop[], commandId: string, purse: PurseDirections) {
    this.#book = book;
    const { own, rest } = holdingsOf(path, purse);
    this.#first = own;
    this.#rest = rest;
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
