/** A network that reports an outcome for each HTLC at once. The test chooses the outcome. */
import type { HtlcOutcome, OutcomeListener, OutgoingHtlc, TakenHtlc } from '../../../src/network/port.ts';
import { PortDouble } from '../../network/port-double.ts';
import { OWN_ID } from '../simulation/simulated-node.ts';

export abstract class PayingDouble extends PortDouble {
  override readonly capabilities = {
    onionMessages: false,
    connects: false,
    disconnects: false,
    pays: true,
    repeatsSends: false,
  };
  readonly #told = new Set<OutcomeListener>();

  constructor() {
    super(OWN_ID);
  }

  /** Returns the outcome of an HTLC. */
  protected abstract outcomeOf(htlc: OutgoingHtlc): HtlcOutcome;

  override async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    const outcome = this.outcomeOf(htlc);
    queueMicrotask(() => {
      for (const listener of this.#told) listener(htlc.attemptId, outcome);
    });
    return { channelsRevision: 1 };
  }

  override onOutcome(listener: OutcomeListener): () => void {
    this.#told.add(listener);
    return () => void this.#told.delete(listener);
  }
}
