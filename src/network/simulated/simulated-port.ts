/**
 * The common part of the ports for a simulation in this thread or in another thread: listeners, onion messages, and
 * everything that is the same on all simulated networks.
 */

import type { OnionMessage } from '../../bolt/onion/onion-message.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { added } from '../listeners.ts';
import { OnionMessageEnd } from '../onion-message-end.ts';
import type {
  HtlcOutcome,
  IncomingOnionMessage,
  NodeBehind,
  OutcomeListener,
  OutgoingOnionMessage,
  OwnChannelReport,
} from '../port.ts';
import { CAPABILITIES } from './simulation.ts';

/** The part of a port that does not depend on where the simulation runs. */
export abstract class SimulatedPort {
  readonly kind = 'simulated';
  readonly capabilities = CAPABILITIES;
  /** Undefined without a key, because onion messages need one. */
  protected readonly messages: OnionMessageEnd | undefined;
  readonly #channelListeners = new Set<(report: OwnChannelReport) => void>();
  readonly #blockListeners = new Set<(height: number) => void>();
  readonly #outcomeListeners = new Set<OutcomeListener>();

  /** @param secretKey the key of our node. Without it there are no onion messages. */
  protected constructor(secretKey: Uint8Array | undefined) {
    this.messages =
      secretKey && new OnionMessageEnd(secretKey, async (to, message) => this.hand(to, message));
  }

  /** Passes an onion message to a peer. @throws FulguriteError when the node is not our peer. */
  protected abstract hand(to: NodeId, message: OnionMessage): void;

  /** Undefined, because this graph is trusted: the network was created from it. */
  graphCheck(): undefined {
    return undefined;
  }

  /** Undefined, because the node of this network is this process itself. */
  nodeBehind(): NodeBehind | undefined {
    return undefined;
  }

  onBlock(listener: (height: number) => void): () => void {
    return added(this.#blockListeners, listener);
  }

  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void {
    return added(this.#channelListeners, listener);
  }

  onOutcome(listener: OutcomeListener): () => void {
    return added(this.#outcomeListeners, listener);
  }

  async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    if (this.messages === undefined) {
      const why =
        'onion messages need the key of our node, and this simulated network was opened without one';
      throw new FulguriteError('notSupported', why);
    }
    await this.messages.send(message);
  }

  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    return this.messages?.listen(listener) ?? (() => undefined);
  }

  /** Always false: we cannot end simulated connections. */
  async disconnect(): Promise<boolean> {
    return false;
  }

  /** Always empty: simulated nodes need no address. */
  addresses(): readonly string[] {
    return [];
  }

  bindings(): readonly string[] {
    return [];
  }

  protected tellBlock(height: number): void {
    for (const listener of this.#blockListeners) listener(height);
  }

  protected tellChannels(report: OwnChannelReport): void {
    for (const listener of this.#channelListeners) listener(report);
  }

  protected tellOutcome(attemptId: string, outcome: HtlcOutcome): void {
    for (const listener of this.#outcomeListeners) listener(attemptId, outcome);
  }

  protected forgetListeners(): void {
    for (const listeners of [this.#channelListeners, this.#blockListeners, this.#outcomeListeners])
      listeners.clear();
    this.messages?.close();
  }
}
