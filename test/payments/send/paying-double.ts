/** A network that reports an outcome for each HTLC: at once, or when the test's promise resolves. */
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
  protected abstract outcomeOf(htlc: OutgoingHtlc): HtlcOutcome | Promise<HtlcOutcome>;

  override async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    void Promise.resolve(this.outcomeOf(htlc)).then((outcome) => {
      for (const listener of this.#told) listener(htlc.attemptId, outcome);
    });
    return { channelsRevision: this.ownChannels().revision };
  }

  override onOutcome(listener: OutcomeListener): () => void {
    this.#told.add(listener);
    return () => void this.#told.delete(listener);
  }
}
