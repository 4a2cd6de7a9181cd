/**
 * A Core Lightning node as our network, over its `lightning-rpc` socket. We use its identity, its channels and its
 * balance.
 *
 * The node keeps its key to itself, so we build the onions of HTLCs and send them with `sendonion`. External programs
 * cannot receive onion messages over the RPC, so our onion messages use a key of our own and a peer connection to the
 * node (`messages`). Invoices are fetched over that connection, but paid through the node. When we run as a plugin,
 * onion messages come from a hook of the node instead (`NodeMessages`).
 */

import { FulguriteError } from '../../model/errors.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeHistory } from '../../model/node-history.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type NodeMessagePort, NodeNetwork } from '../node-network.ts';
import type { OnionBuilder } from '../onions/onion-builder.ts';
import type {
  HtlcKey,
  HtlcState,
  NetworkCapabilities,
  NetworkPort,
  NodeBehind,
  OwnChannelRecord,
  Peer,
  SentHtlc,
} from '../port.ts';
import { NodeError } from './answer.ts';
import { ClnBlockWatch } from './block-watch.ts';
import { ClnChannelWatch } from './channel-watch.ts';
import { clnHistory } from './history.ts';
import { HtlcTracker } from './htlc-tracker.ts';
import { hostPortOf } from './node-facts.ts';
import type { NodeLink } from './node-link.ts';
import { ownChannelRecordsOf } from './own-channels.ts';
import type { Presence } from './presence.ts';
import type { ClnTiming } from './timing.ts';

/**
 * Dependencies of the adapter. When the adapter is closed, it also closes the link, the onion builder, the messages and
 * `presence`.
 */
export interface ClnNetworkOptions {
  readonly link: NodeLink;
  readonly onions: OnionBuilder;
  /** Carries onion messages, under our own key or through the node. */
  readonly messages: NodeMessagePort;
  readonly timing: ClnTiming;
  readonly log: Log;
  /** Whether gossip shows that a channel's funding is spent. Absent without gossip. */
  readonly isDying?: (shortChannelId: ShortChannelId) => boolean;
  readonly presence?: Presence | undefined;
}

/** `repeatsSends` is false: if the node had deleted an HTLC's row, a repeated send would pay twice. */
const CAPABILITIES: NetworkCapabilities = {
  pays: true,
  repeatsSends: false,
  onionMessages: true,
  connects: true,
  disconnects: true,
};

/** A command that only our plugin adds to the node. */
const PLUGIN_COMMAND = 'fulgurite-getinfo';
/** Timeout in milliseconds, short so that our `getinfo` does not wait for an unresponsive node. */
const PLUGIN_MS = 2_000;

/** Error codes of Core Lightning's `connect`. */
const CONNECT = { noAddress: 400, allFailed: 401, disconnected: 402 } as const;
/** Timeout in milliseconds. The node itself allows about a minute per address. */
const CONNECT_MS = 120_000;

/** Timeout for resolving a name, in milliseconds. The node's plugin `cln-bip353` waits 30 s for the DNS. */
const NAME_MS = 40_000;
const UNKNOWN_METHOD = -32601;

/** The network port for a Core Lightning node. */
export class ClnNetwork extends NodeNetwork implements NetworkPort {
  readonly kind = 'cln';
  readonly capabilities = CAPABILITIES;
  readonly #options: ClnNetworkOptions;
  readonly #channels: ClnChannelWatch;
  readonly #blocks: ClnBlockWatch;
  readonly #htlcs: HtlcTracker;

  private constructor(options: ClnNetworkOptions) {
    const { link, onions, timing, log, isDying = () => false } = options;
    const blocks = new ClnBlockWatch(link);
    const channels = new ClnChannelWatch({ link, timing, log, isDying });
    const htlcs = new HtlcTracker({ link, channels, onions, height: () => blocks.height, timing, log });
    super(link.facts, { channels, blocks, htlcs, messages: options.messages });
    this.#options = options;
    this.#channels = channels;
    this.#blocks = blocks;
    this.#htlcs = htlcs;
  }

  /** Opens the network. Resolves after the first listing of the channels, even if the listing failed. */
  static async open(options: ClnNetworkOptions): Promise<ClnNetwork> {
    const network = new ClnNetwork(options);
    await network.#channels.looked();
    return network;
  }

  /** The offer for a BIP 353 name, from the node's `fetchbip353`, a command of one of its plugins. */
  async offerOfName(name: string): Promise<string> {
    const question = () => this.#options.link.call('fetchbip353', { address: name }, { timeoutMs: NAME_MS });
    const answer = await this.#ask(question).catch(asUnresolved);
    const offer = answer
      .objects('instructions')
      .map((one) => one.text('offer'))
      .find(Boolean);
    if (offer === undefined)
      throw new FulguriteError('unspecified', `BIP353: ${name} does not resolve to an offer`);
    return offer;
  }

  nodeBehind(): NodeBehind {
    const { facts, problem } = this.#options.link;
    const others = this.#options.presence?.others ?? [];
    return {
      nodeId: facts.nodeId,
      alias: facts.alias,
      color: facts.color,
      version: facts.version,
      addresses: facts.addresses,
      ...(problem !== undefined && { problem }),
      details: async () => ({
        plugin: await this.#hasPlugin(),
        ...(others.length > 0 && { other_daemons: others }),
      }),
      feesCollected: () => this.#feesCollected(),
    };
  }

  async #feesCollected(): Promise<Msat | undefined> {
    const { link } = this.#options;
    if (link.problem !== undefined) return undefined;
    try {
      return (await link.call('getinfo', {}, { timeoutMs: PLUGIN_MS })).amount('fees_collected_msat');
    } catch (error) {
      if (error instanceof NodeError || error instanceof FulguriteError) return undefined;
      throw error;
    }
  }

  /**
   * Whether our plugin runs at the node: the node has the plugin's command exactly while the plugin runs. Undefined if
   * the node does not answer.
   */
  async #hasPlugin(): Promise<boolean | undefined> {
    const { link } = this.#options;
    if (link.problem !== undefined) return undefined;
    try {
      await link.call('help', { command: PLUGIN_COMMAND }, { timeoutMs: PLUGIN_MS });
      return true;
    } catch (error) {
      if (error instanceof NodeError) return false;
      if (error instanceof FulguriteError) return undefined;
      throw error;
    }
  }

  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    const answer = await this.#ask(() => this.#options.link.call('listpeerchannels'));
    return ownChannelRecordsOf(answer, (why) => this.#options.log.unusual(why));
  }

  outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    return this.#htlcs.outcomes(keys);
  }

  sentHtlcs(sinceMs: number): Promise<readonly SentHtlc[]> {
    return this.#htlcs.sentHtlcs(sinceMs);
  }

  /** What the node's own past payments and forwards reveal about channels and other nodes. */
  nodeHistory(sinceS: number): Promise<NodeHistory> {
    return this.#ask(() => clnHistory(this.#options.link, sinceS));
  }

  /** @throws FulguriteError noAddress, connectFailed, disconnected, nodeAway, unspecified */
  async connect(nodeId: NodeId, addresses: readonly string[] = []): Promise<Peer> {
    const { link } = this.#options;
    const [given] = addresses;
    const params = { id: given === undefined ? nodeId : `${nodeId}@${given}` };
    const answer = await this.#ask(() => link.call('connect', params, { timeoutMs: CONNECT_MS }));
    this.#channels.look();
    const direction = answer.text('direction') === 'in' ? 'in' : 'out';
    const at = answer.object('address');
    const [address] = at === undefined ? [] : hostPortOf(at);
    return {
      ...{ nodeId, features: answer.bytes('features'), connected: true, direction },
      ...(address !== undefined && { address }),
    };
  }

  async disconnect(nodeId: NodeId): Promise<boolean> {
    try {
      await this.#options.link.call('disconnect', { id: nodeId });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (/not connected|Unknown peer/i.test(error.message)) return false;
      throw new FulguriteError('unspecified', error.message);
    }
    this.#channels.look();
    return true;
  }

  bindings(): readonly string[] {
    return this.#options.link.facts.bindings;
  }

  async close(): Promise<void> {
    this.#htlcs.close();
    this.#channels.close();
    this.#blocks.close();
    await this.#options.presence?.close();
    this.#options.link.close();
    await this.#options.messages.close();
    await this.#options.onions.close();
  }

  /** Makes a call, and converts the node's errors to ours. */
  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw new FulguriteError(errorName(error.code), error.message, { node_code: error.code });
    }
  }
}

/** @throws FulguriteError notSupported if the node has no `fetchbip353`; otherwise the given error */
function asUnresolved(error: unknown): never {
  if (!(error instanceof FulguriteError) || error.data?.node_code !== UNKNOWN_METHOD) throw error;
  const message =
    'Cannot resolve BIP 353 names: the attached node has no `fetchbip353`. Start its plugin cln-bip353, or pay the ' +
    'offer (lno1…) instead';
  throw new FulguriteError('notSupported', message, error.data);
}

function errorName(code: number) {
  if (code === CONNECT.noAddress) return 'noAddress';
  if (code === CONNECT.allFailed) return 'connectFailed';
  return code === CONNECT.disconnected ? 'disconnected' : 'unspecified';
}
