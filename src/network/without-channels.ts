/**
 * The answers of a network without channels: the peer network and the `none` network. No HTLC is ever sent, so none can
 * exist after a restart.
 */
import { FAILURES } from '../bolt/onion/failure.ts';
import type {
  HtlcKey,
  HtlcState,
  NodeBehind,
  OutcomeListener,
  OutgoingHtlc,
  OwnChannelReport,
  TakenHtlc,
} from './port.ts';

const NO_CHANNELS: OwnChannelReport = { revision: 0, channels: [] };

/** The common part of the ports of networks without channels. */
export abstract class WithoutChannels {
  readonly #outcomeListeners = new Set<OutcomeListener>();

  /** Undefined, because the node of this network is this process itself. */
  nodeBehind(): NodeBehind | undefined {
    return undefined;
  }

  ownChannels(): OwnChannelReport {
    return NO_CHANNELS;
  }

  onOwnChannels(_listener?: (report: OwnChannelReport) => void): () => void {
    return () => undefined;
  }

  async ownChannelRecords(): Promise<readonly []> {
    return [];
  }

  /** Refuses, because there is no channel for the HTLC. */
  async send({ attemptId }: OutgoingHtlc): Promise<TakenHtlc> {
    const failureCode = FAILURES.unknown_next_peer.code;
    const reason = 'we have no channels on this network';
    for (const listener of this.#outcomeListeners)
      listener(attemptId, { status: 'refused', failureCode, reason });
    return { channelsRevision: NO_CHANNELS.revision };
  }

  onOutcome(listener: OutcomeListener): () => void {
    this.#outcomeListeners.add(listener);
    return () => void this.#outcomeListeners.delete(listener);
  }

  /** Reports `neverLeft` for all: no channel ever carried them, and none will. */
  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    return new Map(keys.map(({ attemptId }) => [attemptId, { status: 'neverLeft' }]));
  }
}
