/**
 * The network's record of each of our HTLCs: pending, or how it ended. It survives our side, so after a crash of ours
 * it still knows how an attempt ended. A bounded number of finished ones is kept; the oldest are forgotten first.
 */
import type { HtlcOutcome, SentHtlc } from '../port.ts';

/** Maximum number of finished HTLCs remembered. After a crash only pending ones are looked up, which are far fewer. */
export const REMEMBERED_OUTCOMES = 50_000;

/**
 * `unknown`: the network has never seen it. The network is one process, so it can promise that nothing is still in
 * flight.
 */
export type KnownState = HtlcOutcome | { readonly status: 'pending' } | { readonly status: 'unknown' };

/** Remembers how attempts ended, up to a bound. */
export class OutcomeBook {
  private readonly pending = new Map<string, SentHtlc>();
  private readonly ended = new Map<string, HtlcOutcome>();
  /** Records of those settled in this run. */
  private readonly settled = new Map<string, SentHtlc>();

  get pendingCount(): number {
    return this.pending.size;
  }

  /** Registers an attempt. False if it is already known. */
  open(htlc: SentHtlc): boolean {
    const { attemptId } = htlc;
    if (this.pending.has(attemptId) || this.ended.has(attemptId)) return false;
    this.pending.set(attemptId, htlc);
    return true;
  }

  /** Those in flight, and those of this run that were settled and are remembered. */
  list(): SentHtlc[] {
    return [...this.pending.values(), ...this.settled.values()];
  }

  /** Restores the outcome of an attempt from an earlier run of the network. */
  restore(attemptId: string, outcome: HtlcOutcome): void {
    this.ended.set(attemptId, outcome);
  }

  /** Records how an attempt ended. */
  end(attemptId: string, outcome: HtlcOutcome): void {
    const htlc = this.pending.get(attemptId);
    if (htlc !== undefined && outcome.status === 'settled') this.settled.set(attemptId, summaryOf(htlc));
    this.pending.delete(attemptId);
    this.ended.set(attemptId, outcome);
    if (this.ended.size <= REMEMBERED_OUTCOMES) return;
    const oldest = this.ended.keys().next().value as string;
    this.ended.delete(oldest);
    this.settled.delete(oldest);
  }

  lookUp(attemptId: string): KnownState {
    if (this.pending.has(attemptId)) return { status: 'pending' };
    return this.ended.get(attemptId) ?? { status: 'unknown' };
  }
}

/** The reported part of an HTLC. It arrives with its onion, and its bytes are part of a message. */
const summaryOf = ({ attemptId, paymentHash, groupId, partId, amountMsat }: SentHtlc): SentHtlc => ({
  attemptId,
  paymentHash: Uint8Array.from(paymentHash),
  groupId,
  partId,
  amountMsat,
});
