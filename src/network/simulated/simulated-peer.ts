/** A node of a simulated network as our peer: its features and made-up address. */
import type { NodeId } from '../../model/node-id.ts';
import type { Peer } from '../port.ts';
import { INIT_FEATURES } from './init-features.ts';
import { simulatedAddress } from './simulated-chain.ts';

/** The node as our peer. Without a connection it has neither address nor direction. */
export function simulatedPeer(nodeId: NodeId, connected: boolean): Peer {
  const address = connected ? { direction: 'out' as const, address: simulatedAddress(nodeId) } : {};
  return { nodeId, features: INIT_FEATURES, connected, ...address };
}
