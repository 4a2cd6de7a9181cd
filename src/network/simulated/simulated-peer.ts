/** A node of a simulated network as our peer; what it speaks, and the end of the connection that stands for it. */
import type { NodeId } from '../../model/node-id.ts';
import type { Peer } from '../port.ts';
import { INIT_FEATURES } from './init-features.ts';
import { simulatedAddress } from './simulated-chain.ts';

/** The node as a peer of ours. Without a connection it has no address and no direction. */
export function simulatedPeer(nodeId: NodeId, connected: boolean): Peer {
  const address = connected ? { direction: 'out' as const, address: simulatedAddress(nodeId) } : {};
  return { nodeId, features: INIT_FEATURES, connected, ...address };
}
