/**
 * Onion messages with a Core Lightning node: a network with our own key, connected to the node like any peer. The node
 * relays the messages that we send, and delivers the replies. The node's own key is not needed.
 */
import { CHAIN_HASHES } from '../../bolt/invoice/bolt12-offer.ts';
import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type HostPort, PeerNetwork, parseHostPort } from '../peer/index.ts';
import type { MessagePort, NetworkPort, Peer } from '../port.ts';
import type { NodeFacts } from './node-facts.ts';

/** Dependencies of the message network. */
export interface MessageOptions {
  readonly facts: NodeFacts;
  /** Our own key, different from the node's. */
  readonly secretKey: Uint8Array;
  /** The graph for looking up addresses and routes. It is never changed here. */
  readonly graph: ChannelGraph;
  readonly log: Log;
}

/** Opens a peer network without gossip, and keeps it connected to the node if the node listens on an address. */
export function openMessages({ facts, secretKey, graph, log }: MessageOptions): PeerNetwork {
  const chainHash = CHAIN_HASHES[facts.chain];
  const network = new PeerNetwork({ secretKey, chainHash, graph, log });
  const address = facts.bindings.map(reachable).find((one) => one !== undefined);
  if (address === undefined)
    log.unusual('the node does not listen on any address, so its own offers cannot be fetched');
  else network.keepConnected({ nodeId: facts.nodeId, address });
  return network;
}

/**
 * Adds `peerBefore` to the message network, so that messages can be sent through the node to each of its peers. A
 * recipient's server may be such a peer, without a public channel to the node.
 */
export function withPeersOf<M extends PeerNetwork>(
  { nodeId }: NodeFacts,
  network: Pick<NetworkPort, 'peers'>,
  messages: M,
): M & Pick<MessagePort, 'peerBefore'> {
  const takesMessages = ({ features, connected }: Peer): boolean =>
    connected && hasFeature(features, FEATURE.option_onion_messages);
  return Object.assign(messages, {
    peerBefore: (target: NodeId) =>
      network.peers().some((peer) => peer.nodeId === target && takesMessages(peer)) ? nodeId : undefined,
  });
}

/**
 * The address at which this machine can reach the node. If the node listens on all addresses, this is the loopback
 * address.
 */
function reachable(binding: string): HostPort | undefined {
  try {
    const { host, port } = parseHostPort(binding);
    if (host === '0.0.0.0') return { host: '127.0.0.1', port };
    return host === '::' ? { host: '::1', port } : { host, port };
  } catch {
    return undefined;
  }
}
