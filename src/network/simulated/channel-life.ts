/**
 * The history of one of our channels in a simulated network: how many HTLCs it carried, which of them are still in
 * flight, and the lowest and highest balance that we had.
 *
 * Only outgoing HTLCs are counted. When a simulated node pays us, the balance changes without an HTLC. Totals survive a
 * restart (see the journal); the lowest and highest balance do not. HTLCs that were in flight when the process died
 * count as never sent.
 */
import { type Msat, msat, ZERO_MSAT } from '../../model/msat.ts';
import type { Htlc, SentAttempt } from './htlc.ts';
import type { HtlcTotals, OwnHtlc } from './own/described-channel.ts';

/** The totals of a channel without HTLCs. */
export const NO_HTLCS: HtlcTotals = {
  offeredCount: 0,
  offeredMsat: ZERO_MSAT,
  fulfilledCount: 0,
  fulfilledMsat: ZERO_MSAT,
};

/** The sum of the totals of two periods of a channel. */
export function addTotals(a: HtlcTotals, b: HtlcTotals): HtlcTotals {
  return {
    offeredCount: a.offeredCount + b.offeredCount,
    offeredMsat: msat(a.offeredMsat + b.offeredMsat),
    fulfilledCount: a.fulfilledCount + b.fulfilledCount,
    fulfilledMsat: msat(a.fulfilledMsat + b.fulfilledMsat),
  };
}

/** What a finished attempt adds to the totals of its channel. */
export function totalsOf(amountMsat: Msat, isSettled: boolean): HtlcTotals {
  return {
    offeredCount: 1,
    offeredMsat: amountMsat,
    fulfilledCount: isSettled ? 1 : 0,
    fulfilledMsat: isSettled ? amountMsat : ZERO_MSAT,
  };
}

/** Records the history of one of our channels. */
export class ChannelLife {
  minToUsMsat: Msat;
  maxToUsMsat: Msat;
  /** When the peer's current connection began, in UNIX milliseconds. Undefined while the peer is not connected. */
  connectedSinceMs: number | undefined;
  private ended: HtlcTotals = NO_HTLCS;
  private readonly inFlight = new Map<string, OwnHtlc>();
  private nextHtlcId = 0;

  constructor(toUsMsat: Msat, connectedSinceMs: number | undefined) {
    this.minToUsMsat = toUsMsat;
    this.maxToUsMsat = toUsMsat;
    this.connectedSinceMs = connectedSinceMs;
  }

  /** Restores the totals of an earlier run of the network. */
  restore(totals: HtlcTotals): void {
    this.ended = addTotals(this.ended, totals);
    this.nextHtlcId = this.ended.offeredCount;
  }

  /** Records that one of our HTLCs is added to the channel. */
  add({ attempt, amountMsat, cltvExpiry }: Htlc): void {
    const { attemptId, paymentHash } = attempt;
    const id = this.nextHtlcId++;
    this.inFlight.set(attemptId, { direction: 'out', id, amountMsat, cltvExpiry, paymentHash });
  }

  /**
   * Records that an attempt's HTLC is over. Returns what the HTLC adds to the totals, or undefined if it was never
   * added.
   */
  end({ attemptId }: SentAttempt, isSettled: boolean): HtlcTotals | undefined {
    const htlc = this.inFlight.get(attemptId);
    if (htlc === undefined) return undefined;
    this.inFlight.delete(attemptId);
    const totals = totalsOf(htlc.amountMsat, isSettled);
    this.ended = addTotals(this.ended, totals);
    return totals;
  }

  /** Records a new balance of our side of the channel as the lowest or highest so far, if it is. */
  observe(toUsMsat: Msat): void {
    if (toUsMsat < this.minToUsMsat) this.minToUsMsat = toUsMsat;
    if (toUsMsat > this.maxToUsMsat) this.maxToUsMsat = toUsMsat;
  }

  /** The totals of all HTLCs offered so far, including those in flight. */
  outgoing(): HtlcTotals {
    let totals = this.ended;
    for (const { amountMsat } of this.inFlight.values()) {
      totals = addTotals(totals, { ...NO_HTLCS, offeredCount: 1, offeredMsat: amountMsat });
    }
    return totals;
  }

  htlcs(): OwnHtlc[] {
    return [...this.inFlight.values()];
  }
}
