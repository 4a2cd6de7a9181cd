/**
 * The network's record of every HTLC of ours: pending, or how it ended. It outlives our side, so after a crash
 * of ours it can say what became of an attempt. Ended ones are kept up to a bound, the oldest go first.
 */
import type { HtlcOutcome } from '../port.ts';

/** Far more than can be pending at once, which are the only ones asked for after a crash. */
export const REMEMBERED_OUTCOMES = 100_000;

/** `unknown`: the network has never seen it. Being one process, it can promise that nothing is still under way. */
export type KnownState = HtlcOutcome | { readonly status: 'pending' } | { readonly status: 'unknown' };

/** Remembers how attempts ended, up to a bound. */
export class OutcomeBook {
  private readonly pending = new Set<string>();
  private readonly ended = new Map<string, HtlcOutcome>();

  get pendingCount(): number {
    return this.pending.size;
  }

  /** Registers an attempt; false when it is known already. */
  open(attemptId: string): boolean {
    if (this.pending.has(attemptId) || this.ended.has(attemptId)) return false;
    this.pending.add(attemptId);
    return true;
  }

  /** Takes over how an attempt ended in an earlier life of the network. */
  restore(attemptId: string, outcome: HtlcOutcome): void {
    this.ended.set(attemptId, outcome);
  }

  /** Records how it ended. */
  end(attemptId: string, outcome: HtlcOutcome): void {
    this.pending.delete(attemptId);
    this.ended.set(attemptId, outcome);
    if (this.ended.size > REMEMBERED_OUTCOMES) this.ended.delete(this.ended.keys().next().value as string);
  }

  lookUp(attemptId: string): KnownState {
    if (this.pending.has(attemptId)) return { status: 'pending' };
    return this.ended.get(attemptId) ?? { status: 'unknown' };
  }
}
