/**
 * An LND node as our network, over gRPC. We use its identity, its channels and its balance.
 *
 * LND accepts routes, builds the onions and decrypts the failures itself. A payment over blinded paths can have only
 * one part. Onion messages, and thus fetched invoices, use `messages`: LND itself, or peer connections under our own
 * key.
 */
import { FIRST_CUSTOM_TYPE } from '../../bolt/onion/payload.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type NodeMessagePort, NodeNetwork } from '../node-network.ts';
import type {
  HtlcKey,
  HtlcLimits,
  HtlcState,
  NetworkCapabilities,
  NetworkPort,
  NodeBehind,
  OwnChannelRecord,
  Peer,
} from '../port.ts';
import type { AddressRow } from './answers.ts';
import { LndBlockWatch } from './block-watch.ts';
import { LndChannelWatch } from './channel-watch.ts';
import { LndError } from './client/calls.ts';
import { MissionControl } from './graph/mission-control.ts';
import { LndHtlcTracker } from './htlc-tracker.ts';
import type { LndLink } from './node-link.ts';
import type { LndTiming } from './timing.ts';

/** Dependencies of the adapter. When the adapter is closed, it also closes the link and the messages. */
export interface LndNetworkOptions {
  readonly link: LndLink;
  readonly messages: NodeMessagePort;
  readonly timing: LndTiming;
  readonly log: Log;
}

/** Limits on what LND can put into an HTLC. */
export const LND_LIMITS: HtlcLimits = {
  leastCustomType: FIRST_CUSTOM_TYPE,
  paymentMetadata: false,
  blindedParts: 1,
};

/** `repeatsSends` is false: LND sends another part for a hash even if it has already sent the same part. */
const CAPABILITIES: NetworkCapabilities = {
  pays: true,
  repeatsSends: false,
  onionMessages: true,
  connects: true,
  disconnects: true,
  limits: LND_LIMITS,
};

/**
 * Times of `connect`: how long LND tries each address, our timeout for LND's answer, and how long the peer may then
 * take to appear in LND's list.
 */
const CONNECT_S = 30;
const CONNECT_MS = 60_000;
const PEER_MS = 10_000;

/** The network port for an LND node. */
export class LndNetwork extends NodeNetwork implements NetworkPort {
  readonly kind = 'lnd';
  readonly capabilities = CAPABILITIES;
  readonly pairMemory: MissionControl;
  readonly #options: LndNetworkOptions;
  readonly #channels: LndChannelWatch;
  readonly #blocks: LndBlockWatch;
  readonly #htlcs: LndHtlcTracker;

  private constructor(options: LndNetworkOptions) {
    const { link, timing, log } = options;
    const blocks = new LndBlockWatch(link, log);
    const channels = new LndChannelWatch({ link, timing, log });
    const htlcs = new LndHtlcTracker({ link, channels, height: () => blocks.height, timing, log });
    super(link.facts, { channels, blocks, htlcs, messages: options.messages });
    this.#options = options;
    this.pairMemory = new MissionControl(link);
    this.#channels = channels;
    this.#blocks = blocks;
    this.#htlcs = htlcs;
  }

  /** Opens the network. Resolves after the first listing of the channels, even if the listing failed. */
  static async open(options: LndNetworkOptions): Promise<LndNetwork> {
    const network = new LndNetwork(options);
    await network.#channels.looked();
    return network;
  }

  nodeBehind(): NodeBehind {
    const { link } = this.#options;
    const { nodeId, alias, color, version, addresses, isGraphSynced } = link.facts;
    return {
      ...{ nodeId, alias, color, version, addresses },
      ...(link.problem !== undefined && { problem: link.problem }),
      details: async () => ({ synced_to_graph: isGraphSynced }),
    };
  }

  ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    return asked(this.#channels.shown());
  }

  outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    return asked(this.#htlcs.outcomes(keys), 'nodeAway');
  }

  /** @throws FulguriteError noAddress, connectFailed, nodeAway, notSupported */
  async connect(nodeId: NodeId, addresses: readonly string[] = []): Promise<Peer> {
    const there = this.#connected(nodeId);
    if (there !== undefined) return there;
    const known = addresses.length > 0 ? addresses : await this.#announced(nodeId);
    if (known.length === 0) throw new FulguriteError('noAddress', `LND has no address for ${nodeId}`);
    const failures: string[] = [];
    for (const host of known) {
      try {
        const request = { addr: { pubkey: nodeId, host }, perm: false, timeout: String(CONNECT_S) };
        await this.#options.link.call('ConnectPeer', request, CONNECT_MS);
        return await this.#appeared(nodeId);
      } catch (error) {
        if (!(error instanceof LndError)) throw error;
        if (/already connected/i.test(error.message)) return this.#appeared(nodeId);
        failures.push(`${host}: ${error.message}`);
      }
    }
    throw new FulguriteError('connectFailed', failures.join('; '), { attempts: failures });
  }

  async disconnect(nodeId: NodeId): Promise<boolean> {
    try {
      await this.#options.link.call('DisconnectPeer', { pub_key: nodeId });
    } catch (error) {
      if (!(error instanceof LndError)) throw error;
      if (/not connected/i.test(error.message)) return false;
      throw new FulguriteError('unspecified', error.message);
    }
    this.#channels.look();
    return true;
  }

  /** Always empty: LND does not report where it listens. */
  bindings(): readonly string[] {
    return [];
  }

  /** Called when the node's graph reports a new policy for a channel. Lists the channels again if it is one of ours. */
  policyChanged(...[shortChannelId]: Parameters<LndChannelWatch['policyChanged']>): void {
    this.#channels.policyChanged(shortChannelId);
  }

  async close(): Promise<void> {
    await this.#htlcs.close();
    this.#channels.close();
    this.#blocks.close();
    await this.#options.messages.close();
    await this.#options.link.close();
  }

  #connected(nodeId: NodeId): Peer | undefined {
    return this.peers().find((peer) => peer.nodeId === nodeId);
  }

  async #announced(nodeId: NodeId): Promise<string[]> {
    try {
      const { node } = await this.#options.link.call<{ node: { addresses: AddressRow[] } | null }>(
        'GetNodeInfo',
        { pub_key: nodeId },
      );
      return (node?.addresses ?? []).map(({ addr }) => addr);
    } catch (error) {
      if (error instanceof LndError) return [];
      throw error;
    }
  }

  /** Waits for the peer. LND connects in the background, so the peer appears some time after LND has answered. */
  async #appeared(nodeId: NodeId): Promise<Peer> {
    for (const endMs = performance.now() + PEER_MS; performance.now() < endMs; ) {
      await this.#channels.refreshed();
      const peer = this.#connected(nodeId);
      if (peer !== undefined) return peer;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new FulguriteError('connectFailed', `${nodeId} did not appear among LND's peers`);
  }
}

/** @throws FulguriteError of the given name with LND's message, and the errors of the link */
async function asked<T>(answer: Promise<T>, name: 'unspecified' | 'nodeAway' = 'unspecified'): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof LndError) throw new FulguriteError(name, `LND: ${error.message}`);
    throw error;
  }
}
