/**
 * Sends HTLCs whose onions the test has built itself, valid or not, and waits for their outcomes. It uses the
 * port as any other user does; only the onion builder is a test double.
 */
import { FulguriteError } from '../../../src/model/errors.ts';
import type { OnionBuilder } from '../../../src/network/onions/onion-builder.ts';
import type { HtlcOutcome, HtlcState, NetworkPort, OutgoingHtlc } from '../../../src/network/port.ts';
import { type HtlcOffer, InProcessPort, type Simulation } from '../../../src/network/simulated/index.ts';
import { HtlcOutcomes } from '../../../src/payments/send/htlc-outcomes.ts';

interface ReadyHtlc extends OutgoingHtlc {
  readonly onion: Uint8Array;
}

/** Returns the onion that came with the HTLC. */
export class ReadyOnions implements OnionBuilder {
  async build(htlc: OutgoingHtlc): Promise<Uint8Array> {
    return (htlc as ReadyHtlc).onion;
  }
  async close(): Promise<void> {}
}

export function htlcOf({ attemptId, paymentHash, onion, ...first }: HtlcOffer): ReadyHtlc {
  return {
    attemptId,
    paymentHash,
    onion,
    groupId: 1n,
    partId: 1,
    path: [{ ...first, nodeId: '02'.padEnd(66, '0') as never }],
    finalPayload: {},
    sessionKey: new Uint8Array(32),
  };
}

export class HtlcClient {
  readonly #port: NetworkPort;
  readonly #outcomes: HtlcOutcomes;

  constructor(port: NetworkPort) {
    this.#port = port;
    this.#outcomes = new HtlcOutcomes(port);
  }

  /** Sends an HTLC, and waits for its outcome. */
  async sendHtlc(offer: HtlcOffer): Promise<HtlcOutcome> {
    const outcome = this.#outcomes.outcomeOf(offer.attemptId);
    await this.#port.send(htlcOf(offer));
    return outcome;
  }

  async lookUpHtlc(attemptId: string): Promise<HtlcState> {
    const key = { attemptId, paymentHash: new Uint8Array(32), groupId: 1n, partId: 1 };
    const state = (await this.#port.outcomes([key])).get(attemptId);
    if (state === undefined) throw new FulguriteError('internal', 'no answer');
    return state;
  }
}

/**
 * The port of a simulation in this thread. HTLCs are put on the virtual clock at once, before any turn of the event
 * loop.
 */
export class TestPort extends InProcessPort {
  readonly #simulation: Simulation;
  readonly #outcomes: HtlcOutcomes;
  readonly #client: HtlcClient;
  #isOpen = true;

  constructor(simulation: Simulation) {
    super(simulation, { onions: new ReadyOnions() });
    this.#simulation = simulation;
    this.#outcomes = new HtlcOutcomes(this);
    this.#client = new HtlcClient(this);
  }

  async sendHtlc(offer: HtlcOffer): Promise<HtlcOutcome> {
    if (!this.#isOpen) throw new FulguriteError('shuttingDown', 'the network is closed');
    const outcome = this.#outcomes.outcomeOf(offer.attemptId);
    this.#simulation.offerHtlc(offer);
    return outcome;
  }

  lookUpHtlc(attemptId: string): Promise<HtlcState> {
    return this.#client.lookUpHtlc(attemptId);
  }

  override async close(): Promise<void> {
    this.#isOpen = false;
    await super.close();
  }
}
