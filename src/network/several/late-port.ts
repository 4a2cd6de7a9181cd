/**
 * The port of a node that did not respond when the daemon started. The node's id is known from an earlier run. Until
 * the node has been reached, the port has no channels, accepts nothing and knows nothing about its HTLCs. After that,
 * it passes calls on to the node's real port. Members that not every port has, such as `sentHtlcs`, stay absent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { added } from '../listeners.ts';
import type {
  HtlcKey,
  HtlcLimits,
  HtlcState,
  IncomingOnionMessage,
  NetworkCapabilities,
  NetworkIdentity,
  NetworkKind,
  NetworkPort,
  NodeBehind,
  OutcomeListener,
  OutgoingHtlc,
  OutgoingOnionMessage,
  OwnChannelRecord,
  OwnChannelReport,
  Peer,
  TakenHtlc,
} from '../port.ts';

/** Milliseconds between attempts to connect to the node. */
const RETRY_MS = 5_000;

/** What is known about the node, and how to connect to it. */
export interface LatePortOptions {
  readonly kind: NetworkKind;
  /** Our identity on this network, with the node's earlier id. */
  readonly identity: NetworkIdentity;
  readonly limits: HtlcLimits | undefined;
  /** Connects to the node and opens its port. Rejects while it does not respond, or another node does in its place. */
  readonly open: () => Promise<NetworkPort>;
  readonly log: { info(message: string): void; unusual(message: string): void };
  readonly retryMs?: number;
}

/** A port that is opened later. */
export class LatePort implements NetworkPort {
  readonly kind: NetworkKind;
  readonly identity: NetworkIdentity;
  readonly #options: LatePortOptions;
  readonly #closing = new AbortController();
  readonly #channelListeners = new Set<(report: OwnChannelReport) => void>();
  readonly #blockListeners = new Set<(height: number) => void>();
  readonly #outcomeListeners = new Set<OutcomeListener>();
  #port: NetworkPort | undefined;
  #problem = 'it has not responded since the daemon started';

  constructor(options: LatePortOptions) {
    this.kind = options.kind;
    this.identity = options.identity;
    this.#options = options;
    void this.#reach();
  }

  async #reach(): Promise<void> {
    const { open, log, identity, retryMs = RETRY_MS } = this.#options;
    let told: string | undefined;
    while (!this.#closing.signal.aborted) {
      try {
        const port = await open();
        if (this.#closing.signal.aborted) return void (await port.close());
        return this.#begin(port);
      } catch (error) {
        this.#problem = (error as Error).message;
      }
      if (this.#problem !== told) log.unusual(`node ${identity.nodeId}: ${this.#problem}`);
      told = this.#problem;
      await sleep(retryMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
    }
  }

  #begin(port: NetworkPort): void {
    this.#port = port;
    port.onOwnChannels((report) => {
      for (const listener of this.#channelListeners) listener(report);
    });
    port.onBlock((height) => {
      for (const listener of this.#blockListeners) listener(height);
    });
    port.onOutcome((attemptId, outcome) => {
      for (const listener of this.#outcomeListeners) listener(attemptId, outcome);
    });
    this.#options.log.info(`node ${this.identity.nodeId} answers`);
    for (const listener of this.#channelListeners) listener(port.ownChannels());
    for (const listener of this.#blockListeners) listener(port.blockHeight());
  }

  get capabilities(): NetworkCapabilities {
    const { limits } = this.#options;
    return (
      this.#port?.capabilities ?? {
        ...{ pays: true, repeatsSends: false, onionMessages: false, connects: false, disconnects: false },
        ...(limits !== undefined && { limits }),
      }
    );
  }

  graphCheck(): ReturnType<NetworkPort['graphCheck']> {
    return this.#port?.graphCheck();
  }

  nodeBehind(): NodeBehind | undefined {
    if (this.#port !== undefined) return this.#port.nodeBehind();
    const { nodeId } = this.identity;
    const shown = { nodeId, alias: '', color: nodeId.slice(0, 6), version: '', problem: this.#problem };
    return { ...shown, details: async () => ({}) };
  }

  blockHeight(): number {
    return this.#port?.blockHeight() ?? 0;
  }

  onBlock(listener: (height: number) => void): () => void {
    return added(this.#blockListeners, listener);
  }

  readonly settled = async (): Promise<void> => this.#port?.settled?.();
  readonly refreshed = async (): Promise<void> => this.#port?.refreshed?.();

  ownChannels(): OwnChannelReport {
    return this.#port?.ownChannels() ?? { revision: 0, channels: [] };
  }

  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void {
    return added(this.#channelListeners, listener);
  }

  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    return this.#open().ownChannelRecords();
  }

  async send(htlc: OutgoingHtlc, mayLeave?: () => boolean): Promise<TakenHtlc> {
    return this.#open().send(htlc, mayLeave);
  }

  onOutcome(listener: OutcomeListener): () => void {
    return added(this.#outcomeListeners, listener);
  }

  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    return this.#open().outcomes(keys);
  }

  async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    await this.#open().sendOnionMessage(message);
  }

  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    return this.#port?.onOnionMessage(listener) ?? (() => undefined);
  }

  async connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer> {
    return this.#open().connect(nodeId, addresses);
  }

  async disconnect(nodeId: NodeId): Promise<boolean> {
    return this.#open().disconnect(nodeId);
  }

  peers(): readonly Peer[] {
    return this.#port?.peers() ?? [];
  }

  bindings(): readonly string[] {
    return this.#port?.bindings() ?? [];
  }

  addresses(nodeId: NodeId): readonly string[] {
    return this.#port?.addresses(nodeId) ?? [];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#port?.close();
  }

  /** @throws FulguriteError nodeAway while the node has not been reached */
  #open(): NetworkPort {
    if (this.#port !== undefined) return this.#port;
    const { nodeId } = this.identity;
    throw new FulguriteError('nodeAway', `node ${nodeId}: ${this.#problem}`, { node_id: nodeId });
  }
}
