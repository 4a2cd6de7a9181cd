/** The entry point of the network for a Core Lightning node. */
import type { Log } from '../../rpc/log.ts';
import { OnionPool } from '../onions/onion-pool.ts';
import { ClnNetwork, type ClnNetworkOptions } from './cln-network.ts';
import { NodeLink } from './node-link.ts';
import { type JournalIdentity, Presence } from './presence.ts';
import { type ClnTiming, DEFAULT_TIMING } from './timing.ts';

export { NodeError } from './answer.ts';
export { ClnNetwork } from './cln-network.ts';
export { disableDying } from './dying-channels.ts';
export { NodeForward } from './forward.ts';
export { clnForwards } from './forwards.ts';
export { clnInvoice } from './invoice.ts';
export { openMessages, withPeersOf } from './messages.ts';
export { NodeGraph } from './node-graph.ts';
export { NodeLink } from './node-link.ts';
export { NodeMessages } from './node-messages.ts';
export type { JournalIdentity } from './presence.ts';
export { markForPurse } from './purse-mark.ts';

/** How to reach the node. */
export interface ReachOptions {
  /** Path of the node's `lightning-rpc`. */
  readonly socketPath: string;
  readonly log: Log;
  readonly timing?: Partial<ClnTiming>;
}

/**
 * Connects to the node and reads its identity.
 * @throws FulguriteError nodeAway, notSupported
 */
export function reachNode({ socketPath, log, timing }: ReachOptions): Promise<NodeLink> {
  return NodeLink.open({ socketPath, log, timing: { ...DEFAULT_TIMING, ...timing } });
}

/** What the network of a connected node needs from the daemon. */
export interface OpenClnNetworkOptions
  extends Pick<ClnNetworkOptions, 'link' | 'messages' | 'log' | 'isDying'> {
  /** Identifies our journal, so that daemons with other journals at the node notice us. */
  readonly journal: JournalIdentity;
  /** How log lines about these daemons name the node. Default: `this node`. */
  readonly node?: string;
}

/** The network on a connected node. Resolves after the first listing of its channels. */
export function openClnNetwork(options: OpenClnNetworkOptions): Promise<ClnNetwork> {
  const { journal, node = 'this node', ...network } = options;
  const presence = new Presence({ link: network.link, ...journal, node, log: network.log });
  return ClnNetwork.open({ ...network, onions: new OnionPool(), presence, timing: DEFAULT_TIMING });
}
