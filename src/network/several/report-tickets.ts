/**
 * Combines the revisions of several nodes' reports into one increasing number.
 *
 * An HTLC that a node accepts appears in one of the node's reports, possibly a future one. The HTLC gets a ticket: a
 * number above those of all combined reports so far. Each combined report is numbered just below the lowest open
 * ticket. So a combined report with at least the number of a ticket contains the HTLCs of this ticket and of all lower
 * tickets. A ticket closes when its node has made the report, when the node is gone, or after half a minute.
 */

/** How long to wait for a node to report an HTLC, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;

interface Ticket {
  readonly number: number;
  readonly revision: number;
  readonly openedAtMs: number;
}

/** Numbers the combined reports of several nodes. Nodes are identified by values of type `N`. */
export class ReportTickets<N> {
  readonly #open = new Map<N, Ticket[]>();
  readonly #isGone: (node: N) => boolean;
  readonly #nowMs: () => number;
  #last = 0;

  /**
   * @param isGone whether a node does not respond. If so, its tickets are closed.
   * @param nowMs a monotonic clock in milliseconds
   */
  constructor(isGone: (node: N) => boolean, nowMs: () => number = () => performance.now()) {
    this.#isGone = isGone;
    this.#nowMs = nowMs;
  }

  /** The number for a combined report that is made now. */
  get level(): number {
    let level = this.#last;
    for (const tickets of this.#open.values()) {
      for (const { number } of tickets) level = Math.min(level, number - 1);
    }
    return level;
  }

  /**
   * Opens a ticket for an HTLC that appears in this node's report with the given revision.
   * @returns the ticket's number
   */
  take(node: N, revision: number): number {
    const ticket = { number: ++this.#last, revision, openedAtMs: this.#nowMs() };
    this.#open.set(node, [...(this.#open.get(node) ?? []), ticket]);
    return ticket.number;
  }

  /**
   * Call this for each report of a node. Closes the tickets whose HTLCs the report contains, and all tickets that have
   * waited too long or whose node is gone.
   */
  arrived(node: N, revision: number): void {
    this.#last++;
    const earliestMs = this.#nowMs() - LONGEST_WAIT_MS;
    for (const [each, tickets] of this.#open) {
      const isOpen = (ticket: Ticket): boolean =>
        ticket.openedAtMs > earliestMs && !(each === node && ticket.revision <= revision);
      const open = this.#isGone(each) ? [] : tickets.filter(isOpen);
      if (open.length === 0) this.#open.delete(each);
      else this.#open.set(each, open);
    }
  }
}
