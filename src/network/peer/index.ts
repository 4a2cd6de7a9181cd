/** The door of the peer network. */

import type { OwnGossipStore } from '../../gossip/own-gossip-store.ts';
import { GossipGraph } from './gossip-apply.ts';
import { GossipIntake } from './gossip-intake.ts';
import { type GossipChecker, GossipPool } from './gossip-pool.ts';
import { GossipSync } from './gossip-sync.ts';
import { DEFAULT_TIMING, GRAPH_CHANGES_MS } from './limits.ts';
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

export interface OpenPeerNetworkOptions extends Omit<PeerNetworkOptions, 'gossip'> {
  /** Called when gossip changed the graph, two seconds after the first of several changes. */
  readonly graphChanged: () => void;
  /** Keeps the messages that the graph has taken; closed with the network. */
  readonly gossipStore?: OwnGossipStore;
  /** Checks signatures; default a thread of its own. */
  readonly checker?: GossipChecker;
  /** Seconds since 1970; default the clock's. */
  readonly nowSeconds?: () => number;
}

/** A peer network that learns its graph from its peers. It connects to nobody by itself. */
export function openPeerNetwork(options: OpenPeerNetworkOptions): PeerNetwork {
  const { graph, chainHash, log, graphChanged, gossipStore } = options;
  const nowSeconds = options.nowSeconds ?? (() => Math.floor(Date.now() / 1000));
  const target = new GossipGraph(graph, chainHash, nowSeconds);
  // What was kept may have grown old meanwhile.
  if (gossipStore !== undefined) target.prune();
  const changes = new Throttle(graphChanged, GRAPH_CHANGES_MS);
  const intake = new GossipIntake({
    target,
    checker: options.checker ?? new GossipPool(),
    ...(gossipStore !== undefined && { store: gossipStore }),
    changed: () => changes.request(),
    failed: (error) => log?.unusual(`gossip could not be checked: ${error.message}`),
  });
  const { queryAnswerMs } = { ...DEFAULT_TIMING, ...options.timing };
  const gossip = new GossipSync({
    target,
    intake,
    chainHash,
    queryAnswerMs,
    changes,
  });
  return new PeerNetwork({ ...options, gossip });
}
