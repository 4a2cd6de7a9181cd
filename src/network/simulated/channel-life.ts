/**
 * What one of our channels in a simulated network has seen since it was opened: how many HTLCs went out over it,
 * which of them are still under way, and how far its balance went.
 *
 * HTLCs only go out: the simulated network pays nobody at our node, so nothing ever comes in. Totals outlive a
 * restart (see the journal); HTLCs that were in flight when the process died never happened, as everywhere else.
 */
import { type Msat, msat, ZERO_MSAT } from '../../model/msat.ts';
import type { HtlcTotals, OwnHtlc } from '../port.ts';
import type { Htlc, SentAttempt } from './htlc.ts';

/** The totals of a channel over which no HTLC went. */
export const NO_HTLCS: HtlcTotals = {
  offeredCount: 0,
  offeredMsat: ZERO_MSAT,
  fulfilledCount: 0,
  fulfilledMsat: ZERO_MSAT,
};

/** The totals over two stretches of one channel's life. */
export function addTotals(a: HtlcTotals, b: HtlcTotals): HtlcTotals {
  return {
    offeredCount: a.offeredCount + b.offeredCount,
    offeredMsat: msat(a.offeredMsat + b.offeredMsat),
    fulfilledCount: a.fulfilledCount + b.fulfilledCount,
    fulfilledMsat: msat(a.fulfilledMsat + b.fulfilledMsat),
  };
}

/** What one attempt adds to its channel's totals once it has ended. */
export function totalsOf(amountMsat: Msat, isSettled: boolean): HtlcTotals {
  return {
    offeredCount: 1,
    offeredMsat: amountMsat,
    fulfilledCount: isSettled ? 1 : 0,
    fulfilledMsat: isSettled ? amountMsat : ZERO_MSAT,
  };
}

/** Counts what happens on one channel of ours. */
export class ChannelLife {
  minToUsMsat: Msat;
  maxToUsMsat: Msat;
  /** UNIX milliseconds since which the peer has been there; undefined while it is not. */
  connectedSinceMs: number | undefined;
  private ended: HtlcTotals = NO_HTLCS;
  private readonly inFlight = new Map<string, OwnHtlc>();
  private nextHtlcId = 0;

  constructor(toUsMsat: Msat, connectedSinceMs: number | undefined) {
    this.minToUsMsat = toUsMsat;
    this.maxToUsMsat = toUsMsat;
    this.connectedSinceMs = connectedSinceMs;
  }

  /** Takes over the totals of an earlier life of the network. */
  restore(totals: HtlcTotals): void {
    this.ended = addTotals(this.ended, totals);
    this.nextHtlcId = this.ended.offeredCount;
  }

  /** An HTLC of ours is on the channel. */
  add({ attempt, amountMsat, cltvExpiry }: Htlc): void {
    const { attemptId, paymentHash } = attempt;
    const id = this.nextHtlcId++;
    this.inFlight.set(attemptId, { direction: 'out', id, amountMsat, cltvExpiry, paymentHash });
  }

  /** The attempt's HTLC has ended. Returns what it adds to the totals; undefined when it was never added. */
  end({ attemptId }: SentAttempt, isSettled: boolean): HtlcTotals | undefined {
    const htlc = this.inFlight.get(attemptId);
    if (htlc === undefined) return undefined;
    this.inFlight.delete(attemptId);
    const totals = totalsOf(htlc.amountMsat, isSettled);
    this.ended = addTotals(this.ended, totals);
    return totals;
  }

  /** Our side of the channel is this large now. */
  observe(toUsMsat: Msat): void {
    if (toUsMsat < this.minToUsMsat) this.minToUsMsat = toUsMsat;
    if (toUsMsat > this.maxToUsMsat) this.maxToUsMsat = toUsMsat;
  }

  /** Everything offered so far, what is in flight included. */
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
