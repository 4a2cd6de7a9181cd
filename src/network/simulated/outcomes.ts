/**
 * The network's record of our HTLCs: whether each is pending, or how it ended. The record outlives our side of the
 * network, so after a crash of our side it still shows how each attempt ended. Only a limited number of finished HTLCs
 * is kept; the oldest are forgotten first.
 */
import type { HtlcOutcome, SentHtlc } from '../port.ts';

/**
 * Maximum number of finished HTLCs remembered. After a crash, only pending HTLCs are looked up, which are far fewer.
 */
export const REMEMBERED_OUTCOMES = 50_000;

/**
 * `unknown`: the network has never seen the attempt, or has forgotten its outcome. The network is one process, so it is
 * certain that nothing is in flight.
 */
export type KnownState = HtlcOutcome | { readonly status: 'pending' } | { readonly status: 'unknown' };

/** Remembers how attempts ended, up to a maximum number of attempts. */
export class OutcomeBook {
  private readonly pending = new Map<string, SentHtlc>();
  private readonly ended = new Map<string, HtlcOutcome>();
  /** Records of the attempts that settled in this run. */
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

  /** Attempts in flight, and attempts that settled in this run and are still remembered. */
  list(): SentHtlc[] {
    return [...this.pending.values(), ...this.settled.values()];
  }

  /** Restores the outcome of an attempt from an earlier run of the network. */
  restore(attemptId: string, outcome: HtlcOutcome): void {
    this.remember(attemptId, outcome);
  }

  /** Records how an attempt ended. */
  end(attemptId: string, outcome: HtlcOutcome): void {
    const htlc = this.pending.get(attemptId);
    if (htlc !== undefined && outcome.status === 'settled') this.settled.set(attemptId, summaryOf(htlc));
    this.pending.delete(attemptId);
    this.remember(attemptId, outcome);
  }

  lookUp(attemptId: string): KnownState {
    if (this.pending.has(attemptId)) return { status: 'pending' };
    return this.ended.get(attemptId) ?? { status: 'unknown' };
  }

  private remember(attemptId: string, outcome: HtlcOutcome): void {
    this.ended.set(attemptId, outcome);
    if (this.ended.size <= REMEMBERED_OUTCOMES) return;
    const oldest = this.ended.keys().next().value as string;
    this.ended.delete(oldest);
    this.settled.delete(oldest);
  }
}

/** The members of an HTLC that are reported. Copies the hash, because its bytes are part of a larger message. */
const summaryOf = ({ attemptId, paymentHash, groupId, partId, amountMsat }: SentHtlc): SentHtlc => ({
  attemptId,
  paymentHash: Uint8Array.from(paymentHash),
  groupId,
  partId,
  amountMsat,
});
