/** The entry point of the peer network. */

import type { ChainSource } from '../../chain/chain-source.ts';
import type { OwnGossipStore } from '../../gossip/own-gossip-store.ts';
import { ChainWatch } from './chain-watch.ts';
import { GossipGraph } from './gossip-apply.ts';
import { GossipIntake } from './gossip-intake.ts';
import { type GossipChecker, GossipPool } from './gossip-pool.ts';
import { GossipSync } from './gossip-sync.ts';
import {
  CHAIN_POLL_MS,
  CHAIN_RETRY_MS,
  CHECKED_IDS_PER_QUERY,
  DEFAULT_TIMING,
  GRAPH_CHANGES_MS,
  IDS_PER_QUERY,
} from './limits.ts';
import { PeerNetwork, type PeerNetworkOptions } from './peer-network.ts';
import { Throttle } from './throttle.ts';

export {
  formatHostPort,
  type HostPort,
  type PeerLocation,
  parseHostPort,
  parsePeerLocation,
} from './address.ts';
export { OUR_FEATURES } from './our-features.ts';
export { PeerNetwork, type PeerNetworkLog } from './peer-network.ts';

/** Dependencies of the peer network that the daemon provides. */
export interface OpenPeerNetworkOptions extends Omit<PeerNetworkOptions, 'gossip' | 'chain'> {
  /** Called when gossip has changed the graph, two seconds after the first of several changes. */
  readonly graphChanged: () => void;
  /** Stores the messages added to the graph. It is closed with the network. */
  readonly gossipStore?: OwnGossipStore;
  /** Verifies signatures. Default: a separate thread. */
  readonly checker?: GossipChecker;
  /**
   * Verifies channels on the chain. It is closed with the network. Without it, peers must be trusted, or enough of them
   * must agree on a channel.
   */
  readonly chainSource?: ChainSource;
  /** Milliseconds between two checks of the chain. Tests shorten it. */
  readonly chainPollMs?: number;
  /** Returns UNIX seconds. Default: the system clock. */
  readonly nowSeconds?: () => number;
}

/** Opens a peer network that learns its graph from its peers. It opens no connections by itself. */
export function openPeerNetwork(options: OpenPeerNetworkOptions): PeerNetwork {
  const { graph, chainHash, log, graphChanged, gossipStore, chainSource } = options;
  const nowSeconds = options.nowSeconds ?? (() => Math.floor(Date.now() / 1000));
  const target = new GossipGraph(graph, chainHash, nowSeconds);
  target.onRemoved = (ids) => void gossipStore?.forget(ids);
  // Stored gossip may have become stale, or may have been accepted without a chain source.
  if (gossipStore !== undefined) target.prune();
  if (gossipStore !== undefined && chainSource !== undefined) target.removeUnchecked();
  const changes = new Throttle(graphChanged, GRAPH_CHANGES_MS);
  const changed = (): void => changes.request();
  const pollMs = options.chainPollMs ?? CHAIN_POLL_MS;
  const chain =
    chainSource && new ChainWatch({ source: chainSource, chainHash, target, changed, log, pollMs });
  const intake = new GossipIntake({
    target,
    checker: options.checker ?? new GossipPool(),
    ...(gossipStore !== undefined && { store: gossipStore }),
    ...(chain !== undefined && { chain, chainRetryMs: Math.min(pollMs, CHAIN_RETRY_MS) }),
    changed,
    failed: (error) => log?.unusual(`gossip could not be checked: ${error.message}`),
  });
  const { queryAnswerMs } = { ...DEFAULT_TIMING, ...options.timing };
  const idsPerQuery = chain === undefined ? IDS_PER_QUERY : CHECKED_IDS_PER_QUERY;
  const gossip = new GossipSync({ target, intake, chainHash, queryAnswerMs, idsPerQuery, changes });
  void chain?.start();
  return new PeerNetwork({ ...options, gossip, ...(chain !== undefined && { chain }) });
}
