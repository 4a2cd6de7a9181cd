/**
 * Delivers outcomes of HTLCs to the attempts that wait for them. The network reports every outcome at least once, to
 * one listener. Each attempt in progress has one slot for its outcome here.
 */
import type { HtlcKey, HtlcOutcome, HtlcState, NetworkPort } from '../../network/port.ts';

interface Slot {
  readonly outcome: Promise<HtlcOutcome>;
  readonly resolve: (outcome: HtlcOutcome) => void;
}

interface OutcomeQuestion {
  readonly key: HtlcKey;
  readonly resolve: (state: HtlcState) => void;
  readonly reject: (error: unknown) => void;
}

/** The only listener for the network's outcomes. Also combines queries about attempts into batches. */
export class HtlcOutcomes {
  readonly #network: Pick<NetworkPort, 'onOutcome' | 'outcomes'>;
  readonly #slots = new Map<string, Slot>();
  readonly #unsubscribe: () => void;
  #questions: OutcomeQuestion[] = [];

  constructor(network: Pick<NetworkPort, 'onOutcome' | 'outcomes'>) {
    this.#network = network;
    this.#unsubscribe = network.onOutcome((attemptId, outcome) => {
      this.#slots.get(attemptId)?.resolve(outcome);
      this.#slots.delete(attemptId);
    });
  }

  /** Stops listening. Later outcomes are dropped; the network reports them again when queried. */
  close(): void {
    this.#unsubscribe();
    this.#slots.clear();
  }

  /** Resolves to the outcome of an attempt. Call it before sending, because an outcome without a slot is dropped. */
  outcomeOf(attemptId: string): Promise<HtlcOutcome> {
    const known = this.#slots.get(attemptId);
    if (known !== undefined) return known.outcome;
    let resolve: Slot['resolve'] = () => undefined;
    const outcome = new Promise<HtlcOutcome>((settle) => {
      resolve = settle;
    });
    this.#slots.set(attemptId, { outcome, resolve });
    return outcome;
  }

  /** Releases the slot of an attempt that nothing waits for any more. */
  forget(attemptId: string): void {
    this.#slots.delete(attemptId);
  }

  /** The state of an attempt on the network. All queries of one turn of the event loop are sent as one batch. */
  stateOf(key: HtlcKey): Promise<HtlcState> {
    return new Promise((resolve, reject) => {
      this.#questions.push({ key, resolve, reject });
      if (this.#questions.length === 1) setImmediate(() => void this.#ask());
    });
  }

  async #ask(): Promise<void> {
    const questions = this.#questions;
    this.#questions = [];
    try {
      const states = await this.#network.outcomes(questions.map(({ key }) => key));
      for (const { key, resolve, reject } of questions) {
        const state = states.get(key.attemptId);
        if (state === undefined) reject(new Error(`no answer for ${key.attemptId}`));
        else resolve(state);
      }
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }
}
